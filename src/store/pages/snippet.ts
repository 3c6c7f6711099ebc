/** Finding of words in messages, whatever their case, and the piece of text around them. */

export interface TextRange {
  /** In UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

export interface Snippet {
  readonly text: string;
  readonly match: TextRange;
}

const BEFORE = 49;
const AFTER = 96;

export function foldCase(text: string): string {
  return text.toLowerCase();
}

/** Where the term stands in the text, without overlaps. */
export function findAll(text: string, term: string, limit = Number.POSITIVE_INFINITY): TextRange[] {
  const { folded, origins } = foldWithOrigins(text);
  const needle = foldCase(term);
  const found: TextRange[] = [];
  if (needle === "") return found;
  for (let at = folded.indexOf(needle); at >= 0 && found.length < limit; ) {
    const end = at + needle.length;
    found.push({ start: origin(origins, at), end: origin(origins, end, text.length) });
    at = folded.indexOf(needle, end);
  }
  return found;
}

/** Null where folding keeps every place, which is nearly always. */
function foldWithOrigins(text: string): { folded: string; origins: number[] | null } {
  const folded = foldCase(text);
  if (folded.length === text.length) return { folded, origins: null };
  let longer = "";
  const origins: number[] = [];
  let at = 0;
  for (const character of text) {
    const lower = foldCase(character);
    for (let unit = 0; unit < lower.length; unit += 1) origins.push(at);
    longer += lower;
    at += character.length;
  }
  return { folded: longer, origins };
}

function origin(origins: readonly number[] | null, at: number, end = at): number {
  return origins === null ? at : (origins[at] ?? end);
}

export function snippetAround(text: string, { start, end }: TextRange): Snippet {
  const from = stepBack(text, start, BEFORE);
  const to = stepForward(text, end, AFTER);
  const lead = from > 0 ? "... " : "";
  const tail = to < text.length ? " ..." : "";
  const offset = lead.length - from;
  return { text: lead + text.slice(from, to) + tail, match: { start: start + offset, end: end + offset } };
}

function stepBack(text: string, from: number, characters: number): number {
  let at = from;
  for (let count = 0; count < characters && at > 0; count += 1) {
    at -= at > 1 && isLow(text.charCodeAt(at - 1)) ? 2 : 1;
  }
  return at;
}

function stepForward(text: string, from: number, characters: number): number {
  let at = from;
  for (let count = 0; count < characters && at < text.length; count += 1) {
    at += isLow(text.charCodeAt(at + 1)) ? 2 : 1;
  }
  return Math.min(at, text.length);
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Text on one line, as lists show it. */
export function onOneLine(text: string): string {
  return text.split(/\s+/).filter(Boolean).join(" ");
}

/** The first match of a term in a text, with what stands around it; null when there is none. */
export function snippetIn(text: string, term: string): string | null {
  const line = onOneLine(text);
  const [match] = findAll(line, term, 1);
  return match === undefined ? null : snippetAround(line, match).text;
}
