import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Clients, OpenRequest, Withdrawal } from "../../engine/permissions/questions.ts";
import { encodeRequest, type RequestId } from "../../jsonrpc/message.ts";
import type { PendingRequests } from "../../jsonrpc/pending-requests.ts";
import type { Checker } from "../../protocol/check.ts";
import { serverRequestRows } from "../../protocol/generated/table.ts";
import type { AccessScope, ServerRequests } from "../../protocol/generated/types.ts";
import {
  type EncodedApproval,
  type LegacyGeneration,
  readLegacyAnswer,
} from "../legacy/legacy-generation.ts";
import { type ClientConnection, speaksLegacy } from "./client-connection.ts";
import { changesRules } from "./limited-rights.ts";
import type { ThreadSubscriptions } from "./thread-subscriptions.ts";

/**
 * Requests of the server to its clients. A request is sent to every subscriber of its thread and of the threads that
 * spawned it; the first answer counts.
 */
export interface OutboundRequests extends Clients {
  /** Sends the pending requests of a thread to a client that has just subscribed. */
  replay(threadId: string, connection: ClientConnection): void;
  /** The pending requests that a user answers, in the order in which they were sent. */
  openQuestions(): SentQuestion[];
  /** Answers a pending request for a client that was not sent it; false where it is not pending. */
  answer(id: RequestId, result: unknown, from: Answerer): boolean;
  /** Calls back with the requests to users that are sent and end from now on; returns the function that ends it. */
  follow(listener: QuestionListener): () => void;
  /** A view of the pending requests for one client, which can answer only the requests that it was sent. */
  forConnection(connection: ClientConnection): PendingRequests;
}

/** A request that waits for a user. */
export interface SentQuestion {
  readonly id: number;
  readonly threadId: string;
  readonly method: keyof ServerRequests;
  readonly params: unknown;
  readonly sentAtMs: number;
}

export interface QuestionListener {
  sent(question: SentQuestion): void;
  ended(question: SentQuestion, end: QuestionEnd): void;
}

export type QuestionEnd =
  | { readonly kind: "answered"; readonly result: unknown; readonly from: Answerer }
  | { readonly kind: Withdrawal | "failure" };

export interface OutboundRequestsOptions {
  readonly clock: Pick<Clock, "now">;
  readonly pending: PendingRequests;
  readonly subscriptions: ThreadSubscriptions;
  readonly checker: Checker;
  readonly legacy: LegacyGeneration;
  readonly log: Logger;
}

export interface Answerer {
  /** `clientInfo.name` of the client. */
  readonly from?: string;
  /** The subject of its token. */
  readonly subject?: string;
}

interface PendingQuestion extends SentQuestion {
  readonly text: string;
  /** The clients that were sent the request. They may answer while they are connected, even if unsubscribed since. */
  readonly asked: WeakSet<ClientConnection>;
  /** The client whose answer counted. */
  from: Answerer;
  /** Encodes the same request, with the same id, for clients of the legacy protocol; null if it has no such request. */
  readonly encodeLegacy: () => EncodedApproval | null;
  /** The request as sent to a legacy client; answers in the legacy form are accepted only once it is set. */
  legacyRequest: EncodedApproval | null;
}

export function createOutboundRequests(options: OutboundRequestsOptions): OutboundRequests {
  const { clock, pending, subscriptions, legacy } = options;
  const index = createQuestionIndex();
  const listeners = new Set<QuestionListener>();

  return {
    open<M extends keyof ServerRequests>(
      threadId: string,
      method: M,
      params: ServerRequests[M]["params"],
    ): OpenRequest<ServerRequests[M]["result"]> {
      const withdrawal = new AbortController();
      const { id, response: answer } = pending.open(withdrawal.signal);
      const question: PendingQuestion = {
        id,
        threadId,
        method,
        params,
        sentAtMs: clock.now(),
        text: encodeRequest(id, method, params),
        asked: new WeakSet(),
        from: {},
        encodeLegacy: () => legacy.request(id, method, params),
        legacyRequest: null,
      };
      index.add(question);
      for (const connection of subscriptions.ofFamily(threadId)) ask(connection, question, true);
      for (const listener of listeners) listener.sent(question);
      const end = (how: QuestionEnd): void => {
        index.remove(question);
        for (const listener of listeners) listener.ended(question, how);
      };
      return {
        id,
        answer: resolveAnswer(method, { answer, question, withdrawal: withdrawal.signal, end }, options),
        withdraw: (why) => withdrawal.abort(why),
      };
    },
    replay(threadId, connection) {
      for (const asking of index.threads()) {
        if (!subscriptions.familyOf(asking).includes(threadId)) continue;
        for (const question of index.of(asking)) ask(connection, question, false);
      }
    },
    openQuestions: () => index.all().filter(({ method }) => serverRequestRows[method].raises !== undefined),
    answer(id, result, from) {
      const question = index.get(id);
      if (question === undefined || !pending.resolve(id, result)) return false;
      question.from = from;
      return true;
    },
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    forConnection: (connection) => ({
      ...pending,
      resolve(id, result) {
        const question = index.get(id);
        if (question === undefined || !mayAnswer(connection, question, result, options.log)) return false;
        if (!pending.resolve(id, result)) return false;
        question.from = answererOf(connection);
        return true;
      },
      reject: (id, error) => (index.get(id)?.asked.has(connection) ?? false) && pending.reject(id, error),
    }),
  };
}

