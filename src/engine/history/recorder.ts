import { AppError } from "../../base/errors.ts";
import type { ThreadJournal } from "../../store/history/journal.ts";
import type { LineBody } from "../../store/rollout/line.ts";
import type { WriteFault } from "../../store/rollout/write-fault.ts";
import type { AppendOutcome } from "../../store/rollout/writer.ts";

/** Keeps the story of a thread, in the order in which it is told. */
export interface Recorder {
  /** The file that it is kept in; null for threads that are not kept. */
  readonly path: string | null;
  append(...lines: readonly LineBody[]): void;
  /** Resolves when all that was appended is kept, or throws in words for the client. */
  saved(): Promise<void>;
  close(): Promise<void>;
}

export const forgetfulRecorder: Recorder = {
  path: null,
  append() {},
  saved: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** `onFault` hears of each append that failed, also when nobody waits for it. */
export function createRecorder(journal: ThreadJournal, onFault: (fault: WriteFault) => void): Recorder {
  let last: Promise<AppendOutcome> | null = null;
  return {
    path: journal.path,
    append(...lines) {
      if (lines.length === 0) return;
      last = journal.append(lines);
      void last.then((outcome) => {
        if (outcome.kind === "failed") onFault(outcome.fault);
      });
    },
    async saved() {
      const outcome = await last;
      if (outcome?.kind === "failed") throw new AppError(outcome.fault.reason, outcome.fault.message);
    },
    close: () => journal.close(),
  };
}
