import { StringDecoder } from "node:string_decoder";

/** What one delta may hold, and how many of them one command may cause. */
const DELTA_BYTES = 8192;
const MAX_DELTAS = 10_000;

/** Cuts output into texts of bounded size, never within a character; after so many it is silent. */
export function createDeltaWriter(emit: (delta: string) => void) {
  const decoder = new StringDecoder("utf8");
  let left = MAX_DELTAS;

  function send(delta: string): void {
    if (delta === "" || left === 0) return;
    left -= 1;
    emit(delta);
  }

  return {
    write(chunk: Buffer): void {
      for (let at = 0; at < chunk.length && left > 0; at += DELTA_BYTES) {
        send(decoder.write(chunk.subarray(at, at + DELTA_BYTES)));
      }
    },
    end: () => send(decoder.end()),
  };
}
