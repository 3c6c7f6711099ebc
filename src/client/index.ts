// The typed SDK for Node.

export { type ConnectOptions, connect } from "./connect.ts";
export * from "./sdk.ts";
export type { ServerProgram } from "./server-program.ts";
