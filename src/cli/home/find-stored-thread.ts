/** Resolves a thread reference of the command line: an id, a name, or an id prefix. */

import { printable } from "../../base/printable.ts";
import { isRefusal } from "../../base/refusal.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import type { StoredThread, ThreadListQuery, ThreadStore } from "../../store/thread-store.ts";

export type ThreadReader = Pick<ThreadStore, "read" | "list">;

/** Throws if the reference is unknown or ambiguous. Unarchived threads take precedence over archived ones. */
export async function findStoredThread(
  threads: ThreadReader,
  reference: string,
  /** Ids of threads with queued turns: lists omit threads without a first message. */
  queued: () => Promise<readonly string[]> = async () => [],
): Promise<StoredThread> {
  const id = toThreadId(reference);
  if (id !== null) {
    const stored = await threads.read(id);
    if (stored !== null) return stored;
    throw new Error(`there is no thread ${id}: one is kept from its first turn or queued turn on`);
  }
  const named = (archived: boolean) =>
    collect(threads, { archived, searchTerm: reference }, ({ details }) => details.name === reference);
  const prefixed = (archived: boolean) =>
    isIdPrefix(reference)
      ? collect(threads, { archived }, ({ threadId }) => threadId.startsWith(reference.toLowerCase()))
      : Promise.resolve([]);
  for (const [find, what] of [
    [named, "are called"],
    [prefixed, "have ids that begin with"],
  ] as const) {
    for (const archived of [false, true]) {
      const [found, ...others] = await find(archived);
      if (found !== undefined && others.length === 0) return found;
      if (found !== undefined) throw ambiguous(reference, what, [found, ...others]);
    }
  }
  const queuedOnly = await readNamed(threads, reference, await queued());
  const [found, ...others] = queuedOnly;
  if (found !== undefined && others.length > 0) throw ambiguous(reference, "are called", queuedOnly);
  if (found !== undefined) return found;
  throw new Error(`there is no thread with the id or the name '${printable(reference)}'`);
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

/** Throws for an archived thread. */
export function assertNotArchived({ threadId, archived }: StoredThread): void {
  if (archived)
    throw new Error(`thread ${threadId} is archived: unarchive it first, with heddle threads unarchive`);
}

const MAX_NAMED = 5;

function ambiguous(reference: string, what: string, found: readonly StoredThread[]): Error {
  const ids = found.slice(0, MAX_NAMED).map(({ threadId }) => threadId);
  const more = found.length > MAX_NAMED ? " or another" : "";
  return new Error(
    `${found.length} threads ${what} '${printable(reference)}': use the id of one, ${ids.join(" or ")}${more}`,
  );
}

function toThreadId(reference: string): string | null {
  const id = parseThreadId(reference);
  return isRefusal(id) ? null : id;
}

/** Shorter prefixes would match by chance. */
function isIdPrefix(reference: string): boolean {
  return /^[0-9a-f][0-9a-f-]{3,35}$/i.test(reference);
}

const PAGE = 100;

async function collect(
  threads: ThreadReader,
  query: ThreadListQuery,
  isMatch: (thread: StoredThread) => boolean,
): Promise<StoredThread[]> {
  const found: StoredThread[] = [];
  let cursor: string | null = null;
  do {
    const page = await threads.list({ ...query, cursor, limit: PAGE });
    if (page.kind === "refused") throw new Error(page.message);
    found.push(...page.data.filter(isMatch));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}
