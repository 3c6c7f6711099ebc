// The inbox: the questions of all threads, for clients that follow none of them.

import type { Inbox } from "../../runtime/questions/inbox.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { type Handlers, unwrap } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";

export interface ApprovalHandlersOptions {
  readonly inbox: Inbox;
  readonly notifier: Pick<Notifier, "to">;
  readonly onDisconnect: (listener: (connection: ClientConnection) => void) => void;
}

type ApprovalMethod = "approval/list" | "approval/answer";

const PAGE = 25;
const MAX_PAGE = 100;

export function createApprovalHandlers(options: ApprovalHandlersOptions): Handlers<ApprovalMethod> {
  const { inbox } = options;
  const followers = createFollowers(options);
  return {
    async "approval/list"({ status, threadId, cursor, limit, subscribe }, { connection }) {
      // Before the list is read, so that no change is missed in between.
      if (subscribe === true) followers.add(connection);
      if (subscribe === false) followers.remove(connection);
      return unwrap(
        await inbox.list({
          status: status ?? "open",
          threadId: threadId ?? null,
          cursor: cursor ?? null,
          limit: Math.min(MAX_PAGE, Math.max(1, limit ?? PAGE)),
        }),
      );
    },

    async "approval/answer"({ id, decision }, { connection }) {
      return { approval: unwrap(await inbox.answer(id, decision, answererOf(connection))) };
    },
  };
}

/** The connections that receive `approval/changed`. */
function createFollowers({ inbox, notifier, onDisconnect }: ApprovalHandlersOptions) {
  const connections = new Set<ClientConnection>();
  let stop: (() => void) | null = null;

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
      stop ??= inbox.follow((approval) => notifier.to(connections, "approval/changed", { approval }));
    },
  };
}

function answererOf({ handshake, subject }: ClientConnection) {
  return { name: handshake.phase === "ready" ? handshake.clientName : null, subject };
}
