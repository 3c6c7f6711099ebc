/** How much of an MCP server's output is held at once. */

/** One message; a result that is larger ends the connection. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Fails a stream on whose way no message ends within the limit. */
export function limitMessages(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let held = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      // Messages of an event stream are divided by blank lines; a plain answer has none.
      const end = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).lastIndexOf("\n\n");
      held = end === -1 ? held + chunk.byteLength : chunk.byteLength - end;
      if (held > MAX_MESSAGE_BYTES) {
        controller.error(new Error(`a message is longer than ${MAX_MESSAGE_BYTES} bytes`));
      } else {
        controller.enqueue(chunk);
      }
    },
  });
  return body.pipeThrough(counter);
}
