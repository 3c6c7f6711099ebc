import type { Clock } from "../../base/clock.ts";
import { type AppendOutcome, fenced, type Journal, type OwedEnd } from "../journal.ts";
import type { Fence, Leases } from "../leases.ts";
import { toLegacyLines } from "../lines/legacy-lines.ts";
import type { LineBody } from "../lines/line.ts";
import type { EndedTurn } from "../pages/history-reader.ts";
import type { MemoryThread } from "./memory-thread.ts";

export interface JournalOptions {
  readonly thread: MemoryThread;
  readonly leases: Leases;
  readonly clock: Clock;
  /** What a thread that lasts has from the beginning; null for one that lasts already. */
  readonly meta: LineBody | null;
  /** Null for a thread that is claimed with its first append. */
  readonly fence: Fence | null;
  /** The turn that had no end when the thread was opened. */
  readonly cutTurnId: string | null;
  /** Shows a new thread to others. */
  readonly begin: () => void;
  readonly onClose: () => void;
}

export interface MemoryJournal extends Journal {
  readonly ended: readonly EndedTurn[];
}

export function createMemoryJournal(options: JournalOptions): MemoryJournal {
  const { thread, leases, clock, cutTurnId } = options;
  let { fence, meta } = options;
  let owed: readonly OwedEnd[] = [];
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();

  const inThread = (bodies: readonly LineBody[]) =>
    thread.isLegacy ? bodies.flatMap(toLegacyLines) : bodies;

  async function write(given: readonly LineBody[]): Promise<AppendOutcome> {
    const place = `thread ${thread.id}`;
    if (isClosed)
      return { kind: "unavailable", reason: "closed", message: `the journal of ${place} is closed` };
    if (fence === null) {
      // Nobody else can know of it.
      const lease = await leases.acquire(thread.id, "takeOver");
      if (lease.kind === "held") ({ fence } = lease);
    }
    if (fence === null || (await leases.confirm(fence)) === null) return fenced(place, "has taken over");
    const now = clock.now();
    if (meta !== null) {
      thread.append([meta], now);
      meta = null;
      options.begin();
    }
    const ends = owed;
    owed = [];
    thread.append(inThread(ends.map(({ line }) => line)), now);
    const firstSeq = thread.lines.length;
    thread.append(inThread(given), now);
    return { kind: "kept", firstSeq };
  }

  const journal: MemoryJournal = {
    threadId: thread.id,
    location: null,
    get fence() {
      return fence;
    },
    get isDurable() {
      return meta === null;
    },
    get ended() {
      const cut = cutTurnId === null ? [] : [{ turnId: cutTurnId, error: null }];
      return [...cut, ...owed];
    },
    append(lines) {
      const written = last.then(() => write(lines));
      last = written;
      return written;
    },
    owe(end) {
      owed = [...owed, end];
    },
    // What is in memory does not vanish.
    onRestored() {},
    facts: () => thread.state.facts,
    async close() {
      if (isClosed) return;
      if (owed.length > 0) await journal.append([]);
      await last;
      isClosed = true;
      options.onClose();
      if (fence !== null) await leases.release(fence);
    },
  };
  return journal;
}
