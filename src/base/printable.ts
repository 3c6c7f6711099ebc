/** Escapes control and format characters, so that untrusted text cannot send escape sequences to a terminal. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
  );
}

/** Like `printable`, but keeps newlines. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
