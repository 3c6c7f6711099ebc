/**
 * The threads of one subject, for clients that may use no others. The owner of a thread never changes, so that it is
 * cached. A thread that does not exist has no owner.
 */
import type { Awaitable } from "../../base/awaitable.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ThreadStore } from "../../store/thread-store.ts";

export interface OwnThreads {
  /** Null for a token without a subject, which has no threads. */
  readonly subject: string | null;
  has(threadId: string): Awaitable<boolean>;
}

/** Until it is known which threads a client may use. */
export const NO_THREADS: OwnThreads = { subject: null, has: () => false };

export interface ThreadOwnersOptions {
  readonly engine: Pick<Engine, "find">;
  readonly threadStore: () => Promise<Pick<ThreadStore, "read">>;
}

const MAX_CACHED = 20_000;

/** Returns the threads of a subject. */
export function createThreadOwners({ engine, threadStore }: ThreadOwnersOptions) {
  const cached = new Map<string, string | null>();

  function ownerOf(threadId: string): Awaitable<string | null> {
    const known = cached.get(threadId);
    if (known !== undefined) return known;
    const loaded = engine.find(threadId);
    return loaded === undefined ? readOwner(threadId) : keep(threadId, loaded.view().owner ?? null);
  }

  async function readOwner(threadId: string): Promise<string | null> {
    const stored = await (await threadStore()).read(threadId);
    // It may be created under this id later.
    return stored === null ? null : keep(threadId, stored.facts.owner);
  }

  function keep(threadId: string, owner: string | null): string | null {
    const [oldest] = cached.keys();
    if (cached.size >= MAX_CACHED && oldest !== undefined) cached.delete(oldest);
    cached.set(threadId, owner);
    return owner;
  }

  return (subject: string | null): OwnThreads => ({
    subject,
    has(threadId) {
      if (subject === null) return false;
      const owner = ownerOf(threadId);
      return owner instanceof Promise ? owner.then((each) => each === subject) : owner === subject;
    },
  });
}

/** Whether a client may use a thing with this owner. Without an owner, only clients without a limit may. */
export function isOwn(own: OwnThreads | null, owner: string | null): boolean {
  return own === null || (owner !== null && owner === own.subject);
}

/** The members of a list that belong to own threads, or to none; all of them without a limit. */
export async function onlyOwn<T>(
  own: OwnThreads | null,
  list: readonly T[],
  threadIdOf: (each: T) => string | null,
): Promise<readonly T[]> {
  if (own === null) return list;
  const kept: T[] = [];
  for (const each of list) {
    const threadId = threadIdOf(each);
    if (threadId === null || (await own.has(threadId))) kept.push(each);
  }
  return kept;
}
