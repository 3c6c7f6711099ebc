/** Makes a schema fit a budget by leaving out what a model can best do without, step by step. */

const MAX_DEPTH = 3;
const TABLES = ["$defs", "definitions"];
const COMPOSITIONS = ["anyOf", "oneOf", "allOf"];
const COMPLEX = ["items", ...COMPOSITIONS, "properties", "additionalProperties", "$ref"];

const STEPS: readonly ((schema: JsonObject) => JsonObject)[] = [
  dropDescriptions,
  dropDefinitions,
  (schema) => collapseDeep(schema, 0),
  dropCompositions,
];

export function shrinkSchema(schema: JsonObject, maxBytes: number): JsonObject {
  return STEPS.reduce(
    (each, step) => (Buffer.byteLength(JSON.stringify(each)) <= maxBytes ? each : step(each)),
    schema,
  );
}

/** The same schema with every schema directly in it replaced. */
function mapChildren(schema: JsonObject, change: (child: JsonObject) => JsonObject): JsonObject {
  const changeTable = (table: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(table).map(([name, child]) => [name, changeAny(child)]));
  const changeAny = (child: unknown): unknown => (isObject(child) ? change(child) : child);
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if ((key === "properties" || TABLES.includes(key)) && isObject(value)) return [key, changeTable(value)];
      if (Array.isArray(value) && COMPOSITIONS.includes(key)) return [key, value.map(changeAny)];
      if (key === "items" || key === "additionalProperties") return [key, changeAny(value)];
      return [key, value];
    }),
  );
}

function dropDescriptions(schema: JsonObject): JsonObject {
  const { description: _, ...rest } = schema;
  return mapChildren(rest, dropDescriptions);
}

function dropDefinitions(schema: JsonObject): JsonObject {
  if (typeof schema["$ref"] === "string") return {};
  const { $defs: _, definitions: __, ...rest } = schema;
  return mapChildren(rest, dropDefinitions);
}

function collapseDeep(schema: JsonObject, depth: number): JsonObject {
  if (depth >= MAX_DEPTH && COMPLEX.some((key) => key in schema)) return {};
  return mapChildren(schema, (child) => collapseDeep(child, depth + 1));
}

function dropCompositions(schema: JsonObject): JsonObject {
  if (COMPOSITIONS.some((key) => key in schema)) return {};
  return mapChildren(schema, dropCompositions);
}

import { isObject, type JsonObject } from "../../base/json-object.ts";
