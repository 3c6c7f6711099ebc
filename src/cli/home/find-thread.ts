/** The thread that a word of the command line means: its id, its name, or the beginning of its id. */

import { printable } from "../../base/printable.ts";
import { isRefusal } from "../../base/refusal.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import type { StoredThread, ThreadListQuery, ThreadStore } from "../../store/thread-store.ts";

export type ThreadReader = Pick<ThreadStore, "read" | "list">;

/** Throws in words where it cannot be told which thread is meant. Of threads with one name, those that are not archived are meant. */
export async function findThread(
  threads: ThreadReader,
  word: string,
  /** Threads in which turns wait: lists leave those out that nothing was said in yet. */
  queued: () => Promise<readonly string[]> = async () => [],
): Promise<StoredThread> {
  const id = toThreadId(word);
  if (id !== null) {
    const stored = await threads.read(id);
    if (stored !== null) return stored;
    throw new Error(`there is no thread ${id}: one is kept from its first turn or queued turn on`);
  }
  const named = (archived: boolean) =>
    collect(threads, { archived, searchTerm: word }, ({ details }) => details.name === word);
  const begun = (archived: boolean) =>
    isBeginning(word)
      ? collect(threads, { archived }, ({ threadId }) => threadId.startsWith(word.toLowerCase()))
      : Promise.resolve([]);
  for (const [find, what] of [
    [named, "are called"],
    [begun, "have ids that begin with"],
  ] as const) {
    for (const archived of [false, true]) {
      const [found, ...others] = await find(archived);
      if (found !== undefined && others.length === 0) return found;
      if (found !== undefined) throw ambiguous(word, what, [found, ...others]);
    }
  }
  const silent = await readNamed(threads, word, await queued());
  const [found, ...others] = silent;
  if (found !== undefined && others.length > 0) throw ambiguous(word, "are called", silent);
  if (found !== undefined) return found;
  throw new Error(`there is no thread with the id or the name '${printable(word)}'`);
}

async function readNamed(
  threads: ThreadReader,
  name: string,
  threadIds: readonly string[],
): Promise<StoredThread[]> {
  const found: StoredThread[] = [];
  for (const threadId of threadIds) {
    const stored = await threads.read(threadId);
    if (stored?.details.name === name) found.push(stored);
  }
  return found;
}

/** Throws where a thread is archived, with what to do about it. */
export function refuseArchived({ threadId, archived }: StoredThread): void {
  if (archived)
    throw new Error(`thread ${threadId} is archived: unarchive it first, with heddle threads unarchive`);
}

const MOST_NAMED = 5;

function ambiguous(word: string, what: string, found: readonly StoredThread[]): Error {
  const ids = found.slice(0, MOST_NAMED).map(({ threadId }) => threadId);
  const more = found.length > MOST_NAMED ? " or another" : "";
  return new Error(
    `${found.length} threads ${what} '${printable(word)}': use the id of one, ${ids.join(" or ")}${more}`,
  );
}

function toThreadId(word: string): string | null {
  const id = parseThreadId(word);
  return isRefusal(id) ? null : id;
}

/** Shorter ones would mean threads by chance. */
function isBeginning(word: string): boolean {
  return /^[0-9a-f][0-9a-f-]{3,35}$/i.test(word);
}

const PAGE = 100;

async function collect(
  threads: ThreadReader,
  query: ThreadListQuery,
  isMeant: (thread: StoredThread) => boolean,
): Promise<StoredThread[]> {
  const found: StoredThread[] = [];
  let cursor: string | null = null;
  do {
    const page = await threads.list({ ...query, cursor, limit: PAGE });
    if (page.kind === "refused") throw new Error(page.message);
    found.push(...page.data.filter(isMeant));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}
