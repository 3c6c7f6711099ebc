/** The list of threads, kept up to date by notifications that every connection receives. */
import { computed, signal } from "@preact/signals";
import type { Client } from "../../client/browser.ts";
import type { Thread, ThreadStatus } from "../../protocol/generated/types.ts";
import { whenConnected } from "./server.ts";

/** What a list shows of a thread. */
export interface ThreadRow extends Omit<Thread, "turns"> {
  readonly unread?: boolean;
  readonly queueLength?: number;
  readonly lastTurnStatus?: string | null;
  readonly totalTokens?: number | null;
}

const PAGE = 50;

const rows = signal<ReadonlyMap<string, ThreadRow>>(new Map());
export const isLoaded = signal(false);
export const failure = signal<string | null>(null);
const nextCursor = signal<string | null>(null);

export const hasMore = computed(() => nextCursor.value !== null);
export const all = computed(() =>
  [...rows.value.values()].toSorted((one, other) => recencyOf(other) - recencyOf(one)),
);
export const find = (id: string): ThreadRow | undefined => rows.value.get(id);

export const recencyOf = ({ recencyAt, updatedAt }: ThreadRow): number => recencyAt ?? updatedAt;
export const titleOf = ({ name, preview }: Pick<ThreadRow, "name" | "preview">): string =>
  name?.trim() || preview.trim().split("\n", 1)[0] || "New thread";

export function follow(): void {
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
  for (const gone of ["thread/archived", "thread/deleted"] as const)
    client.on(gone, ({ threadId }) => remove(threadId));
  client.on("thread/unarchived", ({ threadId }) => void reload(client, threadId));
}

const NOT_LOADED: ThreadStatus = { type: "notLoaded" };

async function load(client: Client): Promise<void> {
  try {
    const { data, nextCursor: next } = await client.request("thread/list", { limit: PAGE });
    rows.value = new Map(data.map((thread) => [thread.id, thread]));
    nextCursor.value = next;
    failure.value = null;
  } catch (error) {
    failure.value = error instanceof Error ? error.message : String(error);
  } finally {
    isLoaded.value = true;
  }
}

export async function loadMore(client: Client): Promise<void> {
  const cursor = nextCursor.peek();
  if (cursor === null) return;
  const { data, nextCursor: next } = await client.request("thread/list", { limit: PAGE, cursor });
  const more = data.map((thread): [string, ThreadRow] => [thread.id, thread]);
  rows.value = new Map([...rows.value, ...more]);
  nextCursor.value = next;
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
