/** Lone surrogates cannot be encoded as UTF-8, and strict JSON parsers reject their escapes. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** Unicode white space: includes U+0085 and excludes U+FEFF, unlike `trim`. */
const NOT_BLANK = /[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

export function isBlank(text: string): boolean {
  return !NOT_BLANK.test(text);
}

export function isWellFormed(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    if (!isPairAt(text, at)) return false;
    at += 1;
  }
  return true;
}

export function toWellFormed(text: string): string {
  return isWellFormed(text) ? text : text.replaceAll(LONE_SURROGATES, "\ufffd");
}

function isPairAt(text: string, at: number): boolean {
  const low = text.charCodeAt(at + 1);
  return text.charCodeAt(at) < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
}

/** The UTF-8 length, without encoding. A lone surrogate counts as its replacement character. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // A pair is four bytes, two for each unit; the second unit is skipped because its bytes are counted with the first.
    if (unit >= 0xd800 && unit <= 0xdfff && isPairAt(text, at)) at += 1;
  }
  return bytes;
}
