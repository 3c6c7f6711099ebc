import { AppError } from "../../base/errors.ts";
import type { ThreadJournal } from "../../store/history/journal.ts";
import type { LineBody } from "../../store/rollout/line.ts";
import { type WriteFault, writeFault } from "../../store/rollout/write-fault.ts";

/** Keeps the story of a thread, in the order in which it is told. */
export interface Recorder {
  /** The file that it is kept in; null for threads that are not kept. */
  readonly path: string | null;
  append(...lines: readonly LineBody[]): void;
  /** Resolves when all that was appended has been written, as far as it can be. */
  settled(): Promise<void>;
  /** The returned function waits in the same way, and throws in words for the client if anything appended since is lost. */
  watch(): () => Promise<void>;
  close(): Promise<void>;
}

export const forgetfulRecorder: Recorder = {
  path: null,
  append() {},
  settled: () => Promise.resolve(),
  watch: () => () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** `onFault` hears of each append that failed, also when nobody waits for it. */
export function createRecorder(journal: ThreadJournal, onFault: (fault: WriteFault) => void): Recorder {
  let failures = 0;
  let lastFault: WriteFault | null = null;
  let last: Promise<void> = Promise.resolve();

  async function write(lines: readonly LineBody[], before: Promise<void>): Promise<void> {
    const fault = await journal.append(lines).then(
      (outcome) => (outcome.kind === "failed" ? outcome.fault : null),
      (error: unknown) => writeFault(journal.path, error),
    );
    if (fault !== null) {
      failures += 1;
      lastFault = fault;
      onFault(fault);
    }
    // What is refused is so at once, while something earlier may still wait to be written.
    await before;
  }

  return {
    path: journal.path,
    append(...lines) {
      if (lines.length > 0) last = write(lines, last);
    },
    settled: () => last,
    watch() {
      const known = failures;
      return async () => {
        await last;
        if (failures > known && lastFault !== null) throw new AppError(lastFault.reason, lastFault.message);
      };
    },
    close: () => journal.close(),
  };
}
