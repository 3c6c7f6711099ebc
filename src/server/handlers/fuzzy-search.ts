import { RpcError } from "../../jsonrpc/rpc-error.ts";
import { errorCodes } from "../../protocol/errors.ts";
import { type Handlers, invalidRequest } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";
import type { FileSearches } from "../machine/file-searches.ts";

export interface FuzzySearchOptions {
  readonly searches: FileSearches;
  readonly notifier: Notifier;
}

type FuzzySearchMethod =
  | "fuzzyFileSearch"
  | "fuzzyFileSearch/sessionStart"
  | "fuzzyFileSearch/sessionUpdate"
  | "fuzzyFileSearch/sessionStop";

/** Fuzzy file search. A session belongs to the connection that started it. */
export function createFuzzySearchHandlers({
  searches,
  notifier,
}: FuzzySearchOptions): Handlers<FuzzySearchMethod> {
  return {
    async fuzzyFileSearch({ query, roots, cancellationToken = null }, { connection }) {
      return { files: [...(await searches.ask(connection, { query, roots, token: cancellationToken }))] };
    },

    "fuzzyFileSearch/sessionStart"({ sessionId, roots }, { connection }) {
      if (sessionId === "") throw invalidRequest("sessionId must not be empty");
      if (roots.length === 0) {
        const reason = "at least one search directory is required";
        throw new RpcError(errorCodes.internalError, `failed to start fuzzy file search session: ${reason}`);
      }
      const isOpen = searches.open(connection, {
        name: sessionId,
        roots,
        onUpdate: (query, files) =>
          notifier.to([connection], "fuzzyFileSearch/sessionUpdated", {
            sessionId,
            query,
            files: [...files],
          }),
        onComplete: () => notifier.to([connection], "fuzzyFileSearch/sessionCompleted", { sessionId }),
      });
      if (!isOpen) throw invalidRequest("too many fuzzy file search sessions are open on this connection");
      return {};
    },

    "fuzzyFileSearch/sessionUpdate"({ sessionId, query }, { connection }) {
      if (!searches.update(connection, sessionId, query)) {
        throw invalidRequest(`fuzzy file search session not found: ${sessionId}`);
      }
      return {};
    },

    "fuzzyFileSearch/sessionStop"({ sessionId }, { connection }) {
      searches.stop(connection, sessionId);
      return {};
    },
  };
}
