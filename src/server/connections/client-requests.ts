import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Clients, OpenRequest } from "../../engine/clients.ts";
import { encodeRequest } from "../../jsonrpc/message.ts";
import type { PendingRequests } from "../../jsonrpc/pending-requests.ts";
import type { Checker } from "../../protocol/check.ts";
import { serverRequestRows } from "../../protocol/generated/table.ts";
import type { ServerRequests } from "../../protocol/generated/types.ts";
import {
  type EncodedApproval,
  type LegacyGeneration,
  readLegacyAnswer,
  speaksLegacy,
} from "../legacy/legacy-generation.ts";
import type { Connection } from "./connection.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** What the server asks its clients: everyone who hears of a thread is asked, and the first answer counts. */
export interface ClientRequests extends Clients {
  /** Asks a client that has just joined what the others were asked before. */
  replay(threadId: string, connection: Connection): void;
}

export interface ClientRequestsOptions {
  readonly pending: PendingRequests;
  readonly subscriptions: Subscriptions;
  readonly checker: Checker;
  readonly legacy: LegacyGeneration;
  readonly log: Logger;
}

interface Waiting {
  readonly id: number;
  readonly text: string;
  /** The same question under the same id for clients of the first generation, where that has one. */
  readonly earlier: () => EncodedApproval | null;
  /** What such a client was asked; until one was, nobody can answer in its words. */
  askedEarlier: EncodedApproval | null;
}

export function createClientRequests(options: ClientRequestsOptions): ClientRequests {
  const { pending, subscriptions, checker, legacy, log } = options;
  const byThread = new Map<string, Set<Waiting>>();

  function forget(threadId: string, waiting: Waiting): void {
    const open = byThread.get(threadId);
    open?.delete(waiting);
    if (open?.size === 0) byThread.delete(threadId);
  }

  function ask(connection: Connection, waiting: Waiting, isNew: boolean): void {
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
      const verdict = checker.check(serverRequestRows[method].result, result);
      if (verdict.ok) return { kind: "answered", result: result as ServerRequests[M]["result"] };
      const { askedEarlier } = waiting;
      const translated =
        askedEarlier && readLegacyAnswer({ method, legacyMethod: askedEarlier.method }, result, checker);
      if (translated !== null) return { kind: "answered", result: translated };
      log.warn("a client's answer makes no sense", { method, reason: verdict.message });
      return { kind: "unanswered", reason: verdict.message, cause: "nonsense" };
    } catch (error) {
      return { kind: "unanswered", reason: messageOf(error) };
    }
  }

  return {
    open<M extends keyof ServerRequests>(
      threadId: string,
      method: M,
      params: ServerRequests[M]["params"],
    ): OpenRequest<ServerRequests[M]["result"]> {
      const withdrawal = new AbortController();
      const { id, answer } = pending.open(withdrawal.signal);
      const waiting: Waiting = {
        id,
        text: encodeRequest(id, method, params),
        earlier: () => legacy.request(id, method, params),
        askedEarlier: null,
      };
      byThread.set(threadId, (byThread.get(threadId) ?? new Set()).add(waiting));
      for (const connection of subscriptions.of(threadId)) ask(connection, waiting, true);
      return {
        id,
        answer: settle(answer, method, waiting).finally(() => forget(threadId, waiting)),
        withdraw: () => withdrawal.abort(),
      };
    },
    replay(threadId, connection) {
      for (const waiting of byThread.get(threadId) ?? []) ask(connection, waiting, false);
    },
  };
}
