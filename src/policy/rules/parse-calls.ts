/**
 * Parses the statements of a rules file: calls and assignments. Loops, conditions and functions of Starlark are not
 * supported.
 */
import { RulesError, type SourceSpan } from "./rules-fault.ts";
import { openCursor, type TokenCursor, unexpected } from "./rules-tokens.ts";

export interface RuleCall {
  readonly name: string;
  readonly span: SourceSpan;
  readonly positional: readonly RuleValue[];
  readonly named: ReadonlyMap<string, RuleValue>;
}

const CONSTANTS: Readonly<Record<string, RuleValue>> = { None: null, True: true, False: false };
const STATEMENTS = new Set("for if else elif def load return lambda while import pass".split(" "));

/** Calls `take` for each statement as it is parsed, so that rules before an error are not lost. */
export function parseCalls(source: string, take: (call: RuleCall) => void): void {
  const cursor = openCursor(source);
  const names = new Map<string, RuleValue>(Object.entries(CONSTANTS));
  while (cursor.peek().kind !== "end") {
    if (cursor.peek().kind === "newline") cursor.next();
    else readStatement(cursor, names, take);
  }
}

function readStatement(
  cursor: TokenCursor,
  names: Map<string, RuleValue>,
  take: (call: RuleCall) => void,
): void {
  const token = cursor.next();
  const { kind, text, span } = token;
  if (token.indented) throw new RulesError("a rule must begin at the start of its line", span);
  // A string alone is a comment.
  if (kind !== "name" && kind !== "text") throw unexpected(token, "a rule");
  if (kind === "name") {
    if (STATEMENTS.has(text)) throw new RulesError(`\`${text}\` is not supported in rules`, span);
    if (cursor.skip("=")) names.set(text, readValue(cursor, names));
    else {
      const { end, ...given } = readArguments(cursor, names);
      take({ name: text, span: { from: span.from, to: end }, ...given });
    }
  }
  if (cursor.skip(";")) return;
  const after = cursor.next();
  if (after.kind !== "newline" && after.kind !== "end") throw unexpected(after, "the end of the line");
}

function readArguments(cursor: TokenCursor, names: ValueNames) {
  const positional: RuleValue[] = [];
  const named = new Map<string, RuleValue>();
  cursor.expect("(");
  while (!cursor.isMark(")")) {
    const { kind, text, span } = cursor.peek();
    if (kind === "name" && cursor.isMark("=", 1)) {
      cursor.next();
      cursor.next();
      if (named.has(text)) throw new RulesError(`\`${text}\` is given twice`, span);
      named.set(text, readValue(cursor, names));
    } else if (named.size > 0) {
      throw new RulesError("a value without a name follows one with a name", span);
    } else positional.push(readValue(cursor, names));
    if (!cursor.isMark(")")) cursor.expect(",");
  }
  return { positional, named, end: cursor.next().span.to };
}

/** Strings, numbers, lists, names of earlier values, and sums. */
export type RuleValue = string | number | boolean | null | readonly RuleValue[];
export type ValueNames = ReadonlyMap<string, RuleValue>;

const MAX_DEPTH = 32;
/** Characters of a string, or members of a list: names allow a short file to build a sum of any size. */
const MAX_SUM_SIZE = 65_536;

export function readValue(cursor: TokenCursor, names: ValueNames, depth = 0): RuleValue {
  const first = readSingle(cursor, names, depth);
  if (!cursor.isMark("+")) return first;
  const parts = [first];
  let size = sizeOf(first);
  while (cursor.isMark("+")) {
    const { span } = cursor.next();
    const part = readSingle(cursor, names, depth);
    if (!isAddable(first, part)) throw new RulesError("only two texts or two lists can be added", span);
    size += sizeOf(part);
    if (size > MAX_SUM_SIZE) throw new RulesError(`a sum is larger than ${MAX_SUM_SIZE}`, span);
    parts.push(part);
  }
  return typeof first === "string" ? parts.join("") : parts.flat(1);
}

function sizeOf(value: RuleValue): number {
  return typeof value === "string" || Array.isArray(value) ? value.length : 0;
}

function isAddable(one: RuleValue, other: RuleValue): boolean {
  return typeof one === "string" ? typeof other === "string" : Array.isArray(one) && Array.isArray(other);
}

function readSingle(cursor: TokenCursor, names: ValueNames, depth: number): RuleValue {
  const token = cursor.next();
  const { kind, text, span } = token;
  if (depth > MAX_DEPTH) throw new RulesError("values are nested too deeply", span);
  if (kind === "text") return text;
  if (kind === "number") return Number(text);
  if (kind === "name") {
    const value = names.get(text);
    if (value === undefined) throw new RulesError(`\`${text}\` has no value`, span);
    return value;
  }
  if (text === "[") return readList(cursor, names, depth + 1);
  if (text !== "(") throw unexpected(token, "a value");
  const value = readValue(cursor, names, depth + 1);
  cursor.expect(")");
  return value;
}

function readList(cursor: TokenCursor, names: ValueNames, depth: number): RuleValue[] {
  const values: RuleValue[] = [];
  while (!cursor.skip("]")) {
    values.push(readValue(cursor, names, depth));
    if (!cursor.isMark("]")) cursor.expect(",");
  }
  return values;
}

/** The arguments of a call by parameter name; throws a RulesError for a value of another type. */
export interface CallArguments {
  text(name: string): string;
  optionalText(name: string): string | null;
  list(name: string): readonly RuleValue[];
  optionalList(name: string): readonly RuleValue[];
}

export function bindArguments(call: RuleCall, parameters: readonly string[]): CallArguments {
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
    throw fail(`\`${name}\` must be a text (got ${starlarkTypeOf(value)})`);
  }

  function asList(name: string, value: RuleValue): readonly RuleValue[] {
    if (isList(value)) return value;
    throw fail(`\`${name}\` must be a list (got ${starlarkTypeOf(value)})`);
  }

  function fail(message: string): RulesError {
    return new RulesError(message, call.span);
  }
}

export function isList(value: RuleValue): value is readonly RuleValue[] {
  return Array.isArray(value);
}

/** The Starlark type name of a value. */
export function starlarkTypeOf(value: RuleValue): string {
  if (value === null) return "NoneType";
  if (isList(value)) return "list";
  return { string: "string", number: "int", boolean: "bool" }[
    typeof value as "string" | "number" | "boolean"
  ];
}
