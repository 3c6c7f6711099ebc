// Reduces the catalog to what a client without the experimental capability sees.

import { type Catalog, definitionName, isSchema, type JsonSchema } from "./catalog.ts";

export function stableCatalog(catalog: Catalog): Catalog {
  const requests = stableRows(catalog.requests);
  const serverRequests = stableRows(catalog.serverRequests);
  const notifications = stableRows(catalog.notifications);
  const stripped = new Map([...catalog.definitions].map(([name, schema]) => [name, strip(schema)]));
  const reachable = new Set<string>();
  for (const { params, result } of [...requests.values(), ...serverRequests.values()]) {
    if (params !== null) reach(definitionName(params), stripped, reachable);
    reach(definitionName(result), stripped, reachable);
  }
  for (const { params } of notifications.values()) reach(definitionName(params), stripped, reachable);
  return {
    requests,
    serverRequests,
    notifications,
    definitions: new Map([...stripped].filter(([name]) => reachable.has(name))),
    inbound: new Set([...catalog.inbound].filter((name) => reachable.has(name))),
  };
}

const stableRows = <Row extends { readonly stability: string }>(
  rows: ReadonlyMap<string, Row>,
): Map<string, Row> => new Map([...rows].filter(([, row]) => row.stability === "stable"));

const isExperimental = (schema: JsonSchema): boolean => "x-experimental" in schema;

function strip(source: JsonSchema): JsonSchema {
  const schema = { ...source };
  const { properties, required, items, additionalProperties, anyOf } = source;
  const dropped = new Set<string>();
  if (isSchema(properties)) {
    const members = Object.entries(properties as Record<string, JsonSchema>);
    for (const [key, member] of members) if (isExperimental(member)) dropped.add(key);
    schema["properties"] = Object.fromEntries(
      members.filter(([key]) => !dropped.has(key)).map(([key, member]) => [key, strip(member)]),
    );
  }
  if (Array.isArray(required)) schema["required"] = required.filter((key) => !dropped.has(key as string));
  if (isSchema(items)) schema["items"] = strip(items);
  if (isSchema(additionalProperties)) schema["additionalProperties"] = strip(additionalProperties);
  if (!Array.isArray(anyOf)) return schema;
  const left = stripAlternatives(source, anyOf);
  const [only, ...others] = left["anyOf"] as JsonSchema[];
  if (others.length > 0 || only?.["enum"] === undefined || "x-variants" in source)
    return Object.assign(schema, left);
  // Words of which only stable ones are left read as if there had never been others.
  delete schema["anyOf"];
  return { ...schema, ...only };
}

/** An alternative is dropped if it is experimental, or if it contains only an experimental variant. */
function stripAlternatives(source: JsonSchema, anyOf: JsonSchema[]): JsonSchema {
  const carried = (one: JsonSchema) =>
    Object.entries((one["properties"] ?? {}) as Record<string, JsonSchema>);
  const isDropped = (one: JsonSchema) =>
    isExperimental(one) ||
    (one["additionalProperties"] === false && carried(one).some(([, content]) => isExperimental(content)));
  const words = source["x-variants"];
  const gone = new Set(anyOf.filter(isDropped).flatMap((one) => carried(one).map(([name]) => name)));
  return {
    anyOf: anyOf.filter((one) => !isDropped(one)).map(strip),
    ...(Array.isArray(words) ? { "x-variants": words.filter((word) => !gone.has(word as string)) } : {}),
  };
}

function reach(name: string, definitions: ReadonlyMap<string, JsonSchema>, found: Set<string>): void {
  if (found.has(name)) return;
  found.add(name);
  for (const other of references(definitions.get(name))) reach(other, definitions, found);
}

function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (!isSchema(value)) return [];
  const own = typeof value["$ref"] === "string" ? [value["$ref"]] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}
