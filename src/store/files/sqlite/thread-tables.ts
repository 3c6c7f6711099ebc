// Thread data that is not in the files: details, read states, leases, and notes of the index about itself.

import type { Clock } from "../../../base/clock.ts";
import type { ThreadReadState } from "../../../protocol/generated/types.ts";
import { noDetails, type ThreadDetails } from "../../thread-store.ts";
import type { ThreadTables } from "../index/history-index.ts";
import type { Connection } from "./connection.ts";
import type { SqlValue } from "./driver.ts";
import { createLeaseTable } from "./lease-table.ts";
import { DETAIL_COLUMNS, toDetails } from "./rollout-rows.ts";

const DETAIL_VALUES: {
  readonly [K in keyof ThreadDetails]-?: readonly [string, (value: ThreadDetails[K]) => SqlValue];
} = {
  name: ["name", (value) => value],
  gitInfo: ["git_info", (value) => (value === null ? null : JSON.stringify(value))],
  projectId: ["project_id", (value) => value],
  daybreakEnabled: ["daybreak_enabled", (value) => (value === null ? null : Number(value))],
  memoryMode: ["memory_mode", (value) => value],
};

const PUT_NOTE =
  "INSERT INTO notes (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";

const READ_STATES = `
  SELECT thread_id, revision, first_unread FROM read_states
  WHERE thread_id IN (SELECT value FROM json_each(?))`;

export function createThreadTables(
  connection: Connection,
  clock: Clock,
  deleteRelated: (threadId: string) => void,
): ThreadTables {
  function writeDetails(threadId: string, members: Partial<ThreadDetails>): void {
    connection
      .prepare("INSERT INTO thread_details (thread_id) VALUES (?) ON CONFLICT DO NOTHING")
      .run(threadId);
    for (const [column, value] of detailValues(members)) {
      connection.prepare(`UPDATE thread_details SET ${column} = ? WHERE thread_id = ?`).run(value, threadId);
    }
  }

  return {
    setDetails: async (threadId, members) => connection.write(() => writeDetails(threadId, members)),
    async setNames(names) {
      if (names.size === 0) return;
      connection.write(() => {
        for (const [threadId, name] of names) writeDetails(threadId, { name });
      });
    },
    async details(threadId) {
      const sql = `SELECT ${DETAIL_COLUMNS} FROM thread_details d WHERE d.thread_id = ?`;
      const found = connection.prepare(sql).get(threadId);
      return found === undefined ? noDetails : toDetails(found);
    },
    async forgetThread(threadId) {
      connection.write(() => {
        for (const table of ["thread_details", "read_states", "leases"]) {
          connection.prepare(`DELETE FROM ${table} WHERE thread_id = ?`).run(threadId);
        }
        deleteRelated(threadId);
      });
    },
    async readStates(threadIds) {
      const rows = connection.prepare(READ_STATES).all(JSON.stringify(threadIds)) as ReadStateRow[];
      return new Map(rows.map((row) => [row.thread_id, toReadState(row)]));
    },
    setReadState: async (threadId, state, expectedRevision) => {
      const firstUnread = state.firstUnread === null ? null : JSON.stringify(state.firstUnread);
      const sql =
        expectedRevision === null
          ? "INSERT INTO read_states (revision, first_unread, thread_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
          : "UPDATE read_states SET revision = ?, first_unread = ? WHERE thread_id = ? AND revision = ?";
      const expected = expectedRevision === null ? [] : [expectedRevision];
      const { changes } = connection.prepare(sql).run(state.revision, firstUnread, threadId, ...expected) as {
        changes: number;
      };
      return changes > 0;
    },
    ...createLeaseTable(connection, clock),
    async note(key) {
      const found = connection.prepare("SELECT value FROM notes WHERE key = ?").get(key);
      return (found as { value: string } | undefined)?.value ?? null;
    },
    setNote: async (key, value) => void connection.prepare(PUT_NOTE).run(key, value),
  };
}

interface ReadStateRow {
  readonly thread_id: string;
  readonly revision: string;
  readonly first_unread: string | null;
}

function toReadState({ revision, first_unread: firstUnread }: ReadStateRow): ThreadReadState {
  return {
    firstUnread: firstUnread === null ? null : (JSON.parse(firstUnread) as ThreadReadState["firstUnread"]),
    revision,
  };
}

function* detailValues(members: Partial<ThreadDetails>): Generator<readonly [string, SqlValue]> {
  for (const key of Object.keys(members) as (keyof ThreadDetails)[]) {
    const [column, store] = DETAIL_VALUES[key] as readonly [string, (value: unknown) => SqlValue];
    yield [column, store(members[key] ?? null)];
  }
}
