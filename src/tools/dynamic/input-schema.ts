/** Normalizes the JSON Schema of a tool's input to what providers accept: known keywords and plain types. */
import { isObject } from "../../base/json-object.ts";

export type InputSchema =
  | { readonly kind: "schema"; readonly schema: SchemaObject }
  | { readonly kind: "wrong"; readonly message: string };

export type SchemaObject = Readonly<Record<string, unknown>>;

export function readInputSchema(given: unknown): InputSchema {
  const tidy = tidySchema(given);
  if (!isObject(tidy)) {
    return wrong(`invalid type: ${describe(tidy)}, expected struct JsonSchema`);
  }
  if (tidy["type"] === "null") return wrong("tool input schema must not be a singleton null type");
  return { kind: "schema", schema: withoutUnused(tidy) };
}

function wrong(message: string): InputSchema {
  return { kind: "wrong", message };
}

const TYPES: readonly unknown[] = ["string", "number", "boolean", "integer", "object", "array", "null"];
const COMPOSITIONS = ["anyOf", "oneOf", "allOf"] as const;
const DEFINITIONS = ["$defs", "definitions"] as const;

/** Clients may nest schemas to any depth. */
function tidySchema(given: unknown): unknown {
  if (typeof given === "boolean") return { type: "string" };
  if (Array.isArray(given)) return given.map(tidySchema);
  if (!isObject(given)) return given;
  const types = typesOf(given);
  const children = tidyChildren(given);
  if (types.length === 0) {
    return "$ref" in given || COMPOSITIONS.some((key) => key in given) ? children : {};
  }
  return {
    type: types.length === 1 ? types[0] : types,
    ...(types.includes("object") ? { properties: {} } : {}),
    ...(types.includes("array") ? { items: { type: "string" } } : {}),
    ...children,
  };
}

/** Normalizes the keywords beside the type; those that providers do not know are dropped. */
function tidyChildren(given: SchemaObject): SchemaObject {
  const tidy: Record<string, unknown> = {};
  for (const key of ["$ref", "description", "encrypted", "enum", "required"]) {
    if (given[key] !== undefined && given[key] !== null) tidy[key] = given[key];
  }
  if (given["const"] !== undefined) tidy["enum"] = [given["const"]];
  if (isObject(given["properties"])) tidy["properties"] = tidyTable(given["properties"]);
  if (given["items"] !== undefined) tidy["items"] = tidySchema(given["items"]);
  const others = given["additionalProperties"];
  if (others !== undefined)
    tidy["additionalProperties"] = typeof others === "boolean" ? others : tidySchema(others);
  for (const key of COMPOSITIONS) if (given[key] !== undefined) tidy[key] = tidySchema(given[key]);
  for (const key of DEFINITIONS) if (isObject(given[key])) tidy[key] = tidyTable(given[key]);
  return tidy;
}

function tidyTable(table: SchemaObject): SchemaObject {
  return Object.fromEntries(Object.entries(table).map(([name, schema]) => [name, tidySchema(schema)]));
}

/** The declared types, or the type that the other keywords imply. */
function typesOf(given: SchemaObject): readonly string[] {
  const { type } = given as { readonly type?: unknown };
  const named = (Array.isArray(type) ? type : [type]).filter((each): each is string => TYPES.includes(each));
  if (named.length > 0 || "$ref" in given || COMPOSITIONS.some((key) => key in given)) return named;
  const hints: readonly (readonly [string, readonly string[]])[] = [
    ["object", ["properties", "required", "additionalProperties"]],
    ["array", ["items", "prefixItems"]],
    ["string", ["enum", "const", "format"]],
    ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
  ];
  const hint = hints.find(([, keys]) => keys.some((key) => key in given));
  return hint === undefined ? [] : [hint[0]];
}

/** Unreferenced definitions only cost tokens. */
function withoutUnused(schema: SchemaObject): SchemaObject {
  const { $defs, definitions, ...rest } = schema;
  const tables = {
    $defs: isObject($defs) ? $defs : {},
    definitions: isObject(definitions) ? definitions : {},
  };
  const used = new Set<string>();
  const pending = refsIn(rest);
  for (let ref = pending.pop(); ref !== undefined; ref = pending.pop()) {
    const [, table, name] = /^#\/(\$defs|definitions)\/([^/]+)/.exec(ref) ?? [];
    if (table === undefined || name === undefined || used.has(`${table}/${name}`)) continue;
    used.add(`${table}/${name}`);
    pending.push(...refsIn(tables[table as keyof typeof tables][name]));
  }
  const kept = Object.entries(tables).flatMap(([table, entries]) => {
    const some = Object.entries(entries).filter(([name]) => used.has(`${table}/${name}`));
    return some.length === 0 ? [] : [[table, Object.fromEntries(some)] as const];
  });
  return { ...rest, ...Object.fromEntries(kept) };
}

function refsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isObject(value)) return [];
  const own = typeof value["$ref"] === "string" ? [value["$ref"]] : [];
  return [...own, ...Object.values(value).flatMap(refsIn)];
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "sequence";
  return typeof value === "number" ? `integer \`${value}\`` : `string ${JSON.stringify(value)}`;
}
