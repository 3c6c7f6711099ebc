// Everything that is derived from the rows, as files and their text.

import { resources } from "../rows/resources.ts";
import { type Catalog, createCatalog, isSchema, type JsonSchema, nameOf } from "./catalog.ts";
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
import { messageUnions } from "./unions.ts";

const banner = "// Generated from src/protocol/rows by `npm run generate`. Do not edit.\n\n";

/** Paths are relative to the root of the project. */
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

/** One JSON Schema document with every definition. */
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
    // Whatever stands beside a reference does not count in this draft.
    return Object.keys(notes).length === 0 ? { $ref } : { ...notes, allOf: [{ $ref }] };
  }) as JsonSchema;
}

/** What there is to know about each method besides the shape of its messages. */
function writeMethods({ requests, serverRequests, notifications }: Catalog): string {
  const lists = {
    requests: [...requests].map(([method, row]) => ({
      method,
      summary: row.summary,
      stability: row.stability,
      params: row.params === null ? null : nameOf(row.params),
      paramsOptional: row.paramsOptional ?? false,
      result: nameOf(row.result),
    })),
    serverRequests: [...serverRequests].map(([method, row]) => ({
      method,
      summary: row.summary,
      stability: row.stability,
      params: nameOf(row.params),
      result: nameOf(row.result),
    })),
    notifications: [...notifications].map(([method, row]) => ({
      method,
      summary: row.summary,
      stability: row.stability,
      params: nameOf(row.params),
      audience: row.audience,
    })),
  };
  return `${JSON.stringify(lists, null, 1)}\n`;
}
