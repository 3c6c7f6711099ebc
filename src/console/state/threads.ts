/** The list of threads, kept up to date by notifications that every connection receives. */

import { computed, signal } from "@preact/signals";
import { messageOf } from "../../base/errors.ts";
import type { Client } from "../../client/browser.ts";
import type {
  Thread,
  ThreadListResponse,
  ThreadStatus,
  ThreadSummary,
} from "../../protocol/generated/types.ts";
import { whenConnected } from "./server.ts";

/** A thread as a row of a list. */
export interface ThreadRow extends Omit<Thread, "turns"> {
  readonly unread?: boolean;
  /** Of the read state that the row shows. */
  readonly readRevision?: string | null;
  readonly queueLength?: number;
  readonly lastTurnStatus?: ThreadSummary["lastTurnStatus"];
  readonly totalTokens?: number | null;
  readonly cost?: number | null;
}

const fromSummary = ({ readState, ...summary }: ThreadSummary): Partial<ThreadRow> => ({
  ...summary,
  unread: readState !== null && readState.firstUnread !== null,
  readRevision: readState?.revision ?? null,
});

const PAGE = 50;

const rows = signal<ReadonlyMap<string, ThreadRow>>(new Map());
export const areThreadsLoaded = signal(false);
export const threadsFailure = signal<string | null>(null);
const nextCursor = signal<string | null>(null);

export const hasMore = computed(() => nextCursor.value !== null);
export const allThreads = computed(() =>
  [...rows.value.values()].toSorted((one, other) => recencyOf(other) - recencyOf(one)),
);
export const findThreadRow = (id: string): ThreadRow | undefined => rows.value.get(id);

export const recencyOf = ({ recencyAt, updatedAt }: ThreadRow): number => recencyAt ?? updatedAt;
export const titleOfThread = ({ name, preview }: Pick<ThreadRow, "name" | "preview">): string =>
  name?.trim() || preview.trim().split("\n", 1)[0] || "New thread";

export function followThreads(): void {
  let followed: Client | null = null;
  whenConnected((client) => {
    if (client !== followed) listenTo(client);
    followed = client;
    void load(client);
  });
}

function listenTo(client: Client): void {
  client.on("thread/started", ({ thread }) => put(thread));
  client.on("thread/status/changed", ({ threadId, status }) => change(threadId, { status }));
  client.on("thread/name/updated", ({ threadId, threadName }) =>
    change(threadId, { name: threadName ?? null }),
  );
  client.on("thread/closed", ({ threadId }) => change(threadId, { status: NOT_LOADED }));
  client.on("thread/summary/changed", ({ summary }) => change(summary.threadId, fromSummary(summary)));
  for (const gone of ["thread/archived", "thread/deleted"] as const)
    client.on(gone, ({ threadId }) => remove(threadId));
  client.on("thread/unarchived", ({ threadId }) => void reload(client, threadId));
}

const NOT_LOADED: ThreadStatus = { type: "notLoaded" };

async function load(client: Client): Promise<void> {
  try {
    const page = await client.request("thread/list", { limit: PAGE, withSummaries: true });
    rows.value = new Map(rowsOf(page));
    nextCursor.value = page.nextCursor;
    threadsFailure.value = null;
  } catch (error) {
    threadsFailure.value = messageOf(error);
  } finally {
    areThreadsLoaded.value = true;
  }
}

export async function loadMore(client: Client): Promise<void> {
  const cursor = nextCursor.peek();
  if (cursor === null) return;
  const page = await client.request("thread/list", { limit: PAGE, cursor, withSummaries: true });
  rows.value = new Map([...rows.value, ...rowsOf(page)]);
  nextCursor.value = page.nextCursor;
}

function rowsOf({ data, summaries = {} }: ThreadListResponse): [string, ThreadRow][] {
  return data.map((thread) => {
    const summary = summaries[thread.id];
    return [thread.id, summary === undefined ? thread : { ...thread, ...fromSummary(summary) }];
  });
}

export async function reload(client: Client, threadId: string): Promise<void> {
  const { thread } = await client.request("thread/read", { threadId, includeTurns: false });
  put(thread);
}

function put(thread: ThreadRow): void {
  rows.value = new Map([...rows.value, [thread.id, { ...rows.value.get(thread.id), ...thread }]]);
}

export function change(threadId: string, members: Partial<ThreadRow>): void {
  const row = rows.value.get(threadId);
  if (row !== undefined) put({ ...row, ...members });
}

function remove(threadId: string): void {
  rows.value = new Map([...rows.value].filter(([id]) => id !== threadId));
}

/** The thread is on the screen. */
export async function markRead(client: Client, { id, unread, readRevision }: ThreadRow): Promise<void> {
  if (unread !== true || readRevision == null) return;
  change(id, { unread: false });
  await client.request("thread/readState/update", {
    threadId: id,
    operation: { type: "read" },
    expectedRevision: readRevision,
  });
}
