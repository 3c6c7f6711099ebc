// Validates messages of clients, and finds the experimental members that they use. A definition is parsed and compiled
// on first use.

import { createCompiler } from "./compile.ts";
import { type Check, isNullSchema, type Schema } from "./schema.ts";

export type CheckResult =
  | {
      readonly ok: true;
      /** The first experimental member that the value uses, as an error message names it. */
      readonly experimental: string | null;
    }
  | { readonly ok: false; readonly message: string };

export interface Checker {
  check(definition: string, value: unknown): CheckResult;
}

/** The maximum nesting of definitions in a value; only recursive definitions can reach it. */
const maxDepth = 128;

const plain: CheckResult = { ok: true, experimental: null };

export function createChecker(definitions: Readonly<Record<string, string>>): Checker {
  const schemas = new Map<string, Schema>();
  const checks = new Map<string, Check>();
  const uses = new Map<string, Use | null>();
  let depth = 0;

  function schemaOf(name: string): Schema {
    let schema = schemas.get(name);
    if (schema === undefined) {
      const text = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
      if (text === undefined) throw new Error(`there is no definition ${name}`);
      schema = JSON.parse(text) as Schema;
      schemas.set(name, schema);
    }
    return schema;
  }

  const compiler = createCompiler((name) => (value) => {
    if (depth === maxDepth) return "recursion limit exceeded";
    depth += 1;
    const problem = checkOf(name)(value);
    depth -= 1;
    return problem;
  });

  function checkOf(name: string): Check {
    let check = checks.get(name);
    if (check === undefined) {
      check = compiler.compile(schemaOf(name), name);
      checks.set(name, check);
    }
    return check;
  }

  function useOf(name: string): Use | null {
    let use = uses.get(name);
    if (use === undefined) {
      // A recursive use of the definition has no members beyond those of the outer one.
      uses.set(name, null);
      use = compileUse(schemaOf(name), useOf);
      uses.set(name, use);
    }
    return use;
  }

  return {
    check(name, value) {
      const message = checkOf(name)(value);
      if (message !== null) return { ok: false, message };
      const use = useOf(name);
      return use === null ? plain : { ok: true, experimental: use(value) };
    },
  };
}

/** Returns the first experimental member in declaration order, as an error message names it. */
export type Use = (value: unknown) => string | null;

/** Null if the schema has no experimental member. The value must have passed validation. */
function compileUse(schema: Schema, useOf: (definition: string) => Use | null): Use | null {
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

/** A boolean counts as used if it is true, a list if it is not empty, any other value if it is present. */
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

/** An alternative with a tag applies only to values with that tag. */
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
