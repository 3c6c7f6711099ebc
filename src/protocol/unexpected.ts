// How a refusal names the value that it found.

/** The value in the words of the peer's deserializer: "string \"x\"", "integer `5`", "map". */
export function unexpected(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `string ${quote(value)}`;
    case "number":
      return isWhole(value) ? `integer \`${value}\`` : `floating point \`${decimal(value)}\``;
    case "boolean":
      return `boolean \`${value}\``;
    default:
      if (value === null || value === undefined) return "null";
      return Array.isArray(value) ? "sequence" : "map";
  }
}

/** Whether the number was an integer that fits into 64 bits; anything beyond is read as floating point. */
export function isWhole(value: number): boolean {
  return Number.isInteger(value) && value < 2 ** 64 && value >= -(2 ** 63);
}

function decimal(value: number): string {
  return Number.isInteger(value) ? value.toExponential() : String(value);
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\0": "\\0",
};

/** Quotes and everything that cannot be seen are escaped. */
function quote(text: string): string {
  const escaped = text.replace(/["\\\p{C}\p{Z}\p{Mn}\p{Me}]/gu, (char) =>
    char === " " ? char : (escapes[char] ?? `\\u{${char.codePointAt(0)?.toString(16)}}`),
  );
  return `"${escaped}"`;
}

/** "`a`", "`a` or `b`", "one of `a`, `b`, `c`". */
export function expectedWords(words: readonly string[]): string {
  const quoted = words.map((word) => `\`${word}\``);
  return quoted.length > 2 ? `one of ${quoted.join(", ")}` : quoted.join(" or ");
}
