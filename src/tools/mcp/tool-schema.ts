/**
 * Normalizes the input schema of an MCP tool to what providers accept: the supported subset, inferred types,
 * no unreferenced definitions, within a size budget.
 */
import { isObject, type JsonObject } from "../../base/json-object.ts";

const TYPES = ["string", "number", "boolean", "integer", "object", "array", "null"];
const COMPOSITIONS = ["anyOf", "oneOf", "allOf"];
const TABLES = ["$defs", "definitions"];
const BOUNDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/** Null for a schema that no call can satisfy. */
export function toToolSchema(inputSchema: unknown, maxBytes: number): JsonObject | null {
  const given = isObject(inputSchema) ? inputSchema : {};
  const whole = { type: "object", ...given, properties: given["properties"] ?? {} };
  const schema = dropUnusedDefinitions(sanitize(whole));
  return schema["type"] === "null" ? null : shrinkSchema(schema, maxBytes);
}

function sanitize(schema: unknown): JsonObject {
  // `true` and `false` are schemas too; a model can always send a string.
  if (typeof schema === "boolean") return { type: "string" };
  if (!isObject(schema)) return {};
  const types = typesOf(schema["type"]);
  const composed = COMPOSITIONS.some((key) => schema[key] !== undefined);
  if (types.length === 0 && (typeof schema["$ref"] === "string" || composed)) return keepKnown(schema, []);
  const guessed = types.length === 0 ? guessType(schema) : types;
  return guessed.length === 0 ? {} : keepKnown(schema, guessed);
}

function typesOf(type: unknown): string[] {
  const listed: readonly unknown[] = Array.isArray(type) ? type : [type];
  return listed.filter((each): each is string => typeof each === "string" && TYPES.includes(each));
}

function guessType(schema: JsonObject): string[] {
  const has = (...keys: readonly string[]) => keys.some((key) => schema[key] !== undefined);
  if (has("properties", "required", "additionalProperties")) return ["object"];
  if (has("items", "prefixItems")) return ["array"];
  if (has("enum", "const", "format")) return ["string"];
  return has(...BOUNDS) ? ["number"] : [];
}

function keepKnown(schema: JsonObject, types: readonly string[]): JsonObject {
  const { $ref: reference, description, required, items, additionalProperties: additional } = schema;
  const choices = choicesOf(schema);
  const properties = isObject(schema["properties"]) ? schema["properties"] : null;
  return {
    ...(typeof reference === "string" && { $ref: reference }),
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(typeof description === "string" && { description }),
    ...(choices !== null && { enum: choices }),
    ...((items !== undefined || types.includes("array")) && { items: sanitizeItems(items) }),
    ...((properties !== null || types.includes("object")) && { properties: sanitizeTable(properties ?? {}) }),
    ...(Array.isArray(required) && { required: required.filter((name) => typeof name === "string") }),
    ...(additional !== undefined && {
      additionalProperties: typeof additional === "boolean" ? additional : sanitize(additional),
    }),
    ...Object.fromEntries(COMPOSITIONS.flatMap((key) => sanitizeList(key, schema[key]))),
    ...Object.fromEntries(TABLES.flatMap((key) => sanitizeDefinitions(key, schema[key]))),
  };
}

function choicesOf({ const: only, enum: several }: JsonObject): unknown[] | null {
  if (only !== undefined) return [only];
  return Array.isArray(several) ? several : null;
}

function sanitizeDefinitions(key: string, table: unknown): [string, JsonObject][] {
  return isObject(table) ? [[key, sanitizeTable(table)]] : [];
}

/** An array schema without usable items defaults to strings. */
function sanitizeItems(items: unknown): JsonObject {
  return items === undefined || Array.isArray(items) ? { type: "string" } : sanitize(items);
}

/** Sorted, so that the request bytes are stable and the provider's prompt cache stays valid. */
function sanitizeTable(table: JsonObject): JsonObject {
  const names = Object.keys(table).sort();
  return Object.fromEntries(names.map((name) => [name, sanitize(table[name])]));
}

function sanitizeList(key: string, list: unknown): [string, JsonObject[]][] {
  return Array.isArray(list) ? [[key, list.map(sanitize)]] : [];
}

function dropUnusedDefinitions(schema: JsonObject): JsonObject {
  const { $defs: defs, definitions, ...rest } = schema;
  const tables: JsonObject = { $defs: defs, definitions };
  const used = new Set<string>();
  const pending = referencesIn(rest);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (used.has(next)) continue;
    used.add(next);
    const [table = "", name = ""] = next.split("/");
    const definition = isObject(tables[table]) ? tables[table][name] : undefined;
    pending.push(...referencesIn(definition));
  }
  return { ...rest, ...keepUsed("$defs", defs, used), ...keepUsed("definitions", definitions, used) };
}

function keepUsed(table: string, definitions: unknown, used: ReadonlySet<string>): JsonObject {
  if (!isObject(definitions)) return {};
  const kept = Object.entries(definitions).filter(([name]) => used.has(`${table}/${name}`));
  return kept.length === 0 ? {} : { [table]: Object.fromEntries(kept) };
}

/** `#/$defs/User/properties/name` references all of `$defs/User`. */
const LOCAL_REFERENCE = /^#\/(\$defs|definitions)\/([^/]+)/;

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  const { $ref: reference } = value;
  const match = typeof reference === "string" ? LOCAL_REFERENCE.exec(reference) : null;
  const own = match === null ? [] : [`${match[1]}/${match[2]}`];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

const MAX_DEPTH = 3;
const COMPLEX = ["items", ...COMPOSITIONS, "properties", "additionalProperties", "$ref"];

const STEPS: readonly ((schema: JsonObject) => JsonObject)[] = [
  dropDescriptions,
  dropDefinitions,
  (schema) => collapseDeep(schema, 0),
  dropCompositions,
];

function shrinkSchema(schema: JsonObject, maxBytes: number): JsonObject {
  return STEPS.reduce(
    (each, step) => (Buffer.byteLength(JSON.stringify(each)) <= maxBytes ? each : step(each)),
    schema,
  );
}

/** The same schema with each direct subschema replaced. */
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
