// Compiles checks of object members.

import { expectedOneOf } from "./compile-scalar.ts";
import { type Compiler, nonNull, type Schema } from "./schema.ts";

export type MembersCheck = (value: Readonly<Record<string, unknown>>) => string | null;

/** Checks the members of a value that is known to be an object. */
export function compileMembers(schema: Schema, name: string, compiler: Compiler): MembersCheck {
  const { properties = {}, required = [], additionalProperties, anyOf: groups = [] } = schema;
  const checks = new Map(Object.entries(properties).map(([key, one]) => [key, compiler.compile(one, name)]));
  const others = additionalProperties ? compiler.compile(additionalProperties, name) : undefined;
  const closed = additionalProperties === false ? `, expected ${expectedOneOf([...checks.keys()])}` : null;
  const missing = compileMissing(required, groups);
  return (value) => {
    for (const key of Object.keys(value)) {
      const check = checks.get(key) ?? others;
      if (check === undefined) {
        if (closed !== null) return `unknown field \`${key}\`${closed}`;
        continue;
      }
      const problem = check(value[key]);
      if (problem !== null) return problem;
    }
    return missing(value);
  };
}

function compileMissing(required: readonly string[], groups: readonly Schema[]): MembersCheck {
  const lists = groups.map((group) => group.required ?? []);
  const firstMissing = (value: object, keys: readonly string[]): string | null => {
    for (const key of keys) if (!Object.hasOwn(value, key)) return `missing field \`${key}\``;
    return null;
  };
  return (value) => {
    let problem = firstMissing(value, required);
    if (problem !== null || lists.length === 0) return problem;
    for (const keys of lists) {
      problem = firstMissing(value, keys);
      if (problem === null) return null;
    }
    return problem;
  };
}

export type PositionsCheck = (value: readonly unknown[]) => string;

/**
 * The peer reads an array as the members of a struct in order. No client relies on it: the errors are the peer's, but
 * an array that the peer would accept is rejected as well.
 */
export function compilePositions(schema: Schema, label: string, compiler: Compiler): PositionsCheck {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {})
    .filter(([, field]) => field["x-heddle"] !== true)
    .map(([key, field]) => ({
      check: compiler.compile(field, label),
      mustCome: required.has(key) || nonNull(field) !== null,
    }));
  const count = `${fields.length} element${fields.length === 1 ? "" : "s"}`;
  return (value) => {
    for (const [index, { check, mustCome }] of fields.entries()) {
      if (index < value.length) {
        const problem = check(value[index]);
        if (problem !== null) return problem;
      } else if (mustCome) return `invalid length ${index}, expected ${label} with ${count}`;
    }
    return `invalid type: sequence, expected ${label}`;
  };
}
