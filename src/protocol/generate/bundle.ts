// Writes the definitions and the list of methods as JSON, for tools of any language.

import { type Catalog, type JsonSchema, nameOf } from "./catalog.ts";

/** One JSON Schema document with every definition. */
export function writeSchemas({ definitions }: Catalog): string {
  const document = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Heddle app-server protocol",
    definitions: Object.fromEntries([...definitions].map(([name, schema]) => [name, withPointers(schema)])),
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

function withPointers(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === "$ref" && typeof value === "string" ? `#/definitions/${value}` : value,
  ) as JsonSchema;
}

/** What there is to know about each method besides the shape of its messages. */
export function writeMethods({ requests, serverRequests, notifications }: Catalog): string {
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
