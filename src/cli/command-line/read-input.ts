import type { Readable } from "node:stream";

/** No text that a turn would take has more bytes. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** What comes in until its end; throws in words where it is too much. */
export async function readInput(stream: Readable, maxBytes = MAX_TEXT_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) throw new Error(`the text on stdin is too long: it may have ${maxBytes} bytes`);
  }
  return Buffer.concat(chunks);
}
