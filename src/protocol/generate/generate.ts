// Generates every file that is derived from the rows.

import { resources } from "../rows/resources.ts";
import { type Catalog, createCatalog, definitionName, isSchema, type JsonSchema } from "./catalog.ts";
import { writeMethodTree } from "./methods.ts";
import {
  writeErrorPage,
  writeMethodPage,
  writeNotificationPage,
  writeServerRequestPage,
} from "./reference.ts";
import { stableCatalog } from "./stable.ts";
import { writeIdempotentMethods, writeTable } from "./table.ts";
import { writeTypes } from "./typescript.ts";

const banner = "// Generated from src/protocol/rows by `npm run generate`. Do not edit.\n\n";

/** Returns the content of each file by its path, relative to the root of the project. */
export function generate(): Map<string, string> {
  const catalog = createCatalog(resources);
  const stable = stableCatalog(catalog);
  return new Map([
    ["src/protocol/generated/types.ts", banner + writeTypes(catalog)],
    ["src/protocol/generated/methods.ts", banner + writeMethodTree(catalog)],
    ["src/protocol/generated/table.ts", banner + writeTable(catalog)],
    ["src/protocol/generated/idempotent-methods.ts", banner + writeIdempotentMethods(catalog)],
    ["schema/heddle.stable.ts", writeTypes(stable)],
    ["schema/heddle.schemas.json", writeSchemas(catalog)],
    ["schema/heddle.stable.schemas.json", writeSchemas(stable)],
    ["schema/methods.json", writeMethods(catalog)],
    ["docs/reference/methods.md", writeMethodPage(resources, catalog)],
    ["docs/reference/server-requests.md", writeServerRequestPage(resources)],
    ["docs/reference/notifications.md", writeNotificationPage(resources)],
    ["docs/reference/errors.md", writeErrorPage()],
  ]);
}

/** One JSON Schema document with all definitions. */
function writeSchemas(catalog: Catalog): string {
  const definitions = [...messageUnions(catalog), ...catalog.definitions];
  const document = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Heddle app-server protocol",
    definitions: Object.fromEntries(definitions.map(([name, schema]) => [name, withPointers(schema)])),
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

function withPointers(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (!isSchema(value) || typeof value["$ref"] !== "string") return value;
    const { $ref: name, ...notes } = value;
    const $ref = `#/definitions/${name}`;
    // In this draft, keywords beside a reference are ignored.
    return Object.keys(notes).length === 0 ? { $ref } : { ...notes, allOf: [{ $ref }] };
  }) as JsonSchema;
}

/** The properties of each method beside its message types. */
function writeMethods({ requests, serverRequests, notifications }: Catalog): string {
  const lists = {
    requests: [...requests].map(([method, row]) => ({
      method,
      summary: row.summary,
      stability: row.stability,
      params: row.params === null ? null : definitionName(row.params),
      paramsOptional: row.paramsOptional ?? false,
      result: definitionName(row.result),
    })),
    serverRequests: [...serverRequests].map(([method, row]) => ({
      method,
      summary: row.summary,
      stability: row.stability,
      params: definitionName(row.params),
      result: definitionName(row.result),
    })),
    notifications: [...notifications].map(([method, row]) => ({
      method,
      summary: row.summary,
      stability: row.stability,
      params: definitionName(row.params),
      audience: row.audience,
    })),
  };
  return `${JSON.stringify(lists, null, 1)}\n`;
}

interface Message {
  readonly method: string;
  readonly summary: string;
  readonly params: string | null;
  readonly paramsOptional: boolean;
}

/** One union of all messages per direction, for programs that generate types from JSON Schema. */
function messageUnions({ requests, serverRequests, notifications }: Catalog): Map<string, JsonSchema> {
  const messagesOf = (rows: Catalog["requests"] | Catalog["serverRequests"] | Catalog["notifications"]) =>
    [...rows].map(
      ([method, row]): Message => ({
        method,
        summary: row.summary,
        params: row.params === null ? null : definitionName(row.params),
        paramsOptional: "paramsOptional" in row,
      }),
    );
  return new Map([
    ["ClientRequest", union("A request of a client.", messagesOf(requests), true)],
    ["ServerRequest", union("A request of the server.", messagesOf(serverRequests), true)],
    ["ServerNotification", union("A notification of the server.", messagesOf(notifications), false)],
  ]);
}

function union(description: string, messages: readonly Message[], hasId: boolean): JsonSchema {
  return { description, oneOf: messages.map((message) => toSchema(message, hasId)) };
}

function toSchema({ method, summary, params, paramsOptional }: Message, hasId: boolean): JsonSchema {
  const required = [
    ...(hasId ? ["id"] : []),
    "method",
    ...(params === null || paramsOptional ? [] : ["params"]),
  ];
  return {
    title: method,
    description: summary,
    type: "object",
    properties: {
      ...(hasId ? { id: { $ref: "RequestId" } } : {}),
      method: { type: "string", enum: [method] },
      ...(params === null ? {} : { params: { $ref: params } }),
    },
    required,
  };
}
