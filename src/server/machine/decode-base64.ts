export type DecodedBase64 =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: string };

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Decodes strict base64 with padding. The error messages are those of the peer. `Buffer.from` accepts
 * anything.
 */
export function decodeBase64(text: string): DecodedBase64 {
  const digits = /^[A-Za-z0-9+/]*/.exec(text)?.[0].length ?? 0;
  const padding = text.slice(digits);
  if (!/^=*$/.test(padding)) {
    const strange = digits + padding.search(/[^=]/);
    // For a digit after padding, the offset is that of the padding, which is too early.
    return invalidSymbol(text, ALPHABET.includes(text.charAt(strange)) ? digits : strange);
  }
  const rest = digits % 4;
  if (padding !== "" && (rest < 2 || rest + padding.length > 4)) {
    return invalidSymbol(text, rest < 2 ? digits : digits + 4 - rest);
  }
  if (rest === 1) return refuse(`Invalid input length: ${text.length}`);
  if (rest !== 0 && rest + padding.length !== 4) return refuse("Invalid padding");
  // The unused bits of the last digit must be zero, so that every value has exactly one encoding.
  const spare = rest === 2 ? 0b1111 : rest === 3 ? 0b11 : 0;
  const last = text.charAt(digits - 1);
  if ((ALPHABET.indexOf(last) & spare) !== 0) {
    return refuse(`Invalid last symbol ${last.charCodeAt(0)}, offset ${digits - 1}.`);
  }
  return { ok: true, bytes: Buffer.from(text, "base64") };
}

function invalidSymbol(text: string, offset: number): DecodedBase64 {
  const byte = Buffer.from(text.slice(offset)).at(0) ?? 0;
  return refuse(`Invalid symbol ${byte}, offset ${Buffer.byteLength(text.slice(0, offset))}.`);
}

function refuse(reason: string): DecodedBase64 {
  return { ok: false, reason };
}
