/**
 * The WebSocket frames of a write. A server's frames are not masked (RFC 6455, section 5.1), so that connections which are
 * sent the same messages share their bytes.
 */
export type TextFrameEncoder = (texts: readonly string[]) => Buffer;

/** A final frame of text. */
const FIRST_BYTE = 0x81;
/** Up to this length is in the second byte; otherwise that byte is a code for the size of the length that follows. */
const MAX_SHORT_LENGTH = 125;
const LENGTH_OF_2_BYTES = 126;
const LENGTH_OF_8_BYTES = 127;
const MAX_16_BIT_LENGTH = 0xffff;

/** Keeps its last result, whose size is that of one write: followers of a thread are written to one after the other. */
export function createTextFrameEncoder(): TextFrameEncoder {
  let lastTexts: readonly string[] = [];
  let lastFrames = Buffer.alloc(0);
  return (texts) => {
    if (!isSame(texts, lastTexts)) {
      lastFrames = encodeFrames(texts);
      lastTexts = texts;
    }
    return lastFrames;
  };
}

/** Fast also for long texts: shared ones are the same string, and others differ in their length or beginning. */
function isSame(texts: readonly string[], others: readonly string[]): boolean {
  return texts.length === others.length && texts.every((text, index) => text === others[index]);
}

function encodeFrames(texts: readonly string[]): Buffer<ArrayBuffer> {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const total = lengths.reduce((sum, length) => sum + headerBytes(length) + length, 0);
  // Not from the pool of small buffers, which would be kept as a whole.
  const frames = Buffer.allocUnsafeSlow(total);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    at = writeHeader(frames, at, lengths[index] ?? 0);
    at += frames.write(text, at);
  }
  return frames;
}

function headerBytes(length: number): number {
  if (length <= MAX_SHORT_LENGTH) return 2;
  return length <= MAX_16_BIT_LENGTH ? 4 : 10;
}

/** Returns where the payload begins. */
function writeHeader(frames: Buffer, start: number, length: number): number {
  frames[start] = FIRST_BYTE;
  if (length <= MAX_SHORT_LENGTH) {
    frames[start + 1] = length;
    return start + 2;
  }
  if (length <= MAX_16_BIT_LENGTH) {
    frames[start + 1] = LENGTH_OF_2_BYTES;
    return frames.writeUInt16BE(length, start + 2);
  }
  frames[start + 1] = LENGTH_OF_8_BYTES;
  return frames.writeBigUInt64BE(BigInt(length), start + 2);
}
