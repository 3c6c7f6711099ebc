/** Others choose these words, and a terminal must not take any of them for a command. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
  );
}

/** The same for text of several lines. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
