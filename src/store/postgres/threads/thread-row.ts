/** The row of a thread, as lists show it and as its journal continues it. */
import type { GitInfo } from "../../../protocol/generated/types.ts";
import type { ActivityState } from "../../lines/activity-step.ts";
import { type HistoryState, noHistory } from "../../lines/history-step.ts";
import { type FoldedFacts, noFacts } from "../../lines/thread-facts.ts";
import type { ListedThread } from "../../pages/thread-list.ts";
import type { StoredThread, ThreadDetails } from "../../thread-store.ts";
import type { Statements } from "../connection/database.ts";
import type { ThreadFoldState } from "../journal/thread-fold.ts";

export const THREAD_COLUMNS = `
  thread.thread_id AS "threadId", thread.archived, thread.created_at AS "createdAtMs",
  thread.updated_at AS "updatedAtMs", thread.recency_at AS "recencyAtMs", thread.preview, thread.facts, thread.name,
  thread.git_info AS "gitInfo", thread.project_id AS "projectId", thread.daybreak_enabled AS "daybreakEnabled",
  thread.memory_mode AS "memoryMode"`;
const READ = `
  SELECT ${THREAD_COLUMNS}, thread.state, thread.activity FROM thread WHERE thread_id = $1 AND tenant = $2`;

export interface StoredThreadRow {
  readonly threadId: string;
  readonly archived: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly recencyAtMs: number;
  readonly preview: string;
  readonly facts: string;
  readonly name: string | null;
  readonly gitInfo: string | null;
  readonly projectId: string | null;
  readonly daybreakEnabled: boolean | null;
  readonly memoryMode: ThreadDetails["memoryMode"];
}

export interface WholeThreadRow extends StoredThreadRow {
  readonly state: string;
  readonly activity: string;
}

/** Null if the tenant has no such thread. */
export async function readThreadRow(
  { query }: Statements,
  threadId: string,
  tenant: string,
): Promise<WholeThreadRow | null> {
  return (await query<WholeThreadRow>(READ, threadId, tenant))[0] ?? null;
}

export function factsOfRow({
  threadId,
  preview,
  createdAtMs,
  updatedAtMs,
  facts,
}: StoredThreadRow): FoldedFacts {
  const stored = JSON.parse(facts) as FoldedFacts;
  return { ...noFacts, ...stored, id: threadId, preview, createdAtMs, updatedAtMs };
}

export function showThreadRow(row: StoredThreadRow): StoredThread {
  const { threadId, archived, recencyAtMs, name, gitInfo, projectId, daybreakEnabled, memoryMode } = row;
  const git = gitInfo === null ? null : (JSON.parse(gitInfo) as GitInfo);
  const details = { name, gitInfo: git, projectId, daybreakEnabled, memoryMode };
  return { threadId, archived, recencyAtMs, facts: factsOfRow(row), details, location: null };
}

export function toListed({ threadId, createdAtMs, recencyAtMs, updatedAtMs }: StoredThreadRow): ListedThread {
  return { threadId, createdOrderMs: createdAtMs, recencyAtMs, facts: { updatedAtMs } };
}

/** The fold state after the thread's last line. */
export function foldOf(row: WholeThreadRow): ThreadFoldState {
  const history = JSON.parse(row.state) as Omit<HistoryState, "facts">;
  const activity = JSON.parse(row.activity) as ActivityState;
  return {
    history: { ...noHistory, ...history, facts: factsOfRow(row) },
    activity,
    recencyAtMs: row.recencyAtMs,
  };
}
