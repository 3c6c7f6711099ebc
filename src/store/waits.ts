/**
 * The port for turns that wait for the end of a usage limit. A wait is recorded before it begins and survives `kill -9`:
 * when its time comes, any server of the store continues the turn. A thread has at most one, and only the holder of the
 * thread records and removes it. Times come from the store's clock, except the end of a wait, which the provider names.
 */
import type { Fence } from "./leases.ts";
import type { SuspendedTurnFacts } from "./lines/suspended-calls.ts";
import type { Fenced } from "./queue.ts";

export interface Waits {
  /** Records the wait of a thread, in place of an earlier one. */
  put(fence: Fence, wait: NewWait): Promise<PutOutcome>;
  /** False if the thread has no wait of this turn. */
  remove(fence: Fence, turnId: string): Promise<boolean | Fenced>;
  find(threadId: string): Promise<Wait | null>;
  /** The waits that end first. */
  list(limit: number): Promise<readonly Wait[]>;
  due(): Promise<DueWaits>;
}

export interface NewWait {
  /** The facts with which a later process continues the turn. */
  readonly turn: SuspendedTurnFacts;
  readonly reason: "usageLimit";
  readonly untilMs: number;
  /** How many waits in a row, without an answer of the provider between them. */
  readonly attempt: number;
  /** The provider's message. */
  readonly message: string;
}

export interface Wait extends NewWait {
  readonly threadId: string;
  readonly sinceMs: number;
}

export type PutOutcome = { readonly kind: "kept"; readonly wait: Wait } | Fenced;

export interface DueWaits {
  /** Threads whose wait is over, longest first. */
  readonly threadIds: readonly string[];
  /** Threads that wait longer. */
  readonly laterIds: readonly string[];
  /** When the first of the latter ends; null if there is none. */
  readonly nextAtMs: number | null;
}

/** Characters of a provider's message that are kept. */
export const MAX_WAIT_MESSAGE = 1000;

export function clipWait(wait: NewWait): NewWait {
  return { ...wait, message: wait.message.slice(0, MAX_WAIT_MESSAGE).toWellFormed() };
}
