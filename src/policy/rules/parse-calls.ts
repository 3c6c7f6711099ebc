/**
 * Reads the statements of a rules file: calls with values, and names for values. Loops, conditions and functions of
 * Starlark are not part of it.
 */
import { type RuleValue, readValue, type ValueNames } from "./rule-value.ts";
import { RulesError, type Span } from "./rules-fault.ts";
import { openCursor, type TokenCursor, unexpected } from "./token-cursor.ts";

export interface RuleCall {
  readonly name: string;
  readonly span: Span;
  readonly positional: readonly RuleValue[];
  readonly named: ReadonlyMap<string, RuleValue>;
}

const CONSTANTS: Readonly<Record<string, RuleValue>> = { None: null, True: true, False: false };
const STATEMENTS = new Set("for if else elif def load return lambda while import pass".split(" "));

/** Hands over each call as it is read, so that what comes before a fault is not lost. */
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
  // A text alone is a note.
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
