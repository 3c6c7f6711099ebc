/** Changes to a thread outside of turns: name and metadata. */

import type { Clock } from "../../../base/clock.ts";
import { osErrorText } from "../../../base/errors.ts";
import type { GitInfo } from "../../../protocol/generated/types.ts";
import { type Done, missingThread, type StoreRefusal, storeRefusal } from "../../refusal.ts";
import type { MetadataPatch, StoredThread } from "../../thread-store.ts";
import { type HistoryIndex, toStoredThread } from "../index/history-index.ts";
import type { Indexer } from "../index/indexer.ts";
import type { SessionIndex } from "../index/session-index.ts";
import type { ThreadWriter } from "./thread-writer.ts";

export interface ThreadChangeContext {
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly names: SessionIndex;
  readonly writer: ThreadWriter;
  readonly clock: Clock;
  /** Reads the thread with its details; null if it does not exist. */
  readonly read: (threadId: string) => Promise<StoredThread | null>;
}

export async function renameThread(
  context: ThreadChangeContext,
  threadId: string,
  name: string,
): Promise<Done> {
  const refused = await makeDurable(context, threadId);
  if (refused !== null) return refused;
  try {
    await context.names.name(threadId, name, context.clock.now());
    return { kind: "done" };
  } catch (error) {
    return storeRefusal("disk", `the name of thread ${threadId} could not be written: ${osErrorText(error)}`);
  }
}

export async function updateMetadata(
  context: ThreadChangeContext,
  threadId: string,
  { gitInfo, ...rest }: MetadataPatch,
): Promise<StoredThread | StoreRefusal> {
  const { index, read } = context;
  const refused = await makeDurable(context, threadId);
  if (refused !== null) return refused;
  const thread = await read(threadId);
  if (thread === null) return missingThread(threadId);
  const before = thread.details.gitInfo ?? thread.facts.gitInfo ?? NO_GIT;
  const git = gitInfo === undefined ? {} : { gitInfo: { ...before, ...gitInfo } };
  await index.setDetails(threadId, { ...rest, ...git });
  const entry = await index.current(threadId);
  return entry === null ? missingThread(threadId) : toStoredThread(entry);
}

/** A thread that is named or annotated before its first turn becomes durable. */
async function makeDurable(
  { indexer, writer }: ThreadChangeContext,
  threadId: string,
): Promise<StoreRefusal | null> {
  const journal = writer.journal(threadId);
  if (journal === null) {
    return (await indexer.currentRow(threadId)) === null ? missingThread(threadId) : null;
  }
  const outcome = await journal.persist();
  return outcome.kind === "persisted" ? null : storeRefusal("disk", outcome.message);
}

const NO_GIT: GitInfo = { sha: null, branch: null, originUrl: null };