/** Only a client that was asked may answer, and only an administrator may change rules with an answer. */
function mayAnswer(
  connection: ClientConnection,
  { asked }: PendingQuestion,
  result: unknown,
  log: Logger,
): boolean {
  if (!asked.has(connection)) return false;
  if (connection.scopes.has("admin") || !changesRules(result)) return true;
  log.warn("an answer that changes rules needs the scope admin", { connection: connection.id });
  return false;
}

interface SentRequest {
  readonly answer: Promise<unknown>;
  readonly question: PendingQuestion;
  readonly withdrawal: AbortSignal;
  readonly end: (how: QuestionEnd) => void;
}

/** Validates the first answer of a client; `end` is called with the end of the request. */
async function resolveAnswer<M extends keyof ServerRequests>(
  method: M,
  { answer, question, withdrawal, end }: SentRequest,
  { checker, log }: Pick<OutboundRequestsOptions, "checker" | "log">,
): Promise<Awaited<OpenRequest<ServerRequests[M]["result"]>["answer"]>> {
  let how: QuestionEnd = { kind: "failure" };
  try {
    const result = await answer;
    const { from } = question;
    const verdict = checker.check(serverRequestRows[method].result, result);
    if (verdict.ok) {
      how = { kind: "answered", result, from };
      return { kind: "answered", result: result as ServerRequests[M]["result"], ...from };
    }
    const { legacyRequest } = question;
    const translated =
      legacyRequest && readLegacyAnswer({ method, legacyMethod: legacyRequest.method }, result, checker);
    if (translated !== null) {
      how = { kind: "answered", result: translated, from };
      return { kind: "answered", result: translated, ...from };
    }
    log.warn("a client's answer does not match the schema of its request", {
      method,
      reason: verdict.message,
    });
    return { kind: "unanswered", reason: verdict.message, cause: "nonsense" };
  } catch (error) {
    if (withdrawal.aborted) how = { kind: withdrawal.reason as Withdrawal };
    return { kind: "unanswered", reason: messageOf(error) };
  } finally {
    end(how);
  }
}

function ask(connection: ClientConnection, question: PendingQuestion, isNew: boolean): void {
  if (!connection.scopes.has(scopeOf(question))) return;
  question.asked.add(connection);
  const legacyRequest = speaksLegacy(connection) ? (question.legacyRequest ?? question.encodeLegacy()) : null;
  if (legacyRequest === null) return connection.send(question.text, "notice");
  question.legacyRequest = legacyRequest;
  const { event, text } = legacyRequest;
  if (isNew && connection.accepts(event.method)) connection.send(event.text, "notice");
  connection.send(text, "notice");
}

/** Questions to a person need `answer`; other requests are part of the work that the client has started. */
function scopeOf({ method }: SentQuestion): AccessScope {
  return serverRequestRows[method].raises === undefined ? "operate" : "answer";
}

/** Pending questions, indexed by id and by thread in the order in which they were opened. */
function createQuestionIndex() {
  const byId = new Map<RequestId, PendingQuestion>();
  const byThread = new Map<string, Set<PendingQuestion>>();
  return {
    add(question: PendingQuestion): void {
      const { id, threadId } = question;
      byId.set(id, question);
      byThread.set(threadId, (byThread.get(threadId) ?? new Set()).add(question));
    },
    remove(question: PendingQuestion): void {
      const { id, threadId } = question;
      byId.delete(id);
      const ofThread = byThread.get(threadId);
      ofThread?.delete(question);
      if (ofThread?.size === 0) byThread.delete(threadId);
    },
    all: (): PendingQuestion[] => [...byId.values()],
    threads: (): Iterable<string> => byThread.keys(),
    get: (id: RequestId): PendingQuestion | undefined => byId.get(id),
    of: (threadId: string): Iterable<PendingQuestion> => byThread.get(threadId) ?? [],
  };
}

function answererOf({ handshake, subject }: ClientConnection): Answerer {
  return {
    ...(handshake.phase === "ready" && { from: handshake.clientName }),
    ...(subject !== null && { subject }),
  };
}
