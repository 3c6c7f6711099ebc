/**
 * A thread with a queue on a real in-memory store, with a journal that is a list of turns, and processes that
 * can die.
 */
import { createFakeClock, type FakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import { type Accepted, accepted } from "../../engine/state/accepted.ts";
import type { Turn, TurnError } from "../../protocol/generated/types.ts";
import type { Fence } from "../../store/leases.ts";
import { createMemory, createMemoryStore, type MemoryStore } from "../../store/memory/memory-store.ts";
import type { NewRow, Queue, RowList } from "../../store/queue.ts";
import type { QueuedTurnEnd } from "../../store/queue-log.ts";
import type { Store } from "../../store/store.ts";
import { LaneHeld } from "../threads/lane.ts";
import type { FinishedTurn, QueueThreads } from "./dispatcher.ts";
import type { QueueSettings } from "./queue-recovery.ts";
import { createTurnQueue, type TurnQueue } from "./turn-queue.ts";

export const THREAD = "thread";

/** The outcome of the next turn that is started from the queue. */
export type NextStart =
  | "accepted"
  | "refused"
  /** The process dies before the journal has the turn. */
  | "diesBefore"
  /** The process dies with the turn in the journal, and the row still claimed. */
  | "diesAfter";

export interface QueueHarness {
  readonly clock: FakeClock;
  readonly store: () => Store;
  readonly queue: () => TurnQueue;
  /** The rows of the turns in the journal, in order; null for direct turns. */
  readonly journal: (string | null)[];
  /** The list of the last notification to clients. */
  readonly published: () => RowList | null;
  /** Threads that were reported as due. */
  readonly due: string[];
  next: NextStart;
  /** Operations that the store refuses from now on, as on a full disk. */
  readonly refused: Set<keyof Queue>;
  settings: QueueSettings;
  row(text: string, more?: Partial<NewRow>): NewRow;
  /** Begins a direct turn unless one is running. */
  direct(): boolean;
  /** Ends the running turn, with the event of the engine. */
  end(how: FinishedTurn["how"]): Promise<void>;
  /** Resolves when the work is done, or its process has died in the middle of it. */
  until(work: Promise<unknown>): Promise<void>;
  /** A new process loads the thread; work of the old one is lost. */
  restart(): Promise<void>;
  readonly isRunning: () => boolean;
  readonly isDead: () => boolean;
}

export const REFUSED: TurnError = {
  message: "it cannot be started",
  codexErrorInfo: null,
  additionalDetails: null,
  misalignment: null,
};

/** The end of a turn that has none in the journal. */
export const CUT_OFF_END: QueuedTurnEnd = {
  how: "interrupted",
  atMs: 5,
  durationMs: null,
  tokens: null,
  error: null,
};

interface Process {
  readonly store: MemoryStore;
  readonly queue: TurnQueue;
  fence: Fence | null;
  running: boolean;
  isDead: boolean;
  readonly died: Promise<void>;
}

export function createQueueHarness(): QueueHarness {
  const clock = createFakeClock(Date.UTC(2026, 10, 16));
  const memory = createMemory();
  const turnIds = new Map<string, string | null>();
  let last: RowList | null = null;
  let made = 0;
  let lastTurn: FinishedTurn | null = null;
  let process = open();

  const harness: QueueHarness = {
    clock,
    store: () => process.store,
    queue: () => process.queue,
    journal: [],
    published: () => last,
    due: [],
    next: "accepted",
    refused: new Set(),
    settings: { maxRows: 100, afterInterrupt: "continue", afterFailure: "continue", afterCrash: "failed" },
    row: (text, more = {}) => newRow((made += 1), text, more),
    direct() {
      if (process.running || process.isDead) return false;
      process.running = true;
      harness.journal.push(null);
      return true;
    },
    async end(how) {
      if (!process.running) return;
      process.running = false;
      lastTurn = { turnId: `end-${(made += 1)}`, how };
      begin(await process.queue.turnEnded(held(), lastTurn));
    },
    until: (work) => Promise.race([work.then(() => {}), process.died]),
    async restart() {
      if (process.running || process.isDead)
        lastTurn = { turnId: `cut-off-${(made += 1)}`, how: "interrupted" };
      process = open();
      // A new client has not received earlier notifications.
      last = null;
      const lease = await process.store.leases.acquire(THREAD, "ifFree");
      if (lease.kind !== "held") throw new Error("the old process still has the thread");
      process.fence = lease.fence;
      await harness.until(process.queue.loaded(held()).then(begin));
    },
    isRunning: () => process.running,
    isDead: () => process.isDead,
  };

  function open(): Process {
    const died = createDeferred<void>();
    const self = { running: false, isDead: false, fence: null as Fence | null, died: died.promise };
    made += 1;
    const store = createMemoryStore(memory, {
      clock,
      owner: `process-${made}`,
      isAlive: () => process === whole,
    });
    const refusable = refusing(store.queue, () => harness.refused);
    const queue = createTurnQueue({
      queue: refusable,
      threads: fakeThreads(self, {
        started: (...row) => ackStarted(refusable, self.fence, ...row),
        harness: () => harness,
        turnIds,
        lastTurn: () => lastTurn,
        die: died.resolve,
      }),
      clock,
      log: silentLogger,
      createId: () => `turn-${(made += 1)}`,
      settings: async () => harness.settings,
      publish(_threadId, rows) {
        if (process === whole) last = rows;
      },
      onDue: (threadId) => harness.due.push(threadId),
    });
    const whole: Process = Object.assign(self, { store, queue });
    return whole;
  }

  return harness;
}

function newRow(number: number, text: string, more: Partial<NewRow>): NewRow {
  const key = `key-${number}`;
  return { rowId: `row-${number}`, clientUserMessageId: key, params: { text }, notBeforeMs: null, ...more };
}

/** Does what the append of a turn's start does with its effect on the row. */
async function ackStarted(queue: Queue, fence: Fence | null, rowId: string, turnId: string): Promise<void> {
  if (fence !== null) await queue.ack(fence, rowId, turnId, { kind: "started", preview: "" });
}

function refusing(queue: Queue, refused: () => ReadonlySet<keyof Queue>): Queue {
  return {
    ...queue,
    async ack(...given) {
      if (refused().has("ack")) throw new Error("the disk is full");
      return queue.ack(...given);
    },
    async recover(...given) {
      if (refused().has("recover")) throw new Error("the database is locked");
      return queue.recover(...given);
    },
  };
}

function begin(turn: Pick<Accepted<Turn>, "begin"> | null): void {
  turn?.begin();
}

/** A test is the only user of the lane. */
export const held = (): LaneHeld => new LaneHeld(THREAD);

interface FakeThreadsOptions {
  readonly harness: () => Pick<QueueHarness, "next" | "journal">;
  readonly turnIds: Map<string, string | null>;
  readonly lastTurn: () => FinishedTurn | null;
  readonly die: () => void;
  /** Called with the append that starts a turn, or with the next one. */
  readonly started: (rowId: string, turnId: string) => Promise<void>;
}

function fakeThreads(
  self: Pick<Process, "running" | "isDead" | "fence">,
  { harness, turnIds, lastTurn, die, started }: FakeThreadsOptions,
): QueueThreads {
  let effects: (() => Promise<void>)[] = [];

  /** False if the store refuses them. */
  async function flush(): Promise<boolean> {
    try {
      for (const effect of effects) await effect();
      effects = [];
      return true;
    } catch {
      return false;
    }
  }

  return {
    fenceOf: () => self.fence,
    persist: async () => ((await flush()) ? self.fence : null),
    isFree: () => self.fence !== null && !self.running && !self.isDead,
    async lastTurns(_threadId, limit) {
      const last = lastTurn();
      const started = [...turnIds.keys()].map((turnId) => ({
        turnId,
        how: CUT_OFF_END.how,
        end: CUT_OFF_END,
      }));
      return [...(last === null ? [] : [{ ...last, end: CUT_OFF_END }]), ...started].slice(0, limit);
    },
    async start(_held, { rowId }, turnId) {
      const { next: how, journal } = harness();
      harness().next = "accepted";
      if (how === "refused") return { kind: "failed", error: REFUSED };
      if (how !== "diesBefore") {
        journal.push(rowId);
        turnIds.set(turnId, rowId);
      }
      if (how !== "accepted") {
        self.isDead = true;
        die();
        return new Promise(() => {});
      }
      effects.push(() => started(rowId, turnId));
      await flush();
      self.running = true;
      return accepted({ id: turnId } as Turn);
    },
  };
}
