/**
 * Partial comparison of wire values. A pattern is a value; an object matches when each of its members does, an array
 * when it has the same length and each element does. Four objects with a `$` member say more: `$regex`, `$includes`
 * (an array that holds a match for each), `$excludes` (an array that holds none) and `$absent`.
 */
import { isObject } from "./json.ts";

export type Pattern = unknown;

export function matches(actual: unknown, pattern: Pattern): boolean {
  if (Array.isArray(pattern)) {
    return (
      Array.isArray(actual) &&
      actual.length === pattern.length &&
      pattern.every((each, index) => matches(actual[index], each))
    );
  }
  if (!isObject(pattern)) return Object.is(actual, pattern);
  const special = matchesSpecial(actual, pattern);
  if (special !== undefined) return special;
  return isObject(actual) && Object.entries(pattern).every(([key, each]) => matches(actual[key], each));
}

function matchesSpecial(actual: unknown, pattern: Record<string, unknown>): boolean | undefined {
  const { $regex, $includes, $excludes, $absent } = pattern;
  if (typeof $regex === "string") return typeof actual === "string" && new RegExp($regex, "u").test(actual);
  if (Array.isArray($includes)) {
    return (
      Array.isArray(actual) && $includes.every((each) => actual.some((element) => matches(element, each)))
    );
  }
  if (Array.isArray($excludes)) {
    return (
      Array.isArray(actual) && !$excludes.some((each) => actual.some((element) => matches(element, each)))
    );
  }
  if ($absent === true) return actual === undefined;
  return undefined;
}
