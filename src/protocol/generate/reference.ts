// Generates the reference pages.

import { scopeMeanings, scopes } from "../access/scopes.ts";
import { type ErrorName, errorCodes, errorMeanings } from "../errors.ts";
import type { ResourceGroup } from "../rows/resources.ts";
import type { NotificationRow, Order, RequestRow, ServerRequestRow } from "../rows/row.ts";
import { type Catalog, definitionName, type JsonSchema } from "./catalog.ts";

const banner = "<!-- Generated from src/protocol/rows by `npm run generate`. Do not edit. -->";

const stabilityNote =
  "Methods marked *exp* need `capabilities.experimentalApi: true` in `initialize`. The types are those of `heddle/protocol`.";

export function writeMethodPage(resources: readonly ResourceGroup[], catalog: Catalog): string {
  const sections = resources.flatMap(({ title, requests }) =>
    requests === undefined ? [] : [table(title, requestColumns, Object.entries(requests).map(requestCells))],
  );
  return page("Methods", [
    "What a client can ask of the server, by resource.",
    stabilityNote,
    "*Waits for* names what a request runs in turn with: `thread` for other requests with the same thread id, a lane of the whole server, or requests of the same connection with the same value in a member. Requests without it run at once.",
    "*Scope* names what the token of a connection must allow; a connection without authentication has every scope. An *audited* request of a client with a token is recorded for `audit/list`.",
    table(
      "Scopes",
      ["Scope", "What it allows"],
      scopes.map((scope) => [`\`${scope}\``, scopeMeanings[scope]]),
    ),
    ...sections,
    additions(catalog),
  ]);
}

export function writeServerRequestPage(resources: readonly ResourceGroup[]): string {
  const sections = resources.flatMap(({ title, serverRequests }) =>
    serverRequests === undefined
      ? []
      : [table(title, serverRequestColumns, Object.entries(serverRequests).map(serverRequestCells))],
  );
  return page("Server requests", ["What the server can ask of a client.", stabilityNote, ...sections]);
}

export function writeNotificationPage(resources: readonly ResourceGroup[]): string {
  const sections = resources.flatMap(({ title, notifications }) =>
    notifications === undefined
      ? []
      : [table(title, notificationColumns, Object.entries(notifications).map(notificationCells))],
  );
  return page("Notifications", [
    "What the server tells its clients.",
    stabilityNote,
    "*Goes to*: `all` initialized connections, the subscribers of a `thread`, or only the `connection` that it concerns.",
    ...sections,
  ]);
}

export function writeErrorPage(): string {
  const names = Object.keys(errorMeanings) as ErrorName[];
  const rows = names.map((name) => {
    const { meaning, retryable } = errorMeanings[name];
    return [`\`${errorCodes[name]}\``, name, meaning, retryable ? "yes" : "no"];
  });
  return page("Errors", [
    "The codes of error responses. Most refusals have the first one, and say in `message` what is wrong.",
    table("Codes", ["Code", "Name", "Meaning", "Worth trying again"], rows),
  ]);
}

const page = (title: string, parts: readonly string[]): string =>
  `${[banner, `# ${title}`, ...parts].join("\n\n")}\n`;

function table(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [`## ${title}`, "", line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

const nameCell = (method: string, stability: string): string =>
  `\`${method}\`${stability === "experimental" ? " *exp*" : ""}`;

const requestColumns = ["Method", "What it does", "Params", "Result", "Scope", "Waits for"];

const requestCells = ([method, row]: [string, RequestRow]): string[] => [
  nameCell(method, row.stability),
  row.summary,
  paramsCell(row),
  `\`${definitionName(row.result)}\``,
  `\`${row.scope}\`${row.isAudited === true ? ", audited" : ""}`,
  orderCell(row.order),
];

function paramsCell(row: RequestRow): string {
  if (row.params === null) return "none";
  return `\`${definitionName(row.params)}\`${row.paramsOptional === true ? ", optional" : ""}`;
}

function orderCell(order: Order): string {
  switch (order.kind) {
    case "free":
      return "";
    case "thread":
      return "thread";
    case "global":
      return order.access === "shared" ? `${order.lane}, shared` : order.lane;
    case "connection":
      return `own \`${order.field}\``;
  }
}

const serverRequestColumns = ["Method", "What is asked", "Params", "Answer"];

const serverRequestCells = ([method, row]: [string, ServerRequestRow]): string[] => [
  nameCell(method, row.stability),
  row.summary,
  `\`${definitionName(row.params)}\``,
  `\`${definitionName(row.result)}\``,
];

const notificationColumns = ["Method", "What happened", "Params", "Goes to"];

const notificationCells = ([method, row]: [string, NotificationRow]): string[] => [
  nameCell(method, row.stability),
  row.summary,
  `\`${definitionName(row.params)}\``,
  row.audience,
];

function additions({ definitions }: Catalog): string {
  const rows = [...definitions].flatMap(([name, schema]) => {
    const members = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
    return members
      .filter(([, member]) => member["x-heddle"] === true)
      .map(([key, { description }]) => [
        `\`${name}\``,
        `\`${key}\``,
        typeof description === "string" ? description : "",
      ]);
  });
  return table("Members that only Heddle has", ["Type", "Member", "Meaning"], rows);
}
