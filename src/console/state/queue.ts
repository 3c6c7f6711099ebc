/** The queues of all threads, kept up to date, and what can be done with them. */
import { computed, signal } from "@preact/signals";
import { messageOf } from "../../base/errors.ts";
import type { Client } from "../../client/browser.ts";
import type { QueuedTurn, QueueOverview } from "../../protocol/generated/types.ts";
import { moved } from "../text/describe-queue.ts";
import { client as connection, whenConnected } from "./server.ts";

const PAGE = 50;
/** Turns of a queue that are shown at first. */
const ROWS = 5;
/** Bounds of the lists of a page. */
const MAX_QUEUES = 500;
const MAX_TURNS = 1000;

const queues = signal<ReadonlyMap<string, QueueOverview>>(new Map());
/** All turns of the queues that were opened. */
const opened = signal<ReadonlyMap<string, readonly QueuedTurn[]>>(new Map());
export const areQueuesLoaded = signal(false);
export const queuesFailure = signal<string | null>(null);

export const allQueues = computed(() => [...queues.value.values()]);
export const turnCount = computed(() => allQueues.value.reduce((sum, { total }) => sum + total, 0));

export const turnsOf = ({ threadId, rows }: QueueOverview): readonly QueuedTurn[] =>
  opened.value.get(threadId) ?? rows;

/** Follows the notifications until the result is called. */
export function followQueues(): () => void {
  let stopListening = () => {};
  const stop = whenConnected((client) => {
    stopListening();
    stopListening = client.on("queue/changed", ({ queue }) => void put(client, queue));
    void load(client);
  });
  return () => {
    stop();
    stopListening();
    void connection
      .peek()
      ?.request("queue/list", { limit: 1, subscribe: false })
      .catch(() => {});
  };
}

async function load(client: Client): Promise<void> {
  try {
    const found = new Map<string, QueueOverview>();
    let cursor: string | null = null;
    do {
      const params = { cursor, limit: PAGE, rows: ROWS, subscribe: true };
      const page: { data: QueueOverview[]; nextCursor: string | null } = await client.request(
        "queue/list",
        params,
      );
      for (const queue of page.data) found.set(queue.threadId, queue);
      cursor = page.nextCursor;
    } while (cursor !== null && found.size < MAX_QUEUES);
    queues.value = found;
    queuesFailure.value = null;
    for (const threadId of opened.peek().keys()) void openAll(client, threadId).catch(() => {});
  } catch (error) {
    queuesFailure.value = messageOf(error);
  } finally {
    areQueuesLoaded.value = true;
  }
}

async function put(client: Client, queue: QueueOverview): Promise<void> {
  const { threadId, total } = queue;
  const next = new Map(queues.value);
  if (total === 0) next.delete(threadId);
  else next.set(threadId, queue);
  queues.value = next;
  if (opened.value.has(threadId)) await openAll(client, threadId).catch(() => {});
}

/** Reads all turns of a queue, with what the list leaves out of large ones. */
export async function openAll(client: Client, threadId: string): Promise<readonly QueuedTurn[]> {
  const turns: QueuedTurn[] = [];
  let cursor: string | null = null;
  do {
    const page: { data: QueuedTurn[]; nextCursor: string | null } = await client.request(
      "thread/queue/list",
      { threadId, cursor, limit: 100 },
    );
    turns.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null && turns.length < MAX_TURNS);
  opened.value = new Map([...opened.value, [threadId, turns]]);
  return turns;
}

/** The server takes the order of all turns. It is shown at once, and read again where the server refuses it. */
export async function move(client: Client, queue: QueueOverview, id: string, to: number): Promise<void> {
  const { threadId, total } = queue;
  const known = turnsOf(queue);
  const turns = known.length < total ? await openAll(client, threadId) : known;
  const order = moved(
    turns.map((turn) => turn.id),
    id,
    to,
  );
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const next = order.flatMap((each) => byId.get(each) ?? []);
  if (opened.peek().has(threadId)) opened.value = new Map([...opened.value, [threadId, next]]);
  else queues.value = new Map([...queues.value, [threadId, { ...queue, rows: next }]]);
  try {
    await client.request("thread/queue/reorder", { threadId, queuedSubmissionIds: [...order] });
  } catch (error) {
    await load(client);
    throw error;
  }
}
