/** Changes to a thread that its user makes outside of turns: its name, its metadata, its goal. */

import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json-object.ts";
import { osErrorText } from "../../base/os-error.ts";
import type { GitInfo } from "../../protocol/generated/types.ts";
import type { HistoryIndex, ThreadEntry } from "../history-index.ts";
import { threadGoalUpdated } from "../rollout/thread-lines.ts";
import type { Indexer } from "./indexer.ts";
import { type Done, missingThread, type Refusal, refuse } from "./refusal.ts";
import type { SessionIndex } from "./session-index.ts";
import type { Writing } from "./writing.ts";

export interface MetadataPatch {
  /** Members that are absent stay, those that are null are cleared. */
  readonly gitInfo?: Partial<GitInfo>;
  readonly projectId?: string | null;
  readonly daybreakEnabled?: boolean | null;
}

export interface ChangeContext {
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly names: SessionIndex;
  readonly writing: Writing;
  readonly clock: Clock;
  /** The thread with all that is known of it; null when there is none. */
  readonly read: (threadId: string) => Promise<ThreadEntry | null>;
}

export async function renameThread(context: ChangeContext, threadId: string, name: string): Promise<Done> {
  const refused = await makeDurable(context, threadId);
  if (refused !== null) return refused;
  try {
    await context.names.name(threadId, name, context.clock.now());
    return { kind: "done" };
  } catch (error) {
    return refuse("disk", `the name of thread ${threadId} could not be written: ${osErrorText(error)}`);
  }
}

export async function updateMetadata(
  context: ChangeContext,
  threadId: string,
  { gitInfo, ...rest }: MetadataPatch,
): Promise<ThreadEntry | Refusal> {
  const { index, read } = context;
  const refused = await makeDurable(context, threadId);
  if (refused !== null) return refused;
  const entry = await read(threadId);
  if (entry === null) return missingThread(threadId);
  const before = entry.details.gitInfo ?? entry.row.facts.gitInfo ?? NO_GIT;
  const git = gitInfo === undefined ? {} : { gitInfo: { ...before, ...gitInfo } };
  await index.setDetails(threadId, { ...rest, ...git });
  return (await index.current(threadId)) ?? missingThread(threadId);
}

/** Null clears it. */
export async function setGoal(
  { writing }: ChangeContext,
  threadId: string,
  goal: JsonObject | null,
): Promise<Done> {
  const own = writing.journal(threadId);
  const opened = own === null ? await writing.open(threadId) : null;
  if (opened?.kind === "refused") return opened;
  const journal = own ?? opened?.journal;
  const outcome = await journal?.append([threadGoalUpdated(threadId, goal)]);
  if (own === null) await journal?.close();
  return outcome?.kind === "failed" ? refuse("disk", outcome.fault.message) : { kind: "done" };
}

/** A thread that is named or marked before its first turn becomes one that lasts. */
async function makeDurable({ indexer, writing }: ChangeContext, threadId: string): Promise<Refusal | null> {
  const journal = writing.journal(threadId);
  if (journal === null) {
    return (await indexer.currentRow(threadId)) === null ? missingThread(threadId) : null;
  }
  if (journal.isDurable) return null;
  const outcome = await journal.append([]);
  return outcome.kind === "failed" ? refuse("disk", outcome.fault.message) : null;
}

const NO_GIT: GitInfo = { sha: null, branch: null, originUrl: null };
