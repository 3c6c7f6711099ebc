// The inbox: the questions of all threads, for clients that follow none of them.

import type { Approval } from "../../protocol/generated/types.ts";
import type { Inbox } from "../../runtime/questions/inbox.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { forbidden, type Handlers, invalidRequest, unwrap } from "../connections/handler.ts";
import { changesRules } from "../connections/limited-rights.ts";
import type { Notifier } from "../connections/notifier.ts";
import { onlyOwn } from "../connections/own-threads.ts";
import { createSentQuestions, type SentQuestions, type SentQuestionsOptions } from "./sent-questions.ts";

export interface ApprovalHandlersOptions extends SentQuestionsOptions {
  readonly inbox: Inbox;
  readonly notifier: Pick<Notifier, "to">;
  readonly onDisconnect: (listener: (connection: ClientConnection) => void) => void;
}

type ApprovalMethod = "approval/list" | "approval/answer";

const PAGE = 25;
const MAX_PAGE = 100;

export function createApprovalHandlers(options: ApprovalHandlersOptions): Handlers<ApprovalMethod> {
  const { inbox } = options;
  const sent = createSentQuestions(options);
  const followers = createFollowers(options, sent);
  return {
    async "approval/list"({ status, threadId, cursor, limit, subscribe }, { connection }) {
      // Before the list is read, so that no change is missed in between.
      if (subscribe === true) followers.add(connection);
      if (subscribe === false) followers.remove(connection);
      const query = {
        status: status ?? "open",
        threadId: threadId ?? null,
        cursor: cursor ?? null,
        limit: Math.min(MAX_PAGE, Math.max(1, limit ?? PAGE)),
      } as const;
      const page = unwrap(await inbox.list(query));
      // Those that end with this server are few, and belong to the first page.
      const isFirst = query.status !== "closed" && query.cursor === null;
      const data = isFirst ? [...page.data, ...sent.list(query.threadId)] : page.data;
      return { ...page, data: [...(await onlyOwn(connection.own, data, (each) => each.threadId))] };
    },

    async "approval/answer"({ id, decision }, { connection }) {
      refuseRuleChange(connection, decision);
      const { own } = connection;
      const threadId = own === null ? null : (sent.threadOf(id) ?? (await inbox.threadOf(id)));
      if (own !== null && (threadId === null || !(await own.has(threadId))))
        throw invalidRequest(`there is no question ${id}`);
      const by = answererOf(connection);
      return { approval: sent.answer(id, decision, by) ?? unwrap(await inbox.answer(id, decision, by)) };
    },
  };
}

/** The connections that receive `approval/changed`. */
function createFollowers(
  { inbox, notifier, onDisconnect }: ApprovalHandlersOptions,
  sent: Pick<SentQuestions, "follow">,
) {
  const connections = new Set<ClientConnection>();
  let stop: (() => void) | null = null;

  function start(): () => void {
    const send = (approval: Approval): void => notifier.to(connections, "approval/changed", { approval });
    const stops = [inbox.follow(send), sent.follow(send)];
    return () => {
      for (const each of stops) each();
    };
  }

  function remove(connection: ClientConnection): void {
    connections.delete(connection);
    if (connections.size > 0) return;
    stop?.();
    stop = null;
  }

  onDisconnect(remove);
  return {
    remove,
    add(connection: ClientConnection): void {
      connections.add(connection);
      stop ??= start();
    },
  };
}

function refuseRuleChange({ scopes }: ClientConnection, decision: unknown): void {
  if (scopes.has("admin") || !changesRules(decision)) return;
  const message = "an answer that changes rules needs the scope admin, which this connection does not have";
  throw forbidden(message, { method: "approval/answer", scope: "admin" });
}

function answererOf({ handshake, subject }: ClientConnection) {
  return { name: handshake.phase === "ready" ? handshake.clientName : null, subject };
}
