/**
 * Values without halves of characters. JSON can write half of a surrogate pair; most programs that read it fail, and
 * so would every guard that is given it.
 */

const REPLACEMENT = "\\ufffd";
/** An escape that begins a surrogate; behind an odd number of backslashes it is text. */
const SURROGATE =
  /(\\\\)|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}/gu;
/** The text of JSON that may have one. */
const MAY_HAVE = /\\u[dD][89a-fA-F]/u;

/** The text of JSON with half characters replaced, escaped or not; everything else stays as it is written. */
export function toWellFormedJson(text: string): string {
  const whole = text.toWellFormed();
  if (!MAY_HAVE.test(whole)) return whole;
  return whole.replaceAll(SURROGATE, (found, backslashes: string | undefined, high: string | undefined) =>
    backslashes !== undefined || high !== undefined ? found : REPLACEMENT,
  );
}

/** The same object where nothing is to be changed. What is nested more deeply than `maxDepth` is null. */
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
    const [key, made] = [name.toWellFormed(), wellFormed(member, depth - 1)];
    isSame &&= key === name && made === member;
    return [key, made] as const;
  });
  return isSame ? value : Object.fromEntries(changed);
}

/** How deeply the objects and lists of a text of JSON are nested, at least where it is one; counted in one pass. */
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
