/** The questions of all threads of a store: what is open, what was decided, and answers from anybody who may give them. */

import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { Logger } from "../../base/logger.ts";
import { refusal } from "../../base/refusal.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Approval } from "../../protocol/generated/types.ts";
import type { DecidedBy, Decisions, StoredDecision } from "../../store/decisions.ts";
import { parseQuestionId } from "../../store/question-id.ts";
import type { Store } from "../../store/store.ts";
import type { ThreadRefusal } from "../configuration/thread-refusal.ts";
import { createQuestionFeed } from "./question-feed.ts";
import { createQuestionViews, type InboxPage, type InboxQuery } from "./question-views.ts";
import { QUESTION_METHODS, readAnswer } from "./read-answer.ts";
import { describeVerdict, showDecision } from "./show-question.ts";

export interface InboxOptions {
  readonly store: () => Promise<Pick<Store, "decisions" | "isHeld">>;
  readonly engine: Pick<Engine, "find">;
  /** Loads a stored thread, which continues the turn that waits. */
  readonly threads: { load(threadId: string): Promise<ThreadRefusal | null> };
  /** Whether questions of threads that are loaded here outlive the server. */
  readonly keepsQuestions: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface InboxClient {
  /** The name that the client gives itself. */
  readonly name: string | null;
  /** The subject of its token. */
  readonly subject: string | null;
}

export interface Inbox {
  list(query: InboxQuery): Promise<InboxPage | ThreadRefusal>;
  /** The thread of a question; null if there is no such question. */
  threadOf(id: string): Promise<string | null>;
  answer(id: string, decision: unknown, by: InboxClient): Promise<Approval | ThreadRefusal>;
  /** Calls back with each question that is asked, answered or closed from now on; returns the function that ends it. */
  follow(listener: (approval: Approval) => void): () => void;
  /** A decision has changed in this process. */
  touch(number: number): void;
  close(): void;
}

const wrong = (message: string): ThreadRefusal => refusal("invalidRequest", message);

export function createInbox(options: InboxOptions): Inbox {
  const { store, engine, threads, clock } = options;

  const views = createQuestionViews({ find: engine.find, clock });
  const feed = createQuestionFeed({
    decisions: async () => (await store()).decisions,
    views,
    clock,
    log: options.log,
  });
  return {
    follow: feed.follow,
    touch: feed.touch,
    close: feed.close,
    async list(query) {
      if (query.cursor !== null && !/^\d{1,15}$/.test(query.cursor))
        return wrong(`invalid cursor: ${query.cursor}`);
      const { decisions } = await store();
      return query.status === "open" ? views.listOpen(decisions, query) : views.listAll(decisions, query);
    },

    async threadOf(id) {
      const { decisions } = await store();
      return (await findDecision(decisions, id))?.threadId ?? null;
    },

    async answer(id, decision, by) {
      const { decisions, isHeld } = await store();
      const entry = await findDecision(decisions, id);
      if (entry === null) return wrong(`there is no question ${id}`);
      if (entry.verdict !== null) return late(id, showDecision(entry, clock.now()));
      const read = readAnswer(entry.subject.kind, decision);
      if (read.kind === "wrong")
        return wrong(`not an answer to ${QUESTION_METHODS[entry.subject.kind]}: ${read.message}`);
      const { threadId } = entry;
      const isElsewhere = engine.find(threadId) === undefined && (await isHeld(threadId));
      const canContinue =
        engine.find(threadId) !== undefined || isElsewhere || (await options.keepsQuestions());
      if (!canContinue) return wrong(endedWithServer(id, threadId));
      const client = clientOf(by);
      const verdict = { outcome: read.outcome, by: client, reason: null };
      const recorded = await decisions.answer(entry, verdict, read.result);
      if (recorded.kind === "late") return late(id, await views.show(decisions, entry));
      const answered = await views.show(decisions, entry);
      const refused = isElsewhere ? null : await deliver(entry, { result: read.result, by });
      return refused === null
        ? answered
        : wrong(`the answer to question ${id} is recorded, and waits: ${refused.message}`);
    },
  };

  /** Continues the turn with an answer that is recorded. */
  async function deliver(
    { threadId, number }: StoredDecision,
    { result, by: { name, subject } }: { readonly result: JsonObject; readonly by: InboxClient },
  ): Promise<ThreadRefusal | null> {
    const thread = engine.find(threadId);
    // A turn that is continued reads the answer from the record.
    if (thread === undefined) return threads.load(threadId);
    thread.answer(number, {
      kind: "answered",
      result,
      ...(name !== null && { from: name }),
      ...(subject !== null && { subject }),
    });
    return null;
  }
}

/** The decision with this id; null if there is none, or its number now belongs to another one. */
async function findDecision(decisions: Decisions, id: string): Promise<StoredDecision | null> {
  const wanted = parseQuestionId(id);
  if (wanted === null) return null;
  const [entry] = await decisions.list({ number: wanted.number, limit: 1 });
  return entry === undefined || (wanted.atMs !== null && wanted.atMs !== entry.atMs) ? null : entry;
}

function clientOf({ name, subject }: InboxClient): DecidedBy {
  return { kind: "client", name, ...(subject !== null && { subject }) };
}

function endedWithServer(id: string, threadId: string): string {
  return `question ${id} ended with its server, because approvals.after_restart is deny here: resume thread ${threadId} to continue`;
}

function late(id: string, approval: Approval): ThreadRefusal {
  return refusal("invalidRequest", `question ${id} was ${describeVerdict(approval)}`, { approval });
}
