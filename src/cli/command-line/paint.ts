/** Terminal colours; plain text if the stream is no terminal or `NO_COLOR` is set. */
export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  faint(text: string): string;
}

export function createPaint(hasColours: boolean): Paint {
  const paint = (code: number) => (text: string) => (hasColours ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { good: paint(32), bad: paint(31), faint: paint(2) };
}

export function paintFor({ isTTY }: { readonly isTTY?: boolean }): Paint {
  return createPaint(isTTY === true && (process.env["NO_COLOR"] ?? "") === "");
}
