/** Takes the values of a rule's call by name or place, and says in words what does not fit. */
import type { RuleCall } from "./parse-calls.ts";
import type { RuleValue } from "./rule-value.ts";
import { RulesError } from "./rules-fault.ts";

export interface CallArguments {
  text(name: string): string;
  optionalText(name: string): string | null;
  list(name: string): readonly RuleValue[];
  optionalList(name: string): readonly RuleValue[];
}

export function readArguments(call: RuleCall, parameters: readonly string[]): CallArguments {
  const values = new Map<string, RuleValue>();
  call.positional.forEach((value, index) => {
    const name = parameters[index];
    if (name === undefined) throw fail(`${call.name} takes at most ${parameters.length} values`);
    values.set(name, value);
  });
  for (const [name, value] of call.named) {
    if (!parameters.includes(name)) throw fail(`${call.name} has no parameter \`${name}\``);
    if (values.has(name)) throw fail(`\`${name}\` is given twice`);
    values.set(name, value);
  }
  return {
    text: (name) => asText(name, given(name)),
    optionalText: (name) => (values.has(name) ? asText(name, given(name)) : null),
    list: (name) => asList(name, given(name)),
    optionalList: (name) => (values.has(name) ? asList(name, given(name)) : []),
  };

  function given(name: string): RuleValue {
    const value = values.get(name);
    if (value === undefined) throw fail(`${call.name} needs \`${name}\``);
    return value;
  }

  function asText(name: string, value: RuleValue): string {
    if (typeof value === "string") return value;
    throw fail(`\`${name}\` must be a text (got ${kindOf(value)})`);
  }

  function asList(name: string, value: RuleValue): readonly RuleValue[] {
    if (isList(value)) return value;
    throw fail(`\`${name}\` must be a list (got ${kindOf(value)})`);
  }

  function fail(message: string): RulesError {
    return new RulesError(message, call.span);
  }
}

export function isList(value: RuleValue): value is readonly RuleValue[] {
  return Array.isArray(value);
}

/** The name that Starlark has for the kind of a value. */
export function kindOf(value: RuleValue): string {
  if (value === null) return "NoneType";
  if (isList(value)) return "list";
  return { string: "string", number: "int", boolean: "bool" }[
    typeof value as "string" | "number" | "boolean"
  ];
}
