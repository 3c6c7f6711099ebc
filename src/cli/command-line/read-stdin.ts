import type { Readable } from "node:stream";

/** Exceeds every text that a turn accepts. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** Reads a stream to its end; throws if it exceeds `maxBytes`. */
export async function readStdin(stream: Readable, maxBytes = MAX_TEXT_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) throw new Error(`the text on stdin is too long: it may have ${maxBytes} bytes`);
  }
  return Buffer.concat(chunks);
}
