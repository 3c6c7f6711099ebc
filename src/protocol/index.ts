// The public wire protocol: message types, tables of methods, error codes.

export { scopeMeanings, scopes } from "./access/scopes.ts";
export { type ErrorMeaning, type ErrorName, errorCodes, errorMeanings } from "./errors.ts";
export {
  type NotificationRow,
  notificationRows,
  type Order,
  type RequestRow,
  requestRows,
  type ServerRequestRow,
  type Stability,
  serverRequestRows,
} from "./generated/table.ts";
export type * from "./generated/types.ts";
