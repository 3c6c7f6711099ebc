// Builds the SQL of a thread list, which always uses an index.

import type { ThreadSourceKind } from "../../../protocol/generated/types.ts";
import { INTERACTIVE_KINDS, isInteractiveSource, matchingKinds } from "../../lines/session-source.ts";
import type { ThreadQuery } from "../../pages/thread-list.ts";
import type { SqlValue } from "./driver.ts";
import { DETAIL_COLUMNS, ROW_COLUMNS } from "./rollout-rows.ts";

export interface SqlQuery {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

interface Conditions {
  readonly parts: string[];
  readonly values: SqlValue[];
}

const ORDER_COLUMNS = {
  created_at: "r.created_at",
  updated_at: "r.updated_at",
  recency_at: "r.recency_at",
} as const;

export function buildListQuery(query: ThreadQuery): SqlQuery {
  // A unary plus prevents SQLite from using an index on that column if another index is more selective.
  const shelf = isNarrow(query) ? "+r.shelf = ?" : "r.shelf = ?";
  const where: Conditions = { parts: [shelf], values: [query.archived ? 1 : 0] };
  addFilters(where, query);
  addRelations(where, query);
  const column = ORDER_COLUMNS[query.order];
  const { from, direction } = query;
  if (from !== null) {
    const comparison = `${direction === "asc" ? ">" : "<"}${from.inclusive ? "=" : ""}`;
    where.parts.push(`(${column}, r.thread_id) ${comparison} (?, ?)`);
    where.values.push(from.value, from.id);
  }
  const sql = `
    SELECT ${ROW_COLUMNS}, ${DETAIL_COLUMNS}
    FROM rollouts r LEFT JOIN thread_details d ON d.thread_id = r.thread_id
    WHERE ${where.parts.join(" AND ")}
    ORDER BY ${column} ${direction}, r.thread_id ${direction}
    LIMIT ?`;
  return { sql, values: [...where.values, query.limit] };
}

function isNarrow({ projectId, parentThreadId, ancestorThreadId }: ThreadQuery): boolean {
  return projectId != null || parentThreadId != null || ancestorThreadId != null;
}

function addFilters(where: Conditions, query: ThreadQuery): void {
  addList(where, "r.cwd", query.cwds);
  addList(where, "r.model_provider", query.modelProviders);
  addList(where, "r.originator", query.originators);
  if (query.owner != null) addList(where, "r.owner", [query.owner]);
  const isNarrowed = isNarrow(query) || query.cwds != null || query.modelProviders != null;
  if (query.sourceKinds != null) addKinds(where, matchingKinds(query.sourceKinds), isNarrowed);
  if (query.excludedIds != null && query.excludedIds.length > 0) {
    where.parts.push(`r.thread_id NOT IN (${marks(query.excludedIds)})`);
    where.values.push(...query.excludedIds);
  }
  if (query.searchTerm != null && query.searchTerm !== "") {
    where.parts.push("(instr(coalesce(d.name, ''), ?) > 0 OR instr(r.preview, ?) > 0)");
    where.values.push(query.searchTerm, query.searchTerm);
  }
}

function addKinds(where: Conditions, kinds: readonly ThreadSourceKind[], narrow: boolean): void {
  const interactive = kinds.filter(isInteractiveSource).length;
  const all = INTERACTIVE_KINDS.length;
  const onlyInteractive = interactive === all && kinds.length === all;
  if (onlyInteractive || interactive === 0) {
    where.parts.push(narrow ? "+r.interactive = ?" : "r.interactive = ?");
    where.values.push(onlyInteractive ? 1 : 0);
  }
  if (!onlyInteractive) addList(where, "r.source_kind", kinds);
}

function addRelations(where: Conditions, query: ThreadQuery): void {
  if (query.projectId != null) {
    where.parts.push("d.project_id = ?");
    where.values.push(query.projectId);
  }
  if (query.parentThreadId != null) {
    where.parts.push("r.parent_thread_id = ?");
    where.values.push(query.parentThreadId);
  }
  if (query.ancestorThreadId != null) {
    where.parts.push(`r.thread_id IN (${DESCENDANTS})`);
    where.values.push(query.ancestorThreadId);
  }
}

/** All descendants of a thread, nearest first. In a cycle, the thread is its own descendant. */
export const DESCENDANTS = `
  WITH RECURSIVE below (id) AS (
    VALUES (?)
    UNION
    SELECT child.thread_id FROM below JOIN rollouts child ON child.parent_thread_id = below.id
  )
  SELECT id FROM below LIMIT -1 OFFSET 1`;

function addList(where: Conditions, column: string, values: readonly string[] | null | undefined): void {
  if (values == null) return;
  where.parts.push(values.length === 1 ? `${column} = ?` : `${column} IN (${marks(values)})`);
  where.values.push(...values);
}

function marks(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}
