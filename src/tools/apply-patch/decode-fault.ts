/** Says where bytes stop being UTF-8, in the words that clients of the protocol know. */

/** Only for bytes that are not valid UTF-8. */
export function decodeFault(bytes: Uint8Array): string {
  let index = 0;
  while (index < bytes.length) {
    const { length, valid } = sequenceAt(bytes, index);
    if (!valid) {
      return index + length >= bytes.length && isCutShort(bytes, index, length)
        ? `incomplete utf-8 byte sequence from index ${index}`
        : `invalid utf-8 sequence of ${length} bytes from index ${index}`;
    }
    index += length;
  }
  return "invalid utf-8";
}

/** The longest part of a character that starts here: all of it, or what may not be followed as it is. */
function sequenceAt(bytes: Uint8Array, index: number): { length: number; valid: boolean } {
  const needed = neededAt(bytes, index);
  if (needed === 0) return { length: 1, valid: false };
  let length = 1;
  while (length < needed && isContinuation(bytes, index, length)) length += 1;
  return { length, valid: length === needed };
}

function neededAt(bytes: Uint8Array, index: number): number {
  const lead = bytes[index] ?? 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

function isContinuation(bytes: Uint8Array, index: number, offset: number): boolean {
  const byte = bytes[index + offset];
  if (byte === undefined || byte < 0x80 || byte > 0xbf) return false;
  if (offset > 1) return true;
  const lead = bytes[index];
  // Overlong forms, surrogates and what lies beyond the last plane.
  if (lead === 0xe0) return byte >= 0xa0;
  if (lead === 0xed) return byte <= 0x9f;
  if (lead === 0xf0) return byte >= 0x90;
  return lead === 0xf4 ? byte <= 0x8f : true;
}

function isCutShort(bytes: Uint8Array, index: number, length: number): boolean {
  return neededAt(bytes, index) > length;
}
