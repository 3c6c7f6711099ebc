/** Character sets of the peer's regular expressions; a character is one code point. */

export type CharacterSet = (character: string) => boolean;

export const DIGIT: CharacterSet = lazySet(() => /\p{Nd}/u);
export const SPACE: CharacterSet = lazySet(() => /\p{White_Space}/u);
export const WORD: CharacterSet = lazySet(() => /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u);
export const ANY: CharacterSet = () => true;
export const NOT_NEWLINE: CharacterSet = (character) => character !== "\n";

/** `[:alpha:]` and the other POSIX classes, which are ASCII only. */
const POSIX: Readonly<Record<string, CharacterSet>> = {
  alnum: patternSet(/[0-9A-Za-z]/u),
  alpha: patternSet(/[A-Za-z]/u),
  ascii: (character) => codeOf(character) < 128,
  blank: patternSet(/[\t ]/u),
  cntrl: (character) => codeOf(character) < 32 || codeOf(character) === 127,
  digit: patternSet(/[0-9]/u),
  graph: patternSet(/[!-~]/u),
  lower: patternSet(/[a-z]/u),
  print: patternSet(/[ -~]/u),
  punct: patternSet(/[!-/:-@[-`{-~]/u),
  space: patternSet(/[\t-\r ]/u),
  upper: patternSet(/[A-Z]/u),
  word: patternSet(/[0-9A-Za-z_]/u),
  xdigit: patternSet(/[0-9A-Fa-f]/u),
};

export function posixSet(name: string): CharacterSet | undefined {
  return Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
}

/** `\p{…}`: a category, a script or a property; undefined for an unknown name. */
export function unicodeSet(name: string): CharacterSet | undefined {
  if (!/^[A-Za-z_]+(?:=[A-Za-z_]+)?$/u.test(name)) return undefined;
  for (const property of [name, `Script=${name}`]) {
    try {
      return patternSet(new RegExp(`\\p{${property}}`, "u"));
    } catch {
      // Not a property of this kind.
    }
  }
  return undefined;
}

export function rangeSet(first: string, last: string): CharacterSet {
  const [low, high] = [codeOf(first), codeOf(last)];
  return (character) => codeOf(character) >= low && codeOf(character) <= high;
}

export function union(sets: readonly CharacterSet[]): CharacterSet {
  return (character) => sets.some((has) => has(character));
}

export function not(set: CharacterSet): CharacterSet {
  return (character) => !set(character);
}

/** The set operators `&&`, `--` and `~~`. */
export function combine(operator: string, left: CharacterSet, right: CharacterSet): CharacterSet {
  if (operator === "&&") return (character) => left(character) && right(character);
  if (operator === "--") return (character) => left(character) && !right(character);
  return (character) => left(character) !== right(character);
}

export function ignoringCase(set: CharacterSet): CharacterSet {
  return (character) => set(character) || set(character.toLowerCase()) || set(character.toUpperCase());
}

const MAX_CACHED = 1024;

/**
 * Caches the result for each character: a large set may be repeated often, and with case ignored each nested
 * set is tested three times.
 */
export function cachedSet(set: CharacterSet): CharacterSet {
  const cache = new Map<string, boolean>();
  return (character) => {
    const before = cache.get(character);
    if (before !== undefined) return before;
    if (cache.size >= MAX_CACHED) cache.clear();
    const has = set(character);
    cache.set(character, has);
    return has;
  };
}

export function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function patternSet(pattern: RegExp): CharacterSet {
  return (character) => pattern.test(character);
}

/** Unicode property expressions take milliseconds to compile, and few patterns use any. */
function lazySet(toPattern: () => RegExp): CharacterSet {
  let pattern: RegExp | null = null;
  return (character) => {
    pattern ??= toPattern();
    return pattern.test(character);
  };
}
