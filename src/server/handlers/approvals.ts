// The inbox: the questions of all threads, for clients that follow none of them.

import type { Inbox } from "../../runtime/questions/inbox.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { type Handlers, unwrap } from "../connections/handler.ts";

export interface ApprovalHandlersOptions {
  readonly inbox: Inbox;
}

type ApprovalMethod = "approval/list" | "approval/answer";

const PAGE = 25;
const MAX_PAGE = 100;

export function createApprovalHandlers({ inbox }: ApprovalHandlersOptions): Handlers<ApprovalMethod> {
  return {
    async "approval/list"({ status, threadId, cursor, limit }) {
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

function answererOf({ handshake, subject }: ClientConnection) {
  return { name: handshake.phase === "ready" ? handshake.clientName : null, subject };
}
