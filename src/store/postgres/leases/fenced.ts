/** Writes of facts that only the holder of a thread may record. */
import type { WriterFence } from "../../leases.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";

/** The lock keeps the thread with its holder until the end of the transaction. */
const HOLDS = "SELECT 1 FROM head WHERE thread_id = $1 AND owner = $2 AND epoch = $3 FOR SHARE";

/** Runs the work in one transaction with the check of the lease; `fenced` if the lease is not held. */
export type FencedTransaction = <T>(
  source: WriterFence,
  work: (statements: Statements) => Promise<T>,
) => Promise<T | { readonly kind: "fenced" }>;

export function createFencedTransaction(
  database: Pick<PostgresDatabase, "transaction">,
  nodeId: string,
): FencedTransaction {
  return (source, work) =>
    database.transaction(async (statements) => {
      const isOurs =
        "ephemeral" in source ||
        (await statements.query(HOLDS, source.threadId, nodeId, source.epoch)).length > 0;
      return isOurs ? work(statements) : { kind: "fenced" };
    });
}
