/** Lists of threads, and searches in their messages. */
import { matchingKinds } from "../../lines/session-source.ts";
import { foldCase, lineText, snippetIn } from "../../pages/snippet.ts";
import { positionOf, type ThreadQuery } from "../../pages/thread-list.ts";
import { Conditions } from "../connection/conditions.ts";
import type { Statements } from "../connection/database.ts";
import { toTextArray } from "../connection/parameters.ts";
import { type StoredThreadRow, THREAD_COLUMNS, toListed } from "./thread-row.ts";

const ORDER_COLUMNS = {
  created_at: "thread.created_at",
  updated_at: "thread.updated_at",
  recency_at: "thread.recency_at",
} as const;

/** All descendants of a thread, nearest first. In a cycle, the thread is its own descendant. */
export const THREADS_BELOW = `
  WITH RECURSIVE below (id, depth) AS (
    VALUES ($1::text COLLATE "C", 0)
    UNION
    SELECT child.thread_id, below.depth + 1 FROM below JOIN thread AS child ON child.parent_thread_id = below.id
    WHERE below.depth < 1000
  )
  SELECT id FROM below WHERE depth > 0 GROUP BY id ORDER BY min(depth), id`;

export async function listThreadRows(
  { query: run }: Statements,
  tenant: string,
  query: ThreadQuery,
): Promise<readonly StoredThreadRow[]> {
  const where = new Conditions();
  where.add((at) => `thread.tenant = ${at}`, tenant);
  where.add((at) => `thread.archived = ${at}`, query.archived);
  where.parts.push("thread.preview <> ''");
  addFilters(where, query);
  addRelations(where, query);
  const column = ORDER_COLUMNS[query.order];
  const { from, direction } = query;
  if (from !== null) {
    const comparison = `${direction === "asc" ? ">" : "<"}${from.inclusive ? "=" : ""}`;
    const [value, id] = [where.value(from.value), where.value(from.id)];
    where.parts.push(`(${column}, thread.thread_id) ${comparison} (${value}::bigint, ${id})`);
  }
  const order = direction === "asc" ? "ASC" : "DESC";
  const limit = where.value(query.limit);
  return run<StoredThreadRow>(
    `SELECT ${THREAD_COLUMNS} FROM thread WHERE ${where.parts.join(" AND ")}
     ORDER BY ${column} ${order}, thread.thread_id ${order} LIMIT ${limit}`,
    ...where.values,
  );
}

function addFilters(where: Conditions, query: ThreadQuery): void {
  addList(where, "thread.cwd", query.cwds);
  addList(where, "thread.model_provider", query.modelProviders);
  addList(where, "thread.originator", query.originators);
  if (query.owner != null) where.add((at) => `thread.owner = ${at}`, query.owner);
  addList(where, "thread.source_kind", query.sourceKinds == null ? null : matchingKinds(query.sourceKinds));
  if (query.excludedIds != null && query.excludedIds.length > 0)
    where.add((at) => `thread.thread_id <> ALL (${at}::text[])`, toTextArray(query.excludedIds));
  if (query.searchTerm != null && query.searchTerm !== "")
    where.add(
      (at) => `(strpos(coalesce(thread.name, ''), ${at}) > 0 OR strpos(thread.preview, ${at}) > 0)`,
      query.searchTerm,
    );
}

function addRelations(where: Conditions, { projectId, parentThreadId, ancestorThreadId }: ThreadQuery): void {
  if (projectId != null) where.add((at) => `thread.project_id = ${at}`, projectId);
  if (parentThreadId != null) where.add((at) => `thread.parent_thread_id = ${at}`, parentThreadId);
  if (ancestorThreadId != null)
    where.add((at) => `thread.thread_id IN (${THREADS_BELOW.replace("$1", at)})`, ancestorThreadId);
}

function addList(where: Conditions, column: string, values: readonly string[] | null | undefined): void {
  if (values != null) where.add((at) => `${column} = ANY (${at}::text[])`, toTextArray(values));
}

export interface FoundRow {
  readonly row: StoredThreadRow;
  readonly snippet: string;
}

const THREADS_AT_ONCE = 100;
const LINES_AT_ONCE = 50;
const MESSAGES = `
  SELECT line.seq, line.body FROM line JOIN head USING (thread_id, generation)
  WHERE line.thread_id = $1 AND line.seq > $2 AND line.body ~ '"type":"(item_completed|user_message|agent_message)"'
    AND ($3::text IS NULL OR strpos(lower(line.body), $3) > 0)
  ORDER BY line.seq LIMIT ${LINES_AT_ONCE}`;

/** Returns up to `query.limit` threads with the term in their names or messages. There is no search index. */
export async function searchThreadRows(
  statements: Statements,
  tenant: string,
  { query, term }: { readonly query: ThreadQuery; readonly term: string },
): Promise<readonly FoundRow[]> {
  const found: FoundRow[] = [];
  let { from } = query;
  for (;;) {
    const rows = await listThreadRows(statements, tenant, { ...query, from, limit: THREADS_AT_ONCE });
    for (const row of rows) {
      const snippet =
        (await findInMessages(statements, row.threadId, term)) ??
        snippetIn(row.preview, term) ??
        snippetIn(row.name ?? "", term);
      if (snippet !== null) found.push({ row, snippet });
      if (found.length >= query.limit) return found;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < THREADS_AT_ONCE) return found;
    from = { ...positionOf(toListed(last), query), inclusive: false };
  }
}

async function findInMessages({ query }: Statements, threadId: string, term: string): Promise<string | null> {
  // Other letters are compared here, because the server's upper and lower case depend on its locale.
  const needle = /^[\x20-\x7e]*$/.test(term) ? foldCase(JSON.stringify(term).slice(1, -1)) : null;
  for (let after = -1; ; ) {
    const lines = await query<{ readonly seq: number; readonly body: string }>(
      MESSAGES,
      threadId,
      after,
      needle,
    );
    for (const { body } of lines) {
      const snippet = snippetIn(lineText(body) ?? "", term);
      if (snippet !== null) return snippet;
    }
    const last = lines.at(-1);
    if (last === undefined || lines.length < LINES_AT_ONCE) return null;
    after = last.seq;
  }
}
