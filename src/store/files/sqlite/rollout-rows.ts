// Conversion between rows of the tables and those of the index port.

import type { GitInfo, ThreadSourceKind } from "../../../protocol/generated/types.ts";
import { isInteractiveSource } from "../../lines/session-source.ts";
import { noFacts, type ThreadFacts } from "../../lines/thread-facts.ts";
import type { ThreadDetails } from "../../thread-store.ts";
import type { FileItemRow, FileTurnRow, RolloutRow, ThreadEntry } from "../index/history-index.ts";
import type { SqlValue } from "./driver.ts";

type Row = Readonly<Record<string, SqlValue>>;

/** The columns of a rollout, without the fold state. */
export const ROLLOUT_COLUMNS = [
  "rollout_id",
  "thread_id",
  "path",
  "archived",
  "interactive",
  "file_time",
  "size",
  "inode",
  "mtime_ms",
  "indexed_bytes",
  "base_rollout_id",
  "base_end_seq",
  "base_end_offset",
  "created_at",
  "updated_at",
  "recency_at",
  "cwd",
  "source_kind",
  "model_provider",
  "originator",
  "owner",
  "parent_thread_id",
  "preview",
  "facts",
] as const;

/** Columns that only filters use; their values are also in `facts`. */
const FILTER_COLUMNS: ReadonlySet<string> = new Set([
  "interactive",
  "cwd",
  "model_provider",
  "originator",
  "owner",
  "parent_thread_id",
]);

/** The columns from which a rollout is read. */
export const ROW_COLUMNS = ROLLOUT_COLUMNS.filter((column) => !FILTER_COLUMNS.has(column))
  .map((column) => `r.${column}`)
  .join(", ");

export function rolloutValues(row: RolloutRow): SqlValue[] {
  const { facts, base } = row;
  const stored = { ...facts, preview: "", baseInstructions: null, dynamicTools: null };
  return [
    row.rolloutId,
    row.threadId,
    row.path,
    row.archived ? 1 : 0,
    isInteractiveSource(row.sourceKind) ? 1 : 0,
    row.fileTime,
    row.size,
    row.inode,
    row.mtimeMs,
    row.indexedBytes,
    base?.thread_id ?? null,
    base?.end_ordinal_exclusive ?? null,
    base?.end_byte_offset ?? null,
    row.createdOrderMs,
    facts.updatedAtMs,
    row.recencyAtMs,
    facts.cwd,
    row.sourceKind,
    facts.modelProvider,
    facts.originator,
    facts.owner,
    facts.parentThreadId,
    facts.preview,
    JSON.stringify(stored),
  ];
}

export function toRolloutRow(found: unknown): RolloutRow {
  const row = found as Row;
  const baseId = textOrNull(row["base_rollout_id"]);
  const stored = JSON.parse(text(row["facts"])) as ThreadFacts;
  return {
    rolloutId: text(row["rollout_id"]),
    threadId: text(row["thread_id"]),
    path: text(row["path"]),
    archived: row["archived"] === 1,
    fileTime: text(row["file_time"]),
    size: number(row["size"]),
    inode: number(row["inode"]),
    mtimeMs: number(row["mtime_ms"]),
    indexedBytes: number(row["indexed_bytes"]),
    base:
      baseId === null
        ? null
        : {
            thread_id: baseId,
            end_ordinal_exclusive: number(row["base_end_seq"]),
            end_byte_offset: number(row["base_end_offset"]),
          },
    sourceKind: text(row["source_kind"]) as ThreadSourceKind,
    createdOrderMs: number(row["created_at"]),
    recencyAtMs: number(row["recency_at"]),
    facts: {
      ...noFacts,
      ...stored,
      preview: text(row["preview"]),
      updatedAtMs: number(row["updated_at"]),
    },
  };
}

export const DETAIL_COLUMNS = "d.name, d.git_info, d.project_id, d.daybreak_enabled, d.memory_mode";

export function toDetails(found: unknown): ThreadDetails {
  const row = found as Row;
  const git = textOrNull(row["git_info"]);
  const { daybreak_enabled: daybreak, memory_mode: mode } = row;
  return {
    name: textOrNull(row["name"]),
    gitInfo: git === null ? null : (JSON.parse(git) as GitInfo),
    projectId: textOrNull(row["project_id"]),
    daybreakEnabled: typeof daybreak === "number" ? daybreak === 1 : null,
    memoryMode: mode === "enabled" || mode === "disabled" ? mode : null,
  };
}

export function toEntry(found: unknown): ThreadEntry {
  return { row: toRolloutRow(found), details: toDetails(found) };
}

export function toTurnRow(found: unknown): FileTurnRow {
  const row = found as Row;
  const endSeq = numberOrNull(row["end_seq"]);
  return {
    turnId: text(row["turn_id"]),
    seq: number(row["seq"]),
    offset: number(row["start_offset"]),
    end: endSeq === null ? null : { seq: endSeq, offset: number(row["end_offset"]) },
    status: text(row["status"]) as FileTurnRow["status"],
    rootTurnId: textOrNull(row["root_turn_id"]),
    startedAt: numberOrNull(row["started_at"]),
    completedAt: numberOrNull(row["completed_at"]),
    durationMs: numberOrNull(row["duration_ms"]),
    error: textOrNull(row["error"]),
    hookRuns: textOrNull(row["hook_runs"]),
    firstUserItemId: textOrNull(row["first_user_item_id"]),
    finalAgentItemId: textOrNull(row["final_agent_item_id"]),
  };
}

export function toItemRow(found: unknown): FileItemRow {
  const row = found as Row;
  return {
    turnId: text(row["turn_id"]),
    itemId: text(row["item_id"]),
    type: text(row["type"]),
    seq: number(row["seq"]),
    offset: number(row["line_offset"]),
    length: number(row["line_length"]),
    startedAtMs: numberOrNull(row["started_at_ms"]),
    completedAtMs: numberOrNull(row["completed_at_ms"]),
    json: textOrNull(row["json"]),
  };
}

function text(value: SqlValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function textOrNull(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function number(value: SqlValue | undefined): number {
  return typeof value === "number" ? value : 0;
}

function numberOrNull(value: SqlValue | undefined): number | null {
  return typeof value === "number" ? value : null;
}
