/** What programs wrote, as text. Most write UTF-8; what is something else is told by its mark, or taken for Western. */

/** What Windows-1252 has where Latin-1 has control characters; five places are empty there and stay what they are. */
const WESTERN = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** A last character that was cut is left out. */
export function decodeOutput(bytes: Uint8Array): string {
  const marked = markedEncoding(bytes);
  if (marked !== null) return new TextDecoder(marked).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch {
    // Node 20 decodes Windows-1252 as if it were Latin-1.
    return Buffer.from(bytes)
      .toString("latin1")
      .replace(/[\u0080-\u009f]/g, (each) => WESTERN.charAt(each.charCodeAt(0) - 0x80));
  }
}

/** UTF-16 with the mark that it begins with. */
function markedEncoding([first, second]: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}
