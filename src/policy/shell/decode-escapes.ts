/** The escapes of `$'…'`, `printf` and `echo -e`. */

const ESCAPE =
  /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|c([^])|([^]))/gu;
const LETTERS: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};
const HIGHEST = 0x10ffff;

export function decodeEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(ESCAPE, (sequence, ...groups: (string | undefined)[]) => {
    const [hex, short, long, octal, control, letter = ""] = groups;
    const code = hex ?? short ?? long;
    if (code !== undefined) return character(Number.parseInt(code, 16));
    if (octal !== undefined) return character(Number.parseInt(octal, 8));
    if (control !== undefined) return "";
    return LETTERS[letter] ?? sequence;
  });
}

function character(code: number): string {
  return code > HIGHEST ? "" : String.fromCodePoint(code);
}
