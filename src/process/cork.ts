import type { Writable } from "node:stream";

/**
 * Joins what is written until the next tick, or until another time, into one write: the returned function is called before
 * each write.
 */
export function createCork(
  stream: Writable,
  schedule: (uncork: () => void) => unknown = process.nextTick,
): () => void {
  let isCorked = false;
  function uncork(): void {
    isCorked = false;
    stream.uncork();
  }
  return () => {
    if (isCorked) return;
    isCorked = true;
    stream.cork();
    schedule(uncork);
  };
}
