/** Sets of characters as the peer's regular expressions know them; a character is one code point. */

export type CharacterSet = (character: string) => boolean;

export const DIGIT: CharacterSet = onceUsed(() => /\p{Nd}/u);
export const SPACE: CharacterSet = onceUsed(() => /\p{White_Space}/u);
export const WORD: CharacterSet = onceUsed(() => /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u);
export const ANY: CharacterSet = () => true;
export const NOT_NEWLINE: CharacterSet = (character) => character !== "\n";

/** `[:alpha:]` and its like, which are about ASCII alone. */
const POSIX: Readonly<Record<string, CharacterSet>> = {
  alnum: oneOf(/[0-9A-Za-z]/u),
  alpha: oneOf(/[A-Za-z]/u),
  ascii: (character) => codeOf(character) < 128,
  blank: oneOf(/[\t ]/u),
  cntrl: (character) => codeOf(character) < 32 || codeOf(character) === 127,
  digit: oneOf(/[0-9]/u),
  graph: oneOf(/[!-~]/u),
  lower: oneOf(/[a-z]/u),
  print: oneOf(/[ -~]/u),
  punct: oneOf(/[!-/:-@[-`{-~]/u),
  space: oneOf(/[\t-\r ]/u),
  upper: oneOf(/[A-Z]/u),
  word: oneOf(/[0-9A-Za-z_]/u),
  xdigit: oneOf(/[0-9A-Fa-f]/u),
};

export function posixSet(name: string): CharacterSet | undefined {
  return Object.hasOwn(POSIX, name) ? POSIX[name] : undefined;
}

/** `\p{…}`: a category, a script or a property; undefined for one that is not known. */
export function unicodeSet(name: string): CharacterSet | undefined {
  if (!/^[A-Za-z_]+(?:=[A-Za-z_]+)?$/u.test(name)) return undefined;
  for (const property of [name, `Script=${name}`]) {
    try {
      return oneOf(new RegExp(`\\p{${property}}`, "u"));
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

/** `&&`, `--` and `~~` between two sets. */
export function combine(operator: string, left: CharacterSet, right: CharacterSet): CharacterSet {
  if (operator === "&&") return (character) => left(character) && right(character);
  if (operator === "--") return (character) => left(character) && !right(character);
  return (character) => left(character) !== right(character);
}

export function ignoringCase(set: CharacterSet): CharacterSet {
  return (character) => set(character) || set(character.toLowerCase()) || set(character.toUpperCase());
}

const MAX_REMEMBERED = 1024;

/**
 * Each character is asked about once: a set of many parts may be repeated often, and where case is ignored each set
 * inside another asks three times.
 */
export function remembering(set: CharacterSet): CharacterSet {
  const known = new Map<string, boolean>();
  return (character) => {
    const before = known.get(character);
    if (before !== undefined) return before;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const has = set(character);
    known.set(character, has);
    return has;
  };
}

export function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function oneOf(pattern: RegExp): CharacterSet {
  return (character) => pattern.test(character);
}

/** Properties of Unicode take milliseconds to read, and few patterns have any. */
function onceUsed(toPattern: () => RegExp): CharacterSet {
  let pattern: RegExp | null = null;
  return (character) => {
    pattern ??= toPattern();
    return pattern.test(character);
  };
}
