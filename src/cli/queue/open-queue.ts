/** The queues of a home, past any server: one that runs hears of what is changed here from the store. */
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { BYTE_LIMITS } from "../../queue/queue-limits.ts";
import { type ConfigOptions, openConfigSource } from "../../server/configuration/config-source.ts";
import { unwrapConfig } from "../../server/configuration/refusal.ts";
import { parseThreadId } from "../../server/threads/thread-id.ts";
import { openStore } from "../../store/open/open-store.ts";
import type { Queue, QueueLimits } from "../../store/queue.ts";
import type { StoredThread, ThreadStore } from "../../store/thread-store.ts";

export interface OpenQueue {
  readonly queue: Queue;
  readonly threads: Pick<ThreadStore, "read" | "list">;
  readonly limits: QueueLimits;
  readonly createId: () => string;
  close(): Promise<void>;
}

/** Throws in words where the configuration cannot be read or the database cannot be used. */
export async function openQueue(settings: Omit<ConfigOptions, "createId">): Promise<OpenQueue> {
  const createId = createUuidSource(systemClock);
  const source = await openConfigSource({ ...settings, createId });
  const { values } = unwrapConfig(await (await source.get()).effective());
  const { durability, queue } = values;
  const store = await openStore({
    home: source.home,
    clock: systemClock,
    log: silentLogger,
    createId,
    durability,
  });
  return {
    queue: store.queue,
    threads: store.threads,
    limits: { ...BYTE_LIMITS, maxRows: queue.max_per_thread },
    createId,
    close: () => store.close(),
  };
}

/** The id of the thread with this id or with exactly this name; throws in words where it cannot be told or is archived. */
export async function findThread(threads: OpenQueue["threads"], word: string): Promise<string> {
  const id = toThreadId(word);
  if (id !== null) {
    const stored = await threads.read(id);
    if (stored === null)
      throw new Error(`there is no thread ${id}: one is kept from its first turn or queued turn on`);
    return refuseArchived(stored);
  }
  const named = await findNamed(threads, word, false);
  if (named.length > 1)
    throw new Error(
      `${named.length} threads are called '${word}': use the id of one, ${named.map(({ threadId }) => threadId).join(" or ")}`,
    );
  const [found] = named.length > 0 ? named : await findNamed(threads, word, true);
  if (found === undefined) throw new Error(`there is no thread with the id or the name '${word}'`);
  return refuseArchived(found);
}

function toThreadId(word: string): string | null {
  try {
    return parseThreadId(word);
  } catch {
    return null;
  }
}

function refuseArchived({ threadId, archived }: StoredThread): string {
  if (!archived) return threadId;
  throw new Error(`thread ${threadId} is archived: unarchive it first, with thread/unarchive`);
}

const PAGE = 100;

async function findNamed(
  threads: OpenQueue["threads"],
  name: string,
  archived: boolean,
): Promise<StoredThread[]> {
  const found: StoredThread[] = [];
  let cursor: string | null = null;
  do {
    const page = await threads.list({ archived, searchTerm: name, cursor, limit: PAGE });
    if (page.kind === "refused") throw new Error(page.message);
    found.push(...page.data.filter(({ details }) => details.name === name));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}
