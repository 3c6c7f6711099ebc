/** A path prepared for matching: one code unit per grapheme, original and folded. */
export interface Haystack {
  readonly text: string;
  /** Lower case, and Latin letters without their accents. */
  readonly folded: string;
}

const ASCII = /^[\0-\x7f]*$/;

export function toHaystack(path: string): Haystack {
  if (ASCII.test(path)) return { text: path, folded: path.toLowerCase() };
  const text = toUnits(path);
  return { text, folded: foldText(text, { accents: false }) };
}

/** The first code point of each grapheme, truncated to one code unit, so that indexes are those of graphemes. */
export function toUnits(text: string): string {
  if (ASCII.test(text)) return text;
  const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text);
  return Array.from(segments, ({ segment }) =>
    String.fromCharCode((segment.codePointAt(0) ?? 0) & 0xffff),
  ).join("");
}

export function foldText(text: string, { accents }: { readonly accents: boolean }): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return Array.from({ length: text.length }, (_, index) => foldUnit(text.charAt(index), accents)).join("");
}

export function hasAccents(text: string): boolean {
  return foldText(text, { accents: false }) !== foldText(text, { accents: true });
}

function foldUnit(unit: string, accents: boolean): string {
  const bare = accents ? unit : unit.normalize("NFD").charAt(0);
  const folded = (/[A-Za-z]/.test(bare) ? bare : unit).toLowerCase();
  return folded.length === 1 ? folded : unit;
}
