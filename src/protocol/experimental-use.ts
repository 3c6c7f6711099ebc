// Finds the experimental members and variants that a value uses.

import { isNullSchema, type Schema } from "./schema.ts";

/** The first experimental member in the order of declaration, as a refusal names it. */
export type Use = (value: unknown) => string | null;

/** Null where nothing in the schema is experimental; the value must have passed its check. */
export function compileUse(schema: Schema, useOf: (definition: string) => Use | null): Use | null {
  const reason = schema["x-experimental"];
  if (reason !== undefined) return (value) => (isUsed(schema, value) ? reason : null);
  if (schema.$ref !== undefined) return useOf(schema.$ref);
  if (schema.items !== undefined) return eachItem(compileUse(schema.items, useOf));
  const members = compileMemberUses(schema, useOf);
  const alternatives = (schema.anyOf ?? []).flatMap((one) => {
    const use = isNullSchema(one) ? null : compileUse(one, useOf);
    return use === null ? [] : [matching(one, use)];
  });
  const all = [...members, ...alternatives];
  return all.length === 0 ? null : (value) => first(all, value);
}

/** A switch is used when it is on, a list when something is in it; anything else when it is there. */
function isUsed(schema: Schema, value: unknown): boolean {
  if (value === null || value === undefined) return false;
  if (schema.type === "boolean") return value === true;
  if (schema.type === "array") return (value as unknown[]).length > 0;
  return true;
}

function compileMemberUses(schema: Schema, useOf: (definition: string) => Use | null): Use[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const use = compileUse(member, useOf);
    if (use === null) return [];
    return [(value) => (isObject(value) && Object.hasOwn(value, key) ? use(value[key]) : null)];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Alternatives with a tag only speak about values that have it. */
function matching(schema: Schema, use: Use): Use {
  const tags = Object.entries(schema.properties ?? {}).filter(([, one]) => one.const !== undefined);
  if (tags.length === 0) return use;
  return (value) =>
    isObject(value) && tags.every(([key, one]) => value[key] === one.const) ? use(value) : null;
}

const eachItem = (use: Use | null): Use | null =>
  use === null ? null : (value) => (Array.isArray(value) ? firstOf(value, use) : null);

function firstOf(values: readonly unknown[], use: Use): string | null {
  for (const value of values) {
    const reason = use(value);
    if (reason !== null) return reason;
  }
  return null;
}

function first(uses: readonly Use[], value: unknown): string | null {
  for (const use of uses) {
    const reason = use(value);
    if (reason !== null) return reason;
  }
  return null;
}
