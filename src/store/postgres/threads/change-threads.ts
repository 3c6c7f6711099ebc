/** Changes to threads outside of turns: names, metadata and read states. */
import type { GitInfo, ThreadReadState } from "../../../protocol/generated/types.ts";
import { missingThread, type StoreRefusal, storeRefusal } from "../../refusal.ts";
import type { StoredThread, ThreadDetails, ThreadStore } from "../../thread-store.ts";
import { Conditions } from "../connection/conditions.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import type { PostgresValue } from "../connection/link.ts";
import { toTextArray } from "../connection/parameters.ts";
import { readThreadRow, showThreadRow } from "./thread-row.ts";

const RENAME = "UPDATE thread SET name = $3 WHERE thread_id = $1 AND tenant = $2 RETURNING thread_id";
const LOCK = "SELECT 1 FROM thread WHERE thread_id = $1 AND tenant = $2 FOR UPDATE";
const READ_STATES = `
  SELECT thread_id AS "threadId", read_revision AS revision, first_unread AS "firstUnread" FROM thread
  WHERE thread_id = ANY ($1::text[]) AND tenant = $2 AND read_revision IS NOT NULL`;
const SET_READ_STATE = `
  UPDATE thread SET read_revision = $3, first_unread = $4
  WHERE thread_id = $1 AND tenant = $2 AND read_revision IS NOT DISTINCT FROM $5 RETURNING thread_id`;

type Details = Pick<ThreadStore, "rename" | "updateMetadata" | "readStates" | "setReadState">;

export interface ChangeContext extends Pick<ThreadStore, "journal"> {
  readonly database: PostgresDatabase;
  readonly tenant: string;
}

export function createDetailChanges({ database, tenant, journal: journalOf }: ChangeContext): Details {
  /** A thread that is named or annotated before its first turn becomes durable. */
  async function makeDurable(threadId: string): Promise<StoreRefusal | null> {
    const outcome = await journalOf(threadId)?.persist();
    return outcome === undefined || outcome.kind === "persisted"
      ? null
      : storeRefusal("disk", outcome.message);
  }

  return {
    async rename(threadId, name) {
      const refused = await makeDurable(threadId);
      if (refused !== null) return refused;
      const found = await database.query(RENAME, threadId, tenant, name);
      return found.length > 0 ? { kind: "done" } : missingThread(threadId);
    },
    async updateMetadata(threadId, { gitInfo, ...rest }) {
      const refused = await makeDurable(threadId);
      if (refused !== null) return refused;
      return database.transaction(async (statements) => {
        await statements.query(LOCK, threadId, tenant);
        const before = await findThread(statements, threadId, tenant);
        if (before === null) return missingThread(threadId);
        const known = before.details.gitInfo ?? before.facts.gitInfo ?? NO_GIT;
        const git = gitInfo === undefined ? {} : { gitInfo: { ...known, ...gitInfo } };
        await setDetails(statements, threadId, { ...rest, ...git });
        return (await findThread(statements, threadId, tenant)) ?? missingThread(threadId);
      });
    },
    async readStates(threadIds) {
      const rows = await database.query<ReadStateRow>(READ_STATES, toTextArray(threadIds), tenant);
      return new Map(rows.map(({ threadId, ...row }) => [threadId, toReadState(row)]));
    },
    async setReadState(threadId, { firstUnread, revision }, expectedRevision) {
      const unread = firstUnread === null ? null : JSON.stringify(firstUnread);
      const values = [threadId, tenant, revision, unread, expectedRevision];
      const set = await database.transaction(({ query }) => query(SET_READ_STATE, ...values));
      return set.length > 0;
    },
  };
}

const NO_GIT: GitInfo = { sha: null, branch: null, originUrl: null };

async function findThread(
  statements: Statements,
  threadId: string,
  tenant: string,
): Promise<StoredThread | null> {
  const row = await readThreadRow(statements, threadId, tenant);
  return row === null ? null : showThreadRow(row);
}

const COLUMNS: { readonly [K in keyof ThreadDetails]-?: string } = {
  name: "name",
  gitInfo: "git_info",
  projectId: "project_id",
  daybreakEnabled: "daybreak_enabled",
  memoryMode: "memory_mode",
};

async function setDetails(
  { query }: Statements,
  threadId: string,
  details: Partial<ThreadDetails>,
): Promise<void> {
  const set = new Conditions();
  for (const [name, column] of Object.entries(COLUMNS)) {
    const value = details[name as keyof ThreadDetails];
    if (value !== undefined) set.add((at) => `${column} = ${at}`, toColumn(value));
  }
  if (set.parts.length === 0) return;
  const id = set.value(threadId);
  await query(`UPDATE thread SET ${set.parts.join(", ")} WHERE thread_id = ${id}`, ...set.values);
}

function toColumn(value: ThreadDetails[keyof ThreadDetails]): PostgresValue {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

interface ReadStateRow {
  readonly threadId: string;
  readonly revision: string;
  readonly firstUnread: string | null;
}

function toReadState({ revision, firstUnread }: Omit<ReadStateRow, "threadId">): ThreadReadState {
  return {
    firstUnread: firstUnread === null ? null : (JSON.parse(firstUnread) as ThreadReadState["firstUnread"]),
    revision,
  };
}
