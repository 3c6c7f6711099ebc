/** The summaries that lists of threads show, from the index of the store and from memory, without the history. */
import { isRefusal } from "../../base/refusal.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type {
  ThreadReadState,
  ThreadSummary,
  ThreadTokenUsage,
  ThreadWaiting,
  TurnStatus,
} from "../../protocol/generated/types.ts";
import type { Store } from "../../store/store.ts";
import type { StoredThread } from "../../store/thread-store.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import { NO_ROWS } from "../queue/queue-limits.ts";
import { readStatesOf } from "../threads/read-states.ts";
import { costOf, readPrices } from "./cost.ts";

export interface ThreadSummaryOptions {
  readonly store: () => Promise<Pick<Store, "threads" | "queue">>;
  readonly engine: Pick<Engine, "find">;
  /** The threads, not loaded here, whose turns wait; of one thread if it is named. */
  readonly waitingThreads: (threadId?: string) => Promise<ReadonlyMap<string, ThreadWaiting>>;
  readonly config: Pick<ConfigSource, "get">;
}

export interface ThreadSummaries {
  /** Null for a thread that is neither stored nor loaded. */
  read(threadId: string): Promise<ThreadSummary | null>;
  readAll(entries: readonly StoredThread[], known: SummaryFacts): Promise<ReadonlyMap<string, ThreadSummary>>;
}

/** Facts of several threads that are read at once. */
export interface SummaryFacts {
  readonly waiting: ReadonlyMap<string, ThreadWaiting>;
  readonly readStates: Readonly<Record<string, ThreadReadState>>;
}

export function createThreadSummaries({
  store,
  engine,
  waitingThreads,
  config,
}: ThreadSummaryOptions): ThreadSummaries {
  async function summarize(entry: StoredThread, known: SummaryFacts): Promise<ThreadSummary> {
    const { threads, queue } = await store();
    const { threadId, facts, details } = entry;
    const thread = engine.find(threadId);
    const { status, cwd, waiting, isRunning, usage, model } =
      thread === undefined
        ? stored(entry, known.waiting.get(threadId) ?? null)
        : live(thread, facts.tokenUsage);
    const { total } = await queue.list(threadId, NO_ROWS);
    return {
      threadId,
      name: details.name,
      preview: facts.preview,
      cwd,
      status,
      waiting,
      readState: known.readStates[threadId] ?? null,
      queueLength: total,
      totalTokens: usage?.total.totalTokens ?? null,
      cost: usage === null ? null : costOf(model ?? "", usage.total, await readPrices(config)),
      lastTurnStatus: isRunning ? "inProgress" : await lastStatus(threads, threadId),
      updatedAt: Math.floor(facts.updatedAtMs / 1000),
    };
  }

  return {
    async read(threadId) {
      const { threads } = await store();
      const entry = await threads.read(threadId);
      if (entry === null) return readLoaded(engine, threadId);
      const readStates = await readStatesOf({ threadStore: threads, engine }, [entry]);
      return summarize(entry, { waiting: await waitingThreads(threadId), readStates });
    },
    async readAll(entries, known) {
      const summaries = new Map<string, ThreadSummary>();
      for (const entry of entries) summaries.set(entry.threadId, await summarize(entry, known));
      return summaries;
    },
  };
}

function stored({ facts }: StoredThread, waiting: ThreadWaiting | null) {
  const status = { type: "notLoaded" } as const;
  const { cwd, model, tokenUsage: usage } = facts;
  return { status, cwd, model, waiting, isRunning: waiting !== null, usage };
}

/** The usage of a loaded thread is that of the store until its model has answered. */
function live(thread: Thread, storedUsage: ThreadTokenUsage | null) {
  const { status, cwd, model } = thread.view();
  const waiting = thread.waiting();
  const isRunning = waiting !== null || thread.activeTurnId !== null;
  return { status, cwd, model, waiting, isRunning, usage: thread.usage() ?? storedUsage };
}

async function lastStatus(
  threads: Pick<Store["threads"], "turns">,
  threadId: string,
): Promise<TurnStatus | null> {
  const page = await threads.turns(threadId, { direction: "desc", limit: 1, itemsView: "notLoaded" });
  if (isRefusal(page)) return null;
  const status = page.data[0]?.status ?? null;
  // No process runs it any more.
  return status === "inProgress" ? "interrupted" : status;
}

/** A thread that has no lines yet, or never has any. */
function readLoaded(engine: Pick<Engine, "find">, threadId: string): ThreadSummary | null {
  const thread = engine.find(threadId);
  if (thread === undefined) return null;
  const { preview, cwd, status, updatedAt, name } = thread.view();
  return {
    threadId,
    name,
    preview,
    cwd,
    status,
    waiting: thread.waiting(),
    readState: null,
    queueLength: 0,
    totalTokens: thread.usage()?.total.totalTokens ?? null,
    cost: null,
    lastTurnStatus: thread.activeTurnId === null ? null : "inProgress",
    updatedAt,
  };
}
