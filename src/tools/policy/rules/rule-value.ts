/** Values in a rules file: texts, numbers, lists, names of earlier values, and sums. */
import { RulesError, type Span } from "./rules-fault.ts";
import { type TokenCursor, unexpected } from "./token-cursor.ts";

export type RuleValue = string | number | boolean | null | readonly RuleValue[];
export type ValueNames = ReadonlyMap<string, RuleValue>;

const MAX_DEPTH = 32;

export function readValue(cursor: TokenCursor, names: ValueNames, depth = 0): RuleValue {
  let value = readSingle(cursor, names, depth);
  while (cursor.isMark("+")) {
    const { span } = cursor.next();
    value = add(value, readSingle(cursor, names, depth), span);
  }
  return value;
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

function add(left: RuleValue, right: RuleValue, span: Span): RuleValue {
  if (typeof left === "string" && typeof right === "string") return left + right;
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  throw new RulesError("only two texts or two lists can be added", span);
}
