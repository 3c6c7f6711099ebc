/** Archives, unarchives and deletes a thread with its descendants. */
import { activeWriter, missingThread, type StoreRefusal, storeRefusal } from "../../refusal.ts";
import type { MoveOutcome, ThreadStore } from "../../thread-store.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import { toTextArray } from "../connection/parameters.ts";
import { OWNER_LIVES } from "../leases/postgres-leases.ts";
import { THREADS_BELOW } from "./list-threads.ts";
import { readThreadRow } from "./thread-row.ts";

/** The locks keep other processes from writing to the threads until the end of the transaction. */
const LOCK = "SELECT 1 FROM head WHERE thread_id = ANY ($1::text[]) ORDER BY thread_id FOR UPDATE";
const HELD = `SELECT thread_id AS id FROM head WHERE thread_id = ANY ($1::text[]) AND owner IS NOT NULL AND ${OWNER_LIVES}`;
const ARCHIVE = "UPDATE thread SET archived = true WHERE thread_id = ANY ($1::text[])";
const UNARCHIVE = "UPDATE thread SET archived = false, updated_at = $2 WHERE thread_id = ANY ($1::text[])";
const REFERENCED = `
  SELECT 1 FROM segment
  WHERE base_thread_id = ANY ($1::text[]) AND thread_id <> ALL ($1::text[]) LIMIT 1`;
const TABLES = ["line", "turn", "item", "segment", "thread"];
/** The row stays, so that no epoch is ever used again. */
const RESET_HEAD = `
  UPDATE head SET owner = NULL, epoch = epoch + 1, generation = 0, next_seq = 0 WHERE thread_id = ANY ($1::text[])`;

export interface ThreadMoveContext {
  readonly database: PostgresDatabase;
  readonly tenant: string;
  /** Deletes what other tables have of a thread. */
  readonly deleteRelated: (statements: Statements, threadId: string) => Promise<void>;
  readonly onDeleted: () => void;
}

export function createThreadMoves(
  context: ThreadMoveContext,
): Pick<ThreadStore, "archive" | "unarchive" | "delete"> {
  const { database, tenant } = context;

  /** Runs the work with the thread and the given ones below it, unless one of them has a writer. */
  function move(
    threadId: string,
    findBelow: (statements: Statements) => Promise<readonly string[]>,
    work: (statements: Statements, threadIds: readonly string[]) => Promise<StoreRefusal | null>,
  ): Promise<MoveOutcome> {
    return database.transaction(async (statements) => {
      const below = await findBelow(statements);
      const threadIds = [threadId, ...below.filter((id) => id !== threadId)];
      await statements.query(LOCK, toTextArray(threadIds));
      const [held] = await statements.query<{ readonly id: string }>(HELD, toTextArray(threadIds));
      if (held !== undefined) return activeWriter(held.id);
      return (await work(statements, threadIds)) ?? { kind: "done", threadIds };
    });
  }

  const descendantsOf =
    (threadId: string) =>
    async ({ query }: Statements): Promise<readonly string[]> =>
      (await query<{ readonly id: string }>(THREADS_BELOW, threadId)).map(({ id }) => id);

  return {
    async archive(threadId) {
      const row = await readThreadRow(database, threadId, tenant);
      if (row === null || row.archived) return missingThread(threadId);
      return move(threadId, descendantsOf(threadId), async ({ query }, threadIds) => {
        await query(ARCHIVE, toTextArray(threadIds));
        return null;
      });
    },
    async unarchive(threadId) {
      const row = await readThreadRow(database, threadId, tenant);
      if (row?.archived !== true)
        return storeRefusal("notArchived", `no archived rollout found for thread id ${threadId}`);
      return move(
        threadId,
        async () => [],
        async ({ query }, threadIds) => {
          await query(UNARCHIVE, toTextArray(threadIds), database.time.now());
          return null;
        },
      );
    },
    async delete(threadId) {
      if ((await readThreadRow(database, threadId, tenant)) === null) return missingThread(threadId);
      const outcome = await move(threadId, descendantsOf(threadId), (statements, threadIds) =>
        deleteAll(context, statements, threadIds),
      );
      if (outcome.kind === "done") context.onDeleted();
      return outcome;
    },
  };
}

async function deleteAll(
  { deleteRelated }: ThreadMoveContext,
  statements: Statements,
  threadIds: readonly string[],
): Promise<StoreRefusal | null> {
  const ids = toTextArray(threadIds);
  if ((await statements.query(REFERENCED, ids)).length > 0) {
    const [threadId] = threadIds;
    return storeRefusal("referenced", `cannot delete thread ${threadId}: forked history still references it`);
  }
  for (const table of TABLES)
    await statements.query(`DELETE FROM ${table} WHERE thread_id = ANY ($1::text[])`, ids);
  await statements.query(RESET_HEAD, ids);
  for (const threadId of threadIds) await deleteRelated(statements, threadId);
  return null;
}
