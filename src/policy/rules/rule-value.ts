/** Values in a rules file: texts, numbers, lists, names of earlier values, and sums. */
import { RulesError } from "./rules-fault.ts";
import { type TokenCursor, unexpected } from "./token-cursor.ts";

export type RuleValue = string | number | boolean | null | readonly RuleValue[];
export type ValueNames = ReadonlyMap<string, RuleValue>;

const MAX_DEPTH = 32;
/** Characters of a text, or members of a list: names let a short file ask for a sum of any size. */
const MAX_SUM = 65_536;

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
    if (size > MAX_SUM) throw new RulesError(`a sum is larger than ${MAX_SUM}`, span);
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
