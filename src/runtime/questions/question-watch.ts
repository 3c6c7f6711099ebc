/**
 * Notices answers that other processes have recorded: those of loaded threads are passed on, and a thread that no process
 * has loaded is loaded, so that its turn continues. A question whose time is over is treated as an answered one. Several
 * servers may watch one store: the lease of a thread decides which of them continues it.
 */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { inBackground } from "../../base/tasks.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { OpenQuestion } from "../../store/decisions.ts";
import type { Store } from "../../store/store.ts";
import type { ThreadRefusal } from "../configuration/thread-refusal.ts";
import { MAX_OPEN_QUESTIONS } from "./waiting-threads.ts";

export interface QuestionWatchOptions {
  readonly store: () => Promise<Pick<Store, "decisions" | "isHeld">>;
  readonly engine: { find(threadId: string): Pick<Thread, "answer"> | undefined };
  readonly threads: { load(threadId: string): Promise<ThreadRefusal | null> };
  /** The time after which a question is denied. */
  readonly timeoutMs: () => Promise<number>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface QuestionWatch {
  /** From now on also continues threads that no process has loaded. */
  continueThreads(): void;
  /** A turn of a loaded thread waits. */
  waits(): void;
  close(): void;
}

/** The interval in which answers of other processes are read while a question is open. */
export const POLL_EVERY_MS = 500;
/** The interval in which questions are looked for that other processes have left behind. */
const LOOK_EVERY_MS = 30_000;
/** The delay before a thread is loaded again that could not be loaded. */
const RETRY_MS = 60_000;

export function createQuestionWatch(options: QuestionWatchOptions): QuestionWatch {
  const { clock, log, engine } = options;
  const retryAt = new Map<string, number>();
  let continuesThreads = false;
  let cancel: (() => void) | null = null;
  let isClosed = false;
  let isPolling = false;

  function schedule(delayMs: number): void {
    cancel?.();
    cancel = isClosed ? null : clock.after(delayMs, poll, { keepsAlive: false });
  }

  function poll(): void {
    if (isPolling || isClosed) return;
    isPolling = true;
    const polled = pollNow()
      .catch((error: unknown) => {
        log.warn("open questions could not be read", { error: messageOf(error) });
        return true;
      })
      .then((hasOpen) => {
        isPolling = false;
        if (hasOpen) schedule(POLL_EVERY_MS);
        else if (continuesThreads) schedule(LOOK_EVERY_MS);
      });
    inBackground(log, "reading open questions", polled);
  }

  /** Whether a question is open whose answer may come from elsewhere. */
  async function pollNow(): Promise<boolean> {
    const { decisions } = await options.store();
    const open = (await decisions.openQuestions({ limit: MAX_OPEN_QUESTIONS })).filter(
      ({ question }) => question !== null,
    );
    const timeoutMs = await options.timeoutMs();
    let hasOpen = false;
    for (const question of open) {
      const isLoaded = engine.find(question.threadId) !== undefined;
      if (!isLoaded && !continuesThreads) continue;
      hasOpen = true;
      if (isLoaded) pass(question);
      else if (question.answer !== null || question.atMs + timeoutMs <= clock.now())
        await load(question.threadId);
    }
    return hasOpen;
  }

  function pass({ threadId, number, answer }: OpenQuestion): void {
    if (answer === null || answer.result === null) return;
    const { by, result } = answer;
    const { name = null, subject } = by.kind === "client" ? by : {};
    engine.find(threadId)?.answer(number, {
      kind: "answered",
      result,
      ...(name !== null && { from: name }),
      ...(subject !== undefined && { subject }),
    });
  }

  async function load(threadId: string): Promise<void> {
    if ((retryAt.get(threadId) ?? 0) > clock.now()) return;
    const { isHeld } = await options.store();
    if (isClosed || (await isHeld(threadId))) return;
    const refused = await options.threads.load(threadId);
    retryAt.delete(threadId);
    if (refused === null) return log.info("a thread was loaded for an answer", { threadId });
    retryAt.set(threadId, clock.now() + RETRY_MS);
    log.warn("a turn that waits for an answer cannot be continued and will be retried", {
      threadId,
      reason: refused.message,
    });
  }

  return {
    continueThreads() {
      continuesThreads = true;
      poll();
    },
    waits: () => schedule(POLL_EVERY_MS),
    close() {
      isClosed = true;
      cancel?.();
    },
  };
}
