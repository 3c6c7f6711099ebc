/** The journal of one thread in PostgreSQL. */

import type { JsonObject } from "../../../base/json-object.ts";
import { createDeferred } from "../../../base/tasks.ts";
import {
  type AppendFailure,
  type AppendOutcome,
  type DeferredTurnEnd,
  type Effect,
  type Journal,
  madeElsewhere,
  NO_EFFECTS,
  type PersistOutcome,
} from "../../journal.ts";
import type { Fence } from "../../leases.ts";
import type { LinePosition } from "../../line-position.ts";
import { type LineBody, prepareLines } from "../../lines/line.ts";
import type { ThreadFacts } from "../../lines/thread-facts.ts";
import type { UnrecordedEnd } from "../../pages/history-reader.ts";
import type { PostgresLeases } from "../leases/postgres-leases.ts";
import type { AppendLane, AppendRequest } from "./append-queue.ts";
import type { GroupCommit } from "./group-commit.ts";
import { type FoldedChange, foldLine, type ThreadFoldState, toThreadRow } from "./thread-fold.ts";

export interface JournalOptions {
  readonly threadId: string;
  readonly tenant: string;
  readonly leases: PostgresLeases;
  readonly commits: GroupCommit;
  /** The store's time. */
  readonly now: () => number;
  readonly position: LinePosition;
  readonly fold: ThreadFoldState;
  /** The beginning of a new thread; null for an existing one. */
  readonly beginning: Beginning | null;
  /** The unfinished turn when the thread was opened. */
  readonly unfinishedTurnId: string | null;
  /** The position of the last line that is stored; null if the thread is gone. */
  readonly findEnd: () => Promise<LinePosition | null>;
  readonly onClose: () => void;
}

export interface Beginning {
  readonly meta: LineBody;
  /** The row of its segment, with the names of its columns. */
  readonly segment: JsonObject;
}

/** The state after an append. */
interface JournalState {
  readonly fold: ThreadFoldState;
  readonly position: LinePosition;
  readonly beginning: Beginning | null;
  readonly deferred: readonly DeferredTurnEnd[];
}

/** The head of a thread without lines. */
const NOWHERE: LinePosition = { generation: 0, seq: 0 };

