/**
 * Replaces lone surrogates. JSON can encode half of a surrogate pair; most programs fail to parse it, and so would every
 * hook that receives it.
 */

const REPLACEMENT = "\\ufffd";
/** Escaped surrogates, in pairs or alone; after an escaped backslash the characters are plain text. */
const SURROGATE =
  /(\\\\)|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}/gu;
/** A cheap test for JSON text with an escaped surrogate. */
const MAY_CONTAIN_SURROGATE = /\\u[dD][89a-fA-F]/u;

/** JSON text with lone surrogates replaced, escaped or not; everything else is unchanged. */
export function toWellFormedJson(text: string): string {
  const wellFormedText = text.toWellFormed();
  if (!MAY_CONTAIN_SURROGATE.test(wellFormedText)) return wellFormedText;
  return wellFormedText.replaceAll(
    SURROGATE,
    (found, backslashes: string | undefined, high: string | undefined) =>
      backslashes !== undefined || high !== undefined ? found : REPLACEMENT,
  );
}

/** Returns the same object if nothing changes. Values nested more deeply than `maxDepth` become null. */
export function toWellFormedValue<T>(value: T, maxDepth: number): T {
  return wellFormed(value, maxDepth) as T;
}

function wellFormed(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) {
    const items = value.map((item) => wellFormed(item, depth - 1));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const entries = Object.entries(value);
  let isSame = true;
  const changed = entries.map(([name, member]) => {
    const [key, converted] = [name.toWellFormed(), wellFormed(member, depth - 1)];
    isSame &&= key === name && converted === member;
    return [key, converted] as const;
  });
  return isSame ? value : Object.fromEntries(changed);
}

/** The nesting depth of objects and arrays in valid JSON text, counted in one pass. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (isQuoted) {
      if (character === BACKSLASH) at += 1;
      else if (character === QUOTE) isQuoted = false;
    } else if (character === QUOTE) isQuoted = true;
    else if (character === OPEN_OBJECT || character === OPEN_LIST) {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === CLOSE_OBJECT || character === CLOSE_LIST) depth -= 1;
  }
  return deepest;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
