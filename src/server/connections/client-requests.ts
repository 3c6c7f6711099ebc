import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Clients, OpenRequest } from "../../engine/permissions/questions.ts";
import { encodeRequest, type RequestId } from "../../jsonrpc/message.ts";
import type { PendingRequests } from "../../jsonrpc/pending-requests.ts";
import type { Checker } from "../../protocol/check.ts";
import { serverRequestRows } from "../../protocol/generated/table.ts";
import type { ServerRequests } from "../../protocol/generated/types.ts";
import {
  type EncodedApproval,
  type LegacyGeneration,
  readLegacyAnswer,
} from "../legacy/legacy-generation.ts";
import { type Connection, speaksLegacy } from "./connection.ts";
import type { Subscriptions } from "./subscriptions.ts";

/**
 * What the server asks its clients: every subscriber of a thread is asked, and of a spawned thread those of its parents as
 * well; the first answer counts.
 */
export interface ClientRequests extends Clients {
  /** Asks a client that has just joined what the others were asked before. */
  replay(threadId: string, connection: Connection): void;
  /** The requests as one client sees them: it can answer those that it was sent, and no other. */
  seenBy(connection: Connection): PendingRequests;
}

export interface ClientRequestsOptions {
  readonly pending: PendingRequests;
  readonly subscriptions: Subscriptions;
  readonly checker: Checker;
  readonly legacy: LegacyGeneration;
  readonly log: Logger;
}

interface Answerer {
  /** The name that the client gave itself. */
  readonly from?: string;
  /** Whom its token names. */
  readonly subject?: string;
}

interface Waiting {
  readonly id: number;
  readonly threadId: string;
  readonly text: string;
  /** Who was sent it. It may answer for as long as it is connected, also when it has left the thread since. */
  readonly asked: WeakSet<Connection>;
  /** The client whose answer counted. */
  from: Answerer;
  /** The same question under the same id for clients of the first generation, where that has one. */
  readonly earlier: () => EncodedApproval | null;
  /** What such a client was asked; until one was, nobody can answer in its words. */
  askedEarlier: EncodedApproval | null;
}

export function createClientRequests(options: ClientRequestsOptions): ClientRequests {
  const { pending, subscriptions, checker, legacy, log } = options;
  const questions = createOpenQuestions();

  function ask(connection: Connection, waiting: Waiting, isNew: boolean): void {
    waiting.asked.add(connection);
    const earlier = speaksLegacy(connection) ? (waiting.askedEarlier ?? waiting.earlier()) : null;
    if (earlier === null) return connection.send(waiting.text, "notice");
    waiting.askedEarlier = earlier;
    const { event, text } = earlier;
    if (isNew && connection.wants(event.method)) connection.send(event.text, "notice");
    connection.send(text, "notice");
  }

  async function settle<M extends keyof ServerRequests>(
    answer: Promise<unknown>,
    method: M,
    waiting: Waiting,
  ): Promise<Awaited<OpenRequest<ServerRequests[M]["result"]>["answer"]>> {
    try {
      const result = await answer;
      const { from } = waiting;
      const verdict = checker.check(serverRequestRows[method].result, result);
      if (verdict.ok) return { kind: "answered", result: result as ServerRequests[M]["result"], ...from };
      const { askedEarlier } = waiting;
      const translated =
        askedEarlier && readLegacyAnswer({ method, legacyMethod: askedEarlier.method }, result, checker);
      if (translated !== null) return { kind: "answered", result: translated, ...from };
      log.warn("a client's answer makes no sense", { method, reason: verdict.message });
      return { kind: "unanswered", reason: verdict.message, cause: "nonsense" };
    } catch (error) {
      return { kind: "unanswered", reason: messageOf(error) };
    } finally {
      questions.remove(waiting);
    }
  }

  return {
    open<M extends keyof ServerRequests>(
      threadId: string,
      method: M,
      params: ServerRequests[M]["params"],
    ): OpenRequest<ServerRequests[M]["result"]> {
      const withdrawal = new AbortController();
      const { id, response: answer } = pending.open(withdrawal.signal);
      const waiting: Waiting = {
        id,
        threadId,
        text: encodeRequest(id, method, params),
        asked: new WeakSet(),
        from: {},
        earlier: () => legacy.request(id, method, params),
        askedEarlier: null,
      };
      questions.add(waiting);
      for (const connection of subscriptions.ofFamily(threadId)) ask(connection, waiting, true);
      return { id, answer: settle(answer, method, waiting), withdraw: () => withdrawal.abort() };
    },
    replay(threadId, connection) {
      for (const asking of questions.threads()) {
        if (!subscriptions.familyOf(asking).includes(threadId)) continue;
        for (const waiting of questions.of(asking)) ask(connection, waiting, false);
      }
    },
    seenBy: (connection) => ({
      ...pending,
      resolve(id, result) {
        const waiting = questions.get(id);
        if (!waiting?.asked.has(connection) || !pending.resolve(id, result)) return false;
        waiting.from = whoIs(connection);
        return true;
      },
      reject: (id, error) => (questions.get(id)?.asked.has(connection) ?? false) && pending.reject(id, error),
    }),
  };
}

/** The questions that wait, by id and by thread in the order of their asking. */
function createOpenQuestions() {
  const byId = new Map<RequestId, Waiting>();
  const byThread = new Map<string, Set<Waiting>>();
  return {
    add(waiting: Waiting): void {
      const { id, threadId } = waiting;
      byId.set(id, waiting);
      byThread.set(threadId, (byThread.get(threadId) ?? new Set()).add(waiting));
    },
    remove(waiting: Waiting): void {
      const { id, threadId } = waiting;
      byId.delete(id);
      const ofThread = byThread.get(threadId);
      ofThread?.delete(waiting);
      if (ofThread?.size === 0) byThread.delete(threadId);
    },
    threads: (): Iterable<string> => byThread.keys(),
    get: (id: RequestId): Waiting | undefined => byId.get(id),
    of: (threadId: string): Iterable<Waiting> => byThread.get(threadId) ?? [],
  };
}

/** What it calls itself, and whom its token names. */
function whoIs({ handshake, subject }: Connection): Answerer {
  return {
    ...(handshake.phase === "ready" && { from: handshake.clientName }),
    ...(subject !== null && { subject }),
  };
}