export class PostgresJournal implements Journal {
  readonly threadId: string;
  readonly location = null;
  readonly #options: JournalOptions;
  readonly #lane: AppendLane;
  /** After the appends that are under way. */
  #state: JournalState;
  /** After the last append that was stored. */
  #stored: JournalState;
  #unfinishedTurnId: string | null;
  #isClosed = false;
  /** Why nothing can be appended any more. */
  #end: AppendFailure | null = null;
  /** Whether lines may have been stored although their append has failed. */
  #isInDoubt = false;
  /** Resolves when appends may be submitted. */
  #ready: Promise<AppendFailure | null>;
  #isClaimed: boolean;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: JournalOptions) {
    const { threadId, leases, beginning, fold, position, unfinishedTurnId } = options;
    this.threadId = threadId;
    this.#options = options;
    this.#state = { fold, position, beginning, deferred: [] };
    this.#stored = this.#state;
    this.#unfinishedTurnId = unfinishedTurnId;
    this.#isClaimed = beginning === null;
    this.#ready = Promise.resolve(null);
    this.#lane = {
      threadId,
      fence: () => leases.fence(threadId),
      async refence() {
        const fence = leases.fence(threadId);
        return fence === null ? null : leases.confirm(fence);
      },
    };
    if (this.#isClaimed) this.#watch();
  }

  get fence(): Fence | null {
    return this.#isClaimed ? this.#options.leases.fence(this.threadId) : null;
  }

  /** Turns that have ended without a line about it. */
  get ended(): readonly UnrecordedEnd[] {
    const cut = this.#unfinishedTurnId;
    return [...(cut === null ? [] : [{ turnId: cut, error: null }]), ...this.#state.deferred];
  }

  facts(): ThreadFacts {
    return this.#state.fold.history.facts;
  }

  next(): LinePosition {
    return this.#state.position;
  }

  deferTurnEnd(end: DeferredTurnEnd): void {
    const deferred = [...this.#state.deferred, end];
    this.#state = { ...this.#state, deferred };
    this.#stored = { ...this.#stored, deferred: [...this.#stored.deferred, end] };
  }

  continueTurn(turnId: string): void {
    if (this.#unfinishedTurnId === turnId) this.#unfinishedTurnId = null;
  }

  async persist(): Promise<PersistOutcome> {
    if (this.#isClosed) return closed(this.threadId);
    if (this.#state.beginning !== null) {
      const outcome = await this.append([]);
      if (outcome.kind !== "kept") return outcome;
    }
    const { fence } = this;
    return fence === null ? closed(this.threadId) : { kind: "persisted", fence };
  }

  append(bodies: readonly LineBody[], effects = NO_EFFECTS): Promise<AppendOutcome> {
    this.#prepare();
    const appended = this.#ready.then((failure) => failure ?? this.#submit(bodies, effects));
    this.#last = appended;
    return appended;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#state.deferred.length > 0) await this.append([]);
    await this.#last;
    this.#isClosed = true;
    this.#options.onClose();
    const { fence } = this;
    if (fence !== null) await this.#options.leases.release(fence);
  }

  /** Starts what has to be known before the next append: the lease of a new thread, or where an append in doubt ended. */
  #prepare(): void {
    if (!this.#isClaimed && !this.#isClosed) this.#ready = this.#ready.then(() => this.#claim());
    else if (this.#isInDoubt) this.#ready = this.#ready.then(() => this.#resolveDoubt());
  }

  async #claim(): Promise<AppendFailure | null> {
    if (this.#isClaimed) return null;
    const { leases } = this.#options;
    const lease = await leases.acquireHead(this.threadId, "ifFree");
    if (lease.kind === "elsewhere") return madeElsewhere(this.threadId);
    if (lease.position.generation !== 0 || lease.position.seq !== 0) {
      await leases.release(lease.fence);
      return madeElsewhere(this.threadId);
    }
    this.#isClaimed = true;
    this.#watch();
    return null;
  }

  async #resolveDoubt(): Promise<AppendFailure | null> {
    if (!this.#isInDoubt) return null;
    const end = await this.#options.findEnd();
    const { position } = this.#headOf(this.#stored);
    const isAsBefore = end !== null && end.generation === position.generation && end.seq === position.seq;
    this.#isInDoubt = false;
    if (isAsBefore) return null;
    const message = `thread ${this.threadId} has lines whose append has failed here: open it again to continue`;
    this.#end = { kind: "fenced", reason: "takenOver", message };
    return this.#end;
  }

  #watch(): void {
    this.#options.leases.watch(this.threadId, () => this.#headOf(this.#stored).position);
  }

  /** A new thread has no position until its first line is stored. */
  #headOf(state: JournalState): { readonly position: LinePosition } {
    return state.beginning === null ? state : { position: NOWHERE };
  }

  async #submit(bodies: readonly LineBody[], effects: readonly Effect[]): Promise<AppendOutcome> {
    if (this.#isClosed) return closed(this.threadId);
    if (this.#end !== null) return this.#end;
    const before = this.#state;
    const { beginning, deferred } = before;
    const ends = deferred.map(({ line }) => line);
    const lead = beginning === null ? ends : [beginning.meta, ...ends];
    const firstSeq = before.position.seq + lead.length;
    const { after, ...parts } = this.#fold(before, [...lead, ...bodies]);
    this.#state = after;
    const { promise, resolve } = createDeferred<AppendOutcome>();
    const request: AppendRequest = {
      ...parts,
      expected: this.#headOf(before).position,
      next: after.position,
      segment: beginning?.segment ?? null,
      thread: toThreadRow(this.threadId, this.#options.tenant, after.fold),
      effects,
      settle: (failure) => {
        if (failure === null) this.#stored = { ...after, deferred: this.#stored.deferred.slice(ends.length) };
        else this.#undo(failure, before);
        resolve(failure ?? { kind: "kept", firstSeq });
      },
    };
    this.#options.commits.submit(this.#lane, request);
    return promise;
  }

  #undo(failure: AppendFailure, before: JournalState): void {
    // An append that is refused at once leaves those that are under way as they are.
    const isRefused = failure.kind === "unavailable" && failure.reason === "backlog";
    this.#state = isRefused ? before : this.#stored;
    if (!isRefused && failure.kind === "unavailable") this.#isInDoubt = true;
  }

  #fold(before: JournalState, bodies: readonly LineBody[]) {
    const { generation, seq: firstSeq } = before.position;
    const timeMs = this.#options.now();
    const timestamp = new Date(timeMs).toISOString();
    const texts = prepareLines(bodies, timeMs);
    let { fold } = before;
    const changes: FoldedChange[] = [];
    const lines: { readonly seq: number; readonly text: string }[] = [];
    for (const [at, body] of bodies.entries()) {
      const seq = firstSeq + at;
      const folded = foldLine(fold, { timestamp, ...body, ordinal: seq }, seq);
      fold = folded.state;
      changes.push(...folded.changes);
      // Without the line break that it has in a file.
      lines.push({ seq, text: texts[at]?.withOrdinal(seq).slice(0, -1) ?? "" });
    }
    const position = { generation, seq: firstSeq + bodies.length };
    return { after: { fold, position, beginning: null, deferred: [] }, changes, lines };
  }
}

function closed(threadId: string): AppendFailure {
  const message = `the journal of thread ${threadId} is closed`;
  return { kind: "unavailable", reason: "closed", message };
}
