/** The threads that this process writes to on behalf of a tenant: new ones, resumed ones and forks. */
import type { JsonObject } from "../../../base/json-object.ts";
import type { LinePosition } from "../../line-position.ts";
import type { LineBody } from "../../lines/line.ts";
import { type FoldedFacts, noFacts } from "../../lines/thread-facts.ts";
import { sessionMeta, type ThreadOrigin } from "../../lines/thread-lines.ts";
import { activeWriter, archivedThread, missingThread, type StoreRefusal } from "../../refusal.ts";
import type { OpenedThread, OpenOptions } from "../../thread-store.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import type { GroupCommit } from "../journal/group-commit.ts";
import { type JournalOptions, PostgresJournal } from "../journal/postgres-journal.ts";
import { newFold } from "../journal/thread-fold.ts";
import type { HeldHead, PostgresLeases } from "../leases/postgres-leases.ts";
import { recallSegments, wholeFacts } from "./recall-thread.ts";
import { findSegmentSpans, toSegmentRow } from "./segments.ts";
import { foldOf, readThreadRow } from "./thread-row.ts";
import type { ThreadRows } from "./thread-rows.ts";

export interface ThreadOpenerOptions {
  readonly database: PostgresDatabase;
  readonly statements: Statements;
  readonly rows: ThreadRows;
  readonly leases: PostgresLeases;
  readonly commits: GroupCommit;
  readonly nodeId: string;
  readonly tenant: string;
  /** The store's time. */
  readonly now: () => number;
}

/** The beginning of a thread. */
interface NewThread {
  readonly position: LinePosition;
  readonly facts: FoldedFacts;
  readonly meta: LineBody;
  /** The row of its segment, with the names of its columns. */
  readonly segment: JsonObject;
}

const END = `
  SELECT head.generation, head.next_seq AS seq FROM head JOIN thread USING (thread_id)
  WHERE thread_id = $1 AND tenant = $2`;

export class ThreadOpener {
  readonly #options: ThreadOpenerOptions;
  readonly #journals = new Map<string, PostgresJournal>();

  constructor(options: ThreadOpenerOptions) {
    this.#options = options;
  }

  create(origin: ThreadOrigin): PostgresJournal {
    const { threadId } = origin;
    return this.begin(threadId, {
      position: { generation: 0, seq: 0 },
      facts: noFacts,
      meta: sessionMeta({ ...origin, createdAtMs: this.#options.now() }),
      segment: toSegmentRow({ threadId, generation: 0 }, null),
    });
  }

  begin(threadId: string, { position, facts, meta, segment }: NewThread): PostgresJournal {
    const beginning = { meta, segment };
    return this.#keep(threadId, { position, fold: newFold(facts), beginning, unfinishedTurnId: null });
  }

  journal(threadId: string): PostgresJournal | null {
    return this.#journals.get(threadId) ?? null;
  }

  async open(threadId: string, { takeOver = false }: OpenOptions = {}): Promise<OpenedThread | StoreRefusal> {
    const { leases, statements, tenant } = this.#options;
    if (this.#journals.has(threadId)) return activeWriter(threadId);
    const row = await readThreadRow(statements, threadId, tenant);
    if (row === null) return missingThread(threadId);
    if (row.archived) return archivedThread(threadId);
    const lease = await leases.acquireHead(threadId, takeOver ? "takeOver" : "ifFree");
    if (lease.kind === "elsewhere") return activeWriter(threadId);
    let opened: OpenedThread | StoreRefusal | null = null;
    try {
      opened = await this.#resume(threadId, lease);
      return opened;
    } finally {
      if (opened?.kind !== "open") await leases.release(lease.fence);
    }
  }

  /** The position after the last line that is stored; null for a missing thread. */
  async findEnd(threadId: string): Promise<LinePosition | null> {
    const { statements, tenant } = this.#options;
    return (await statements.query<LinePosition>(END, threadId, tenant))[0] ?? null;
  }

  async close(): Promise<void> {
    // Together, because each waits for the database.
    await Promise.all([...this.#journals.values()].map((journal) => journal.close()));
  }

  async #resume(
    threadId: string,
    { position }: Extract<HeldHead, { kind: "held" }>,
  ): Promise<OpenedThread | StoreRefusal> {
    const { statements, rows, tenant } = this.#options;
    // No other process writes to the thread from the acquisition of its lease on.
    const row = await readThreadRow(statements, threadId, tenant);
    if (row === null) return missingThread(threadId);
    if (row.archived) return archivedThread(threadId);
    const found = await findSegmentSpans(statements, threadId, tenant);
    const spans = found.map((span) => (span.isLast ? { ...span, toSeq: position.seq } : span));
    const fold = foldOf(row);
    const facts = await wholeFacts(statements, fold.history.facts, spans);
    const recalled = await recallSegments({ statements, rows }, { facts, spans, marker: null });
    const { unfinishedTurnId } = recalled;
    const journal = this.#keep(threadId, { position, fold, beginning: null, unfinishedTurnId });
    return { kind: "open", journal, ...recalled };
  }

  #keep(
    threadId: string,
    parts: Pick<JournalOptions, "position" | "fold" | "beginning" | "unfinishedTurnId">,
  ): PostgresJournal {
    const journal = new PostgresJournal({
      ...this.#options,
      ...parts,
      threadId,
      findEnd: () => this.findEnd(threadId),
      onClose: () => {
        if (this.#journals.get(threadId) === journal) this.#journals.delete(threadId);
      },
    });
    this.#journals.set(threadId, journal);
    return journal;
  }
}
