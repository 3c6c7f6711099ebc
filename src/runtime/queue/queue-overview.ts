/** The queues of all threads: the heads of each, and why the first turn waits. */
import type { Awaitable } from "../../base/awaitable.ts";
import type { Engine } from "../../engine/engine.ts";
import type { QueueOverview } from "../../protocol/generated/types.ts";
import type { Store } from "../../store/store.ts";
import { showAuditEntry } from "../access/show-audit-entry.ts";
import { toQueuedTurn } from "./queue-entry.ts";
import { MAX_PAGE_BYTES } from "./queue-limits.ts";
import type { QueuedTurns } from "./queued-turns.ts";

export interface QueueOverviewOptions {
  readonly store: () => Promise<Pick<Store, "queue" | "threads" | "audit">>;
  readonly engine: Pick<Engine, "find">;
  readonly holdOf: QueuedTurns["holdOf"];
}

export interface QueueOverviewQuery {
  /** The last thread of the page before. */
  readonly after: string | null;
  readonly limit: number;
  /** How many rows of each queue are shown. */
  readonly rows: number;
  /** Whether the queue of a thread is listed. */
  readonly mayRead: ((threadId: string) => Awaitable<boolean>) | null;
}

export interface QueueOverviewPage {
  readonly data: readonly QueueOverview[];
  readonly nextCursor: string | null;
}

/** Threads that were created last come first, because ids of threads are in the order of time. */
export async function listQueues(
  options: QueueOverviewOptions,
  { after, limit, rows, mayRead }: QueueOverviewQuery,
): Promise<QueueOverviewPage> {
  const { queue } = await options.store();
  const ids = [...(await queue.threads())].sort().reverse();
  const data: QueueOverview[] = [];
  for (const threadId of after === null ? ids : ids.filter((id) => id < after)) {
    if (mayRead !== null && !(await mayRead(threadId))) continue;
    const overview = await readQueueOverview(options, threadId, rows);
    // The only turn of the queue is being started.
    if (overview.total === 0 && overview.pauseReason === null) continue;
    if (data.length === limit) return { data, nextCursor: data.at(-1)?.threadId ?? null };
    data.push(overview);
  }
  return { data, nextCursor: null };
}

export async function readQueueOverview(
  { store, engine, holdOf }: QueueOverviewOptions,
  threadId: string,
  limit: number,
): Promise<QueueOverview> {
  const { queue, threads, audit } = await store();
  const page = { offset: 0, limit, maxBytes: MAX_PAGE_BYTES / 8, atLeast: 0, isOutline: true } as const;
  const { rows, total, pause } = await queue.list(threadId, page);
  const entry = await threads.read(threadId);
  const [lastChange] = await audit.list({ threadId, text: "thread/queue/", limit: 1 });
  const view = engine.find(threadId)?.view();
  return {
    threadId,
    name: entry?.details.name ?? null,
    preview: entry?.facts.preview ?? view?.preview ?? "",
    cwd: view?.cwd ?? entry?.facts.cwd ?? null,
    pauseReason: pause,
    heldUpBy: await holdOf(threadId, { row: rows[0], pause }),
    rows: rows.map(toQueuedTurn),
    total,
    lastChange: lastChange === undefined ? null : showAuditEntry(lastChange),
  };
}
