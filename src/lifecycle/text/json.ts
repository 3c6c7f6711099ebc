import { toWellFormed } from "./text.ts";

/** The depth limit of untrusted values, because writing JSON recurses. */
export const DEEPEST_JSON = 64;

/** The limit of nested values in an untrusted value. */
export const MOST_JSON_VALUES = 1_000_000;

/** Whether a value is valid JSON within the depth and size limits. Reads own members only, and terminates on cycles. */
export function isJson(value: unknown, deepest = DEEPEST_JSON): boolean {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  let seen = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    seen += 1;
    if (seen > MOST_JSON_VALUES || next.depth > deepest) return false;
    if (isScalar(next.value)) continue;
    if (!Array.isArray(next.value) && !isPlainObject(next.value)) return false;
    const depth = next.depth + 1;
    const members: readonly unknown[] = Array.isArray(next.value) ? next.value : Object.values(next.value);
    if (members.length > MOST_JSON_VALUES) return false;
    for (const member of members) open.push({ value: member, depth });
  }
  return true;
}

function isScalar(value: unknown): boolean {
  return (
    value === null ||
    typeof value === "string" ||
    typeof value === "boolean" ||
    (typeof value === "number" && Number.isFinite(value))
  );
}

/** An object without a class, as JSON has them, whatever its members are named. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Reads an own member, ignoring the prototype. */
export function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/**
 * Writes JSON with sorted keys, so that equal values have equal texts. For values that pass `isJson`. Lone surrogates
 * are replaced, because strict parsers reject a document with their escapes.
 */
export function sortedJson(value: unknown, indent = 0): string {
  return write(value, indent, "\n");
}

function write(value: unknown, indent: number, line: string): string {
  const inner = `${line}${" ".repeat(indent)}`;
  const join = (open: string, parts: readonly string[], close: string): string => {
    if (parts.length === 0) return `${open}${close}`;
    return indent === 0
      ? `${open}${parts.join(",")}${close}`
      : `${open}${inner}${parts.join(`,${inner}`)}${line}${close}`;
  };
  if (Array.isArray(value))
    return join(
      "[",
      value.map((member) => write(member, indent, inner)),
      "]",
    );
  if (typeof value === "string") return JSON.stringify(toWellFormed(value));
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const colon = indent === 0 ? ":" : ": ";
  const members = Object.keys(value)
    .sort()
    .filter((key) => ownMember(value, key) !== undefined)
    .map(
      (key) => `${JSON.stringify(toWellFormed(key))}${colon}${write(ownMember(value, key), indent, inner)}`,
    );
  return join("{", members, "}");
}
