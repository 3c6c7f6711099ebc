import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Clients, OpenRequest } from "../engine/clients.ts";
import { encodeRequest } from "../jsonrpc/message.ts";
import type { PendingRequests } from "../jsonrpc/pending-requests.ts";
import type { Checker } from "../protocol/check.ts";
import { serverRequestRows } from "../protocol/generated/table.ts";
import type { ServerRequests } from "../protocol/generated/types.ts";
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
  readonly log: Logger;
}

interface Waiting {
  readonly id: number;
  readonly method: keyof ServerRequests;
  readonly text: string;
}

export function createClientRequests(options: ClientRequestsOptions): ClientRequests {
  const { pending, subscriptions, checker, log } = options;
  const byThread = new Map<string, Set<Waiting>>();

  function forget(threadId: string, waiting: Waiting): void {
    const open = byThread.get(threadId);
    open?.delete(waiting);
    if (open?.size === 0) byThread.delete(threadId);
  }

  async function settle<R>(answer: Promise<unknown>, method: keyof ServerRequests) {
    try {
      const result = await answer;
      const verdict = checker.check(serverRequestRows[method].result, result);
      if (verdict.ok) return { kind: "answered" as const, result: result as R };
      log.warn("a client's answer makes no sense", { method, reason: verdict.message });
      return { kind: "unanswered" as const, reason: verdict.message };
    } catch (error) {
      return { kind: "unanswered" as const, reason: messageOf(error) };
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
      const waiting: Waiting = { id, method, text: encodeRequest(id, method, params) };
      byThread.set(threadId, (byThread.get(threadId) ?? new Set()).add(waiting));
      for (const connection of subscriptions.of(threadId)) connection.send(waiting.text, "notice");
      return {
        id,
        answer: settle<ServerRequests[M]["result"]>(answer, method).finally(() => forget(threadId, waiting)),
        withdraw: () => withdrawal.abort(),
      };
    },
    replay(threadId, connection) {
      for (const { text } of byThread.get(threadId) ?? []) connection.send(text, "notice");
    },
  };
}
