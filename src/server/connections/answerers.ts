import type { Clients, OpenRequest } from "../../engine/clients.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import type { PendingRequests } from "../../jsonrpc/pending-requests.ts";
import type { ServerRequests } from "../../protocol/generated/types.ts";
import type { Connection } from "./connection.ts";

/** Notes which client answered which request of the server, because an answer itself does not say. */
export interface Answerers {
  /** The requests that wait, as one client sees them. */
  seenBy(connection: Pick<Connection, "session">): PendingRequests;
  /** The same requests, with the client's name in each answer. */
  named(open: Clients["open"]): Clients["open"];
}

export function createAnswerers(pending: PendingRequests): Answerers {
  const names = new Map<RequestId, string>();

  function withName<R>({ id, answer, withdraw }: OpenRequest<R>): OpenRequest<R> {
    const named = answer.then((given) => {
      const from = names.get(id);
      names.delete(id);
      return given.kind === "answered" && from !== undefined ? { ...given, from } : given;
    });
    return { id, answer: named, withdraw };
  }

  return {
    seenBy: (connection) => ({
      ...pending,
      resolve(id, result) {
        const isAwaited = pending.resolve(id, result);
        const { session } = connection;
        if (isAwaited && session.phase === "ready") names.set(id, session.clientName);
        return isAwaited;
      },
    }),
    named:
      (open) =>
      <M extends keyof ServerRequests>(threadId: string, method: M, params: ServerRequests[M]["params"]) =>
        withName(open(threadId, method, params)),
  };
}
