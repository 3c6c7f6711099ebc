import type { Clock } from "../../base/clock.ts";
import {
  type AppendFailure,
  type AppendOutcome,
  type DeferredTurnEnd,
  type Effect,
  type Journal,
  madeElsewhere,
  NO_EFFECTS,
} from "../journal.ts";
import type { Fence } from "../leases.ts";
import type { LineBody, RolloutLine } from "../lines/line.ts";
import type { ThreadFacts } from "../lines/thread-facts.ts";
import type { UnrecordedEnd } from "../pages/history-reader.ts";
import type { MemoryLeases } from "./memory-leases.ts";
import type { MemoryThread } from "./memory-thread.ts";

export interface MemoryJournalOptions {
  readonly thread: MemoryThread;
  readonly leases: MemoryLeases;
  readonly clock: Clock;
  /** The session line of a new thread; null for a durable one. */
  readonly meta: LineBody | null;
  /** False for a thread whose lease is acquired with its first append. */
  readonly isClaimed: boolean;
  /** Whether another store has made the thread meanwhile. */
  readonly isMade?: () => boolean;
  /** The unfinished turn when the thread was opened. */
  readonly unfinishedTurnId: string | null;
  /** Publishes a new thread to other stores. */
  readonly publish: () => void;
  readonly apply: (effect: Effect) => void;
  /** Called with each line that was appended. */
  readonly onLine: (line: RolloutLine) => void;
  readonly onClose: () => void;
}

export interface MemoryJournal extends Journal {
  facts(): ThreadFacts;
  readonly ended: readonly UnrecordedEnd[];
}

export function createMemoryJournal(options: MemoryJournalOptions): MemoryJournal {
  const { thread, leases, clock } = options;
  let { meta, isClaimed, unfinishedTurnId } = options;
  const fence = (): Fence | null => (isClaimed ? leases.fence(thread.id) : null);
  let deferred: readonly DeferredTurnEnd[] = [];
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();

  if (isClaimed) leases.watch(thread.id);

  async function write(given: readonly LineBody[], effects: readonly Effect[]): Promise<AppendOutcome> {
    if (isClosed) return closed(thread.id);
    if (!isClaimed) {
      if (!(await claimNew(options))) return madeElsewhere(thread.id);
      leases.watch(thread.id);
      isClaimed = true;
    }
    const held = fence();
    const confirmed = held === null ? null : await leases.confirm(held);
    if (confirmed === null) return takenOver(thread.id);
    leases.recordWrite(confirmed);
    const now = clock.now();
    const length = thread.lines.length;
    if (meta !== null) {
      thread.append([meta], now);
      meta = null;
      options.publish();
    }
    const ends = deferred;
    deferred = [];
    thread.append(
      ends.map(({ line }) => line),
      now,
    );
    const firstSeq = thread.lines.length;
    thread.append(given, now);
    for (const effect of effects) options.apply(effect);
    for (const { line } of thread.lines.slice(length)) options.onLine(line);
    return { kind: "kept", firstSeq };
  }

  const journal: MemoryJournal = {
    threadId: thread.id,
    location: null,
    get fence() {
      return fence();
    },
    get ended() {
      const cut = unfinishedTurnId === null ? [] : [{ turnId: unfinishedTurnId, error: null }];
      return [...cut, ...deferred];
    },
    append(lines, effects = NO_EFFECTS) {
      const written = last.then(() => write(lines, effects));
      last = written;
      return written;
    },
    next: () => ({ generation: thread.generation, seq: thread.lines.length }),
    async persist() {
      const outcome = meta === null ? null : await journal.append([]);
      if (outcome !== null && outcome.kind !== "kept") return outcome;
      const held = fence();
      return held === null ? takenOver(thread.id) : { kind: "persisted", fence: held };
    },
    deferTurnEnd(end) {
      deferred = [...deferred, end];
    },
    continueTurn(turnId) {
      if (unfinishedTurnId === turnId) unfinishedTurnId = null;
    },
    facts: () => thread.state.facts,
    async close() {
      if (isClosed) return;
      if (deferred.length > 0) await journal.append([]);
      await last;
      isClosed = true;
      options.onClose();
      const held = fence();
      if (held !== null) await leases.release(held);
    },
  };
  return journal;
}

/** Acquires the lease of a new thread; false if another store has made it, or does. */
async function claimNew({ thread, leases, isMade }: MemoryJournalOptions): Promise<boolean> {
  // Without `isMade`, no other store knows the thread yet.
  const lease = await leases.acquire(thread.id, isMade === undefined ? "takeOver" : "ifFree");
  if (lease.kind === "elsewhere") return false;
  if (isMade?.() !== true) return true;
  await leases.release(lease.fence);
  return false;
}

function closed(threadId: string): AppendFailure {
  const message = `the journal of thread ${threadId} is closed`;
  return { kind: "unavailable", reason: "closed", message };
}

function takenOver(threadId: string): AppendFailure {
  const message = `another store has taken over thread ${threadId}; nothing more is written to it from here`;
  return { kind: "fenced", reason: "takenOver", message };
}
