// Validation of what clients send. A definition is read and compiled when it is first needed.

import { createCompiler } from "./compile.ts";
import type { Check } from "./compile-members.ts";
import { compileUse, type Use } from "./experimental-use.ts";
import type { Schema } from "./schema.ts";

export type Verdict =
  | {
      readonly ok: true;
      /** The first experimental member that the value uses, as a refusal names it. */
      readonly experimental: string | null;
    }
  | { readonly ok: false; readonly message: string };

export interface Checker {
  check(definition: string, value: unknown): Verdict;
}

/** How deep definitions may be nested in a value; only those that contain themselves can get there. */
const maxDepth = 128;

const plain: Verdict = { ok: true, experimental: null };

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
      // A definition inside itself adds no member that the outer one does not have.
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
