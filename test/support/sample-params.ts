/** Params of requests that their rows accept, for tests that call every method. */
import { definitions } from "../../src/protocol/generated/table.ts";
import type { Schema } from "../../src/protocol/schema.ts";

/** Optional members are given where their name has a value here, and required ones always. */
export type Values = Readonly<Record<string, unknown>>;

export function sampleParams(name: string, values: Values): unknown {
  return sample(definition(name), "", values, 0);
}

/** The names of all members, with the depth of each below the params. */
export function membersOf(name: string): readonly { readonly name: string; readonly depth: number }[] {
  const found = new Map<string, number>();
  const seen = new Set<string>();
  function visit(schema: Schema, depth: number): void {
    if (schema.$ref !== undefined) {
      if (seen.has(schema.$ref)) return;
      seen.add(schema.$ref);
      return visit(definition(schema.$ref), depth);
    }
    for (const [member, each] of Object.entries(schema.properties ?? {})) {
      found.set(member, Math.min(depth, found.get(member) ?? depth));
      visit(each, depth + 1);
    }
    for (const each of schema.anyOf ?? []) visit(each, depth);
    if (schema.items !== undefined) visit(schema.items, depth + 1);
  }
  visit(definition(name), 0);
  return [...found].map(([member, depth]) => ({ name: member, depth }));
}

function definition(name: string): Schema {
  const text = definitions[name];
  if (text === undefined) throw new Error(`there is no definition ${name}`);
  return JSON.parse(text) as Schema;
}

const MAX_DEPTH = 8;

function sample(schema: Schema, member: string, values: Values, depth: number): unknown {
  if (depth > MAX_DEPTH) return null;
  if (schema.$ref !== undefined) return sample(definition(schema.$ref), member, values, depth + 1);
  if (Object.hasOwn(values, member)) return values[member];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === "object" || schema.properties !== undefined) return sampleObject(schema, values, depth);
  if (schema.anyOf !== undefined) {
    const [first = {}] = schema.anyOf.filter(({ type }) => type !== "null");
    return sample(first, member, values, depth + 1);
  }
  if (schema.type === "array") return [];
  if (schema.type === "string") return "x";
  if (schema.type === "boolean") return false;
  return schema.type === "integer" || schema.type === "number" ? 1 : {};
}

function sampleObject(schema: Schema, values: Values, depth: number): Record<string, unknown> {
  const groups = (schema.anyOf ?? []).filter(({ required, properties }) => required && !properties);
  const required = new Set([...(schema.required ?? []), ...(groups[0]?.required ?? [])]);
  const given = Object.entries(schema.properties ?? {}).filter(
    ([name]) => required.has(name) || Object.hasOwn(values, name),
  );
  return Object.fromEntries(given.map(([name, each]) => [name, sample(each, name, values, depth + 1)]));
}
