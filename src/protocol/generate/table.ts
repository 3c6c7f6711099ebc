// Generates the run-time table of the rows: plain data, with schemas as text that is parsed on first use.

import { type Catalog, definitionName, isSchema, type JsonSchema } from "./catalog.ts";

const head = `import type { AccessScope, ClientRequests, ServerNotifications, ServerRequests } from "./types.ts";

/** The order of a request: requests with the same kind and key run one after the other. */
export type Order =
  | { readonly kind: "free" }
  | { readonly kind: "thread"; readonly orField?: string }
  | { readonly kind: "global"; readonly lane: string; readonly access: "shared" | "exclusive" }
  | { readonly kind: "connection"; readonly field: string };

export type Stability = "stable" | "experimental";

export interface RequestRow {
  readonly stability: Stability;
  /** The scope that a connection needs for it. */
  readonly scope: AccessScope;
  /** Whether the audit log has it, where a client with a token makes it. */
  readonly isAudited?: true;
  readonly order: Order;
  /** Whether the params may be absent. */
  readonly paramsOptional?: true;
  /** The definition of the params; null if there are none. */
  readonly params: string | null;
  /** A former member of the params that is now rejected, possibly within another member. */
  readonly removed?: { readonly name: string; readonly within?: string; readonly instead: string };
}

export interface ServerRequestRow {
  readonly stability: Stability;
  /** The definition of the result. */
  readonly result: string;
  /** The flag of the thread's status while the request is open. */
  readonly raises?: "approval" | "question";
}

export interface NotificationRow {
  readonly stability: Stability;
  readonly audience: "all" | "thread" | "family" | "connection";
  /** Whether it is a delta of the item that \`itemId\` names. */
  readonly isPiece?: true;
  /** Whether it follows from the lines of a thread. */
  readonly isDurable?: true;
  /** Whether the completed item contains it. */
  readonly isRepeatedLater?: true;
  /** With this \`reason\` it is sent only to clients with the experimental capability. */
  readonly experimentalReason?: string;
}
`;

export function writeTable(catalog: Catalog): string {
  const requests = [...catalog.requests].map(([method, row]) =>
    line(method, {
      stability: row.stability,
      scope: row.scope,
      isAudited: row.isAudited,
      order: row.order,
      ...(row.paramsOptional ? { paramsOptional: true } : {}),
      params: row.params === null ? null : definitionName(row.params),
      removed: row.removed,
    }),
  );
  const serverRequests = [...catalog.serverRequests].map(([method, row]) =>
    line(method, { stability: row.stability, result: definitionName(row.result), raises: row.raises }),
  );
  const notifications = [...catalog.notifications].map(([method, row]) =>
    line(method, {
      stability: row.stability,
      audience: row.audience,
      isPiece: row.isPiece,
      isDurable: row.isDurable,
      isRepeatedLater: row.isRepeatedLater,
      experimentalReason: row.experimentalReason,
    }),
  );
  const definitions = [...catalog.inbound]
    .sort()
    .map((name) => `  ${JSON.stringify(name)}: ${textOf(catalog.definitions.get(name) ?? {})},`);
  const inThreadLane = [...catalog.requests].flatMap(([method, { order }]) =>
    order.kind === "thread" ? [JSON.stringify(method)] : [],
  );
  return [
    head,
    `/** Requests that run in the lane of a thread. */\nexport type ThreadMethod =\n${inThreadLane.map((name) => `  | ${name}`).join("\n")};\n`,
    constant("requestRows", "{ readonly [Method in keyof ClientRequests]: RequestRow }", requests),
    "/** Requests by their handler file, for files that are loaded on first use. */",
    writeLazyRequests(catalog),
    constant(
      "serverRequestRows",
      "{ readonly [Method in keyof ServerRequests]: ServerRequestRow }",
      serverRequests,
    ),
    constant(
      "notificationRows",
      "{ readonly [Method in keyof ServerNotifications]: NotificationRow }",
      notifications,
    ),
    "/** JSON Schema of everything that a client can send, by name. */",
    constant("definitions", "Readonly<Record<string, string>>", definitions),
  ].join("\n");
}

function writeLazyRequests(catalog: Catalog): string {
  const byFile = new Map<string, string[]>();
  for (const [method, { handlers }] of catalog.requests)
    if (handlers !== undefined) byFile.set(handlers, [...(byFile.get(handlers) ?? []), method]);
  const lines = [...byFile].map(([file, methods]) => line(file, methods));
  const type = "Readonly<Record<string, readonly (keyof ClientRequests)[]>>";
  return `export const lazyRequests = {\n${lines.join("\n")}\n} as const satisfies ${type};\n`;
}

/** A separate file for clients, which need nothing else of the table. */
export function writeIdempotentMethods(catalog: Catalog): string {
  const lines = [...catalog.requests].flatMap(([method, { idempotent }]) =>
    idempotent === undefined ? [] : [line(method, idempotent === true || idempotent.key)],
  );
  return [
    "/** Requests that can be sent again after their response was lost: always, or where their params have this key. */",
    constant("idempotentMethods", "Readonly<Record<string, true | string>>", lines),
  ].join("\n");
}

const line = (name: string, value: unknown): string => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},`;

const constant = (name: string, type: string, lines: string[]): string =>
  `export const ${name}: ${type} = {\n${lines.join("\n")}\n};\n`;

function textOf(schema: JsonSchema): string {
  const text = JSON.stringify(withoutProse(schema));
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** Removes descriptions and defaults of a schema, but not members with these names. */
function withoutProse(source: JsonSchema): JsonSchema {
  const schema = { ...source };
  delete schema["description"];
  delete schema["default"];
  const { properties, items, additionalProperties, anyOf } = schema;
  if (isSchema(properties)) {
    const members = Object.entries(properties as Record<string, JsonSchema>);
    schema["properties"] = Object.fromEntries(members.map(([key, member]) => [key, withoutProse(member)]));
  }
  if (isSchema(items)) schema["items"] = withoutProse(items);
  if (isSchema(additionalProperties)) schema["additionalProperties"] = withoutProse(additionalProperties);
  if (Array.isArray(anyOf)) schema["anyOf"] = anyOf.map(withoutProse);
  return schema;
}
