/** A thread with a queue on a real store in memory, a journal that is a list of turns, and processes that can die. */
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
import type { EndedTurn, QueueThreads } from "./dispatcher.ts";
import type { QueueSettings } from "./queue-recovery.ts";
import { createTurnQueue, type TurnQueue } from "./turn-queue.ts";

export const THREAD = "thread";

/** What happens to the next turn that is started from the queue. */
export type NextStart =
  | "accepted"
  | "refused"
  /** The process dies before the journal has the turn. */
  | "diesBefore"
  /** The process dies with the turn in the journal, and the row still claimed. */
  | "diesAfter";

export interface QueueGround {
  readonly clock: FakeClock;
  readonly store: () => Store;
  readonly queue: () => TurnQueue;
  /** The rows of the turns that the journal has, in their order; null for direct turns. */
  readonly journal: (string | null)[];
  /** What clients were told of last. */
  readonly published: () => RowList | null;
  /** Threads of which it was said that they have something to start. */
  readonly due: string[];
  next: NextStart;
  /** Steps that the store refuses from now on, as it does on a full disk. */
  readonly refused: Set<keyof Queue>;
  settings: QueueSettings;
  row(text: string, more?: Partial<NewRow>): NewRow;
  /** Begins a direct turn, where nothing runs. */
  direct(): boolean;
  /** Ends what runs, as the engine tells of it. */
  end(how: EndedTurn["how"]): Promise<void>;
  /** Resolves when the work is done, or its process has died in the middle of it. */
  until(work: Promise<unknown>): Promise<void>;
  /** A new process loads the thread; whatever the old one was doing is over. */
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

/** What the journal says of a turn that did not end. */
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

export function createQueueGround(): QueueGround {
  const clock = createFakeClock(Date.UTC(2026, 10, 16));
  const memory = createMemory();
  const turnIds = new Map<string, string | null>();
  let last: RowList | null = null;
  let made = 0;
  let lastTurn: EndedTurn | null = null;
  let process = open();

  const ground: QueueGround = {
    clock,
    store: () => process.store,
    queue: () => process.queue,
    journal: [],
    published: () => last,
    due: [],
    next: "accepted",
    refused: new Set(),
    settings: { maxRows: 100, afterInterrupt: "continue", afterFailure: "continue" },
    row: (text, more = {}) => newRow((made += 1), text, more),
    direct() {
      if (process.running || process.isDead) return false;
      process.running = true;
      ground.journal.push(null);
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
      // Whoever connects anew knows nothing of what was.
      last = null;
      const lease = await process.store.leases.acquire(THREAD, "ifFree");
      if (lease.kind !== "held") throw new Error("the old process still has the thread");
      process.fence = lease.fence;
      await ground.until(process.queue.loaded(held()).then(begin));
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
    const refusable = refusing(store.queue, () => ground.refused);
    const queue = createTurnQueue({
      queue: refusable,
      threads: fakeThreads(self, {
        started: (...row) => ackStarted(refusable, self.fence, ...row),
        ground: () => ground,
        turnIds,
        lastTurn: () => lastTurn,
        die: died.resolve,
      }),
      clock,
      log: silentLogger,
      createId: () => `turn-${(made += 1)}`,
      settings: async () => ground.settings,
      publish(_threadId, rows) {
        if (process === whole) last = rows;
      },
      onDue: (threadId) => ground.due.push(threadId),
    });
    const whole: Process = Object.assign(self, { store, queue });
    return whole;
  }

  return ground;
}

function newRow(number: number, text: string, more: Partial<NewRow>): NewRow {
  const key = `key-${number}`;
  return { rowId: `row-${number}`, clientUserMessageId: key, params: { text }, notBeforeMs: null, ...more };
}

/** As the append of the turn's beginning does, with the row as its effect. */
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

/** Nothing else runs beside what a test does. */
export const held = (): LaneHeld => new LaneHeld(THREAD);

interface FakeThreadsOptions {
  readonly ground: () => Pick<QueueGround, "next" | "journal">;
  readonly turnIds: Map<string, string | null>;
  readonly lastTurn: () => EndedTurn | null;
  readonly die: () => void;
  /** As a journal does it with the lines that begin a turn, or with what is kept next. */
  readonly started: (rowId: string, turnId: string) => Promise<void>;
}

function fakeThreads(
  self: Pick<Process, "running" | "isDead" | "fence">,
  { ground, turnIds, lastTurn, die, started }: FakeThreadsOptions,
): QueueThreads {
  let effects: (() => Promise<void>)[] = [];

  /** False where the store cannot take them. */
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
      const { next: how, journal } = ground();
      ground().next = "accepted";
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
