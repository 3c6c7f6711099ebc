import type { OutgoingKind } from "./transport.ts";

/** Gathers the messages of one tick into one write, after the tick. */
export interface BatchedWriter {
  push(text: string, kind: OutgoingKind): void;
  /** Writes everything now, each batch on its own. */
  flush(): void;
}

interface Batch {
  readonly texts: string[];
  hasAnswer: boolean;
}

/**
 * Each batch goes in a turn of the event loop of its own, after whatever the tick has to do first: what a message
 * tells is by then in its file. A batch ends where a notice follows an answer (see OutgoingKind).
 */
export function createBatchedWriter(write: (texts: readonly string[]) => void): BatchedWriter {
  const batches: Batch[] = [];
  let scheduled = false;

  function writeNext(): void {
    scheduled = false;
    const batch = batches.shift();
    if (batch === undefined) return;
    if (batches.length > 0) {
      scheduled = true;
      setImmediate(writeNext);
    }
    write(batch.texts);
  }

  return {
    push(text, kind) {
      let last = batches.at(-1);
      if (last === undefined || (kind === "notice" && last.hasAnswer)) {
        last = { texts: [], hasAnswer: false };
        batches.push(last);
      }
      last.texts.push(text);
      if (kind === "answer") last.hasAnswer = true;
      if (!scheduled) {
        scheduled = true;
        setImmediate(writeNext);
      }
    },
    flush() {
      for (const batch of batches.splice(0)) write(batch.texts);
    },
  };
}
