import type { StoredRow } from "../../rows/queue-rows.ts";

/** A row of the table `queue_rows`; its params are in the table `queue_params`. */
export interface SqliteRow extends StoredRow {
  readonly number: number;
  readonly position: number;
  readonly claim_owner: string | null;
}

/** Rows of a thread that are not being started. */
export const VISIBLE = "thread_id = ? AND state <> 'dispatching'";

/** Rows with their params. */
export const WHOLE_ROWS = "queue_rows JOIN queue_params USING (number)";
