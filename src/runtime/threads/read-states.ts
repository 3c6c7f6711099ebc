// The read state of threads. The store has the authoritative state; a loaded thread has a copy.

import { messageOf } from "../../base/errors.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ThreadReadState } from "../../protocol/generated/types.ts";
import type { StoredThread, ThreadStore } from "../../store/thread-store.ts";
import type { RuntimeDeps } from "../setup/runtime-deps.ts";

/** The default: a thread without a stored state counts as read. */
function untouched(threadId: string): ThreadReadState {
  return { firstUnread: null, revision: `initial:${threadId}` };
}

/** Threads of agents and automations are never unread. */
function isReadByUser({ facts }: StoredThread): boolean {
  const { source, threadSource } = facts;
  const isAgent = typeof source === "object" && "subAgent" in source;
  return !isAgent && (threadSource === null || threadSource === "user");
}

export interface ReadStateParts {
  readonly threadStore: ThreadStore;
  readonly engine: Pick<Engine, "find">;
}

/** Read states of the threads that a user reads. */
export async function readStatesOf(
  { threadStore, engine }: ReadStateParts,
  entries: readonly StoredThread[],
): Promise<Record<string, ThreadReadState>> {
  const ids = entries.filter(isReadByUser).map(({ threadId }) => threadId);
  const known = await threadStore.readStates(ids);
  const stateOf = (id: string) => engine.find(id)?.readState.current() ?? known.get(id) ?? untouched(id);
  return Object.fromEntries(ids.map((id) => [id, stateOf(id)]));
}

export async function readStateOf(
  parts: ReadStateParts,
  entry: StoredThread,
): Promise<ThreadReadState | null> {
  return (await readStatesOf(parts, [entry]))[entry.threadId] ?? null;
}

export interface ReadStateChange {
  readonly entry: StoredThread;
  readonly firstUnread: ThreadReadState["firstUnread"];
  readonly expectedRevision: string;
  readonly revision: string;
}

export type ReadStateOutcome =
  | { readonly kind: "changed"; readonly readState: ThreadReadState }
  /** The state has changed since the expected revision. */
  | { readonly kind: "conflict"; readonly readState: ThreadReadState }
  | { readonly kind: "unavailable" };

export async function changeReadState(
  parts: ReadStateParts,
  { entry, firstUnread, expectedRevision, revision }: ReadStateChange,
): Promise<ReadStateOutcome> {
  const before = await readStateOf(parts, entry);
  if (before === null) return { kind: "unavailable" };
  if (before.revision !== expectedRevision) return { kind: "conflict", readState: before };
  const { threadId } = entry;
  const readState = { firstUnread, revision };
  parts.engine.find(threadId)?.readState.set(readState);
  await keepReadState(parts.threadStore, threadId, readState);
  return { kind: "changed", readState };
}

/** Stores the current state of a loaded thread; a stored state is always older. */
async function keepReadState(
  threadStore: ThreadStore,
  threadId: string,
  readState: ThreadReadState,
): Promise<void> {
  // Most states that are stored are the first of their thread.
  if (await threadStore.setReadState(threadId, readState, null)) return;
  const before = (await threadStore.readStates([threadId])).get(threadId) ?? null;
  await threadStore.setReadState(threadId, readState, before?.revision ?? null);
}

/**
 * Stores where the unread part of loaded threads begins. A further unread turn changes only the revision,
 * which is not worth a write; a client that finds another revision after a restart reads the state again.
 */
export function createReadStateKeeper({ store, host: { log } }: Pick<RuntimeDeps, "store" | "host">) {
  const kept = new Map<string, string>();
  return {
    async keep(threadId: string, readState: ThreadReadState): Promise<void> {
      const unread = JSON.stringify(readState.firstUnread);
      if (kept.get(threadId) === unread) return;
      kept.set(threadId, unread);
      try {
        await keepReadState((await store.get()).threads, threadId, readState);
      } catch (error) {
        kept.delete(threadId);
        log.warn("the read state of a thread could not be stored", { threadId, reason: messageOf(error) });
      }
    },
    /** Forgets an unloaded thread. */
    forget: (threadId: string) => kept.delete(threadId),
  };
}
