/**
 * Changes of questions, for clients that follow all threads. Changes of this process are noticed at once, those of other
 * processes by reading the open questions again and again, while there is a follower.
 */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { inBackground } from "../../base/tasks.ts";
import type { Approval } from "../../protocol/generated/types.ts";
import type { Decisions } from "../../store/decisions.ts";
import type { QuestionViews } from "./question-views.ts";
import { MAX_OPEN_QUESTIONS } from "./waiting-threads.ts";

export interface QuestionFeed {
  /** A decision has changed in this process. */
  touch(number: number): void;
  /** Returns the function that ends it. */
  follow(listener: (approval: Approval) => void): () => void;
  close(): void;
}

export interface QuestionFeedOptions {
  readonly decisions: () => Promise<Decisions>;
  readonly views: Pick<QuestionViews, "show">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The interval in which changes of other processes are read. */
const READ_EVERY_MS = 1000;

export function createQuestionFeed({ decisions, views, clock, log }: QuestionFeedOptions): QuestionFeed {
  const listeners = new Set<(approval: Approval) => void>();
  const touched = new Set<number>();
  /** Whether each open question has its answer; null before the first read. */
  let known: ReadonlyMap<number, boolean> | null = null;
  let reading: "no" | "yes" | "again" = "no";
  let cancel: (() => void) | null = null;

  function read(): void {
    if (listeners.size === 0) return;
    if (reading !== "no") {
      reading = "again";
      return;
    }
    inBackground(log, "reading changes of questions", readAll());
  }

  async function readAll(): Promise<void> {
    try {
      do {
        reading = "yes";
        await readOnce();
      } while (mustReadAgain());
    } catch (error) {
      log.warn("changes of questions could not be read", { error: messageOf(error) });
    } finally {
      reading = "no";
      cancel?.();
      cancel = listeners.size === 0 ? null : clock.after(READ_EVERY_MS, read, { keepsAlive: false });
    }
  }

  const mustReadAgain = (): boolean => reading === "again";

  async function readOnce(): Promise<void> {
    const all = await decisions();
    const changed = new Set(touched);
    touched.clear();
    const open = await all.openQuestions({ limit: MAX_OPEN_QUESTIONS });
    const current = new Map(open.map(({ number, answer }) => [number, answer !== null]));
    if (known !== null) {
      for (const [number, isAnswered] of current) if (known.get(number) !== isAnswered) changed.add(number);
      for (const number of known.keys()) if (!current.has(number)) changed.add(number);
    }
    known = current;
    for (const number of [...changed].sort((one, other) => one - other)) {
      const [entry] = await all.list({ number, limit: 1 });
      if (entry === undefined) continue;
      const approval = await views.show(all, entry);
      for (const listener of listeners) listener(approval);
    }
  }

  return {
    touch(number) {
      if (listeners.size === 0) return;
      touched.add(number);
      read();
    },
    follow(listener) {
      listeners.add(listener);
      read();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        cancel?.();
        known = null;
      };
    },
    close() {
      listeners.clear();
      cancel?.();
    },
  };
}
