// Events from outside that wake a thread, and the tokens with which programs send them by HTTP.

import type { Engine } from "../../engine/engine.ts";
import { toQueuedTurn } from "../../runtime/queue/queue-entry.ts";
import { refuseQueueTarget } from "../../runtime/queue/queue-target.ts";
import type { TurnQueue } from "../../runtime/queue/turn-queue.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import { wakeThread } from "../../runtime/wake/wake-thread.ts";
import { makeWakeToken, wakePath } from "../../runtime/wake/wake-tokens.ts";
import type { Store } from "../../store/store.ts";
import type { StoredWakeToken } from "../../store/wake-tokens.ts";
import { type Handlers, invalidRequest, type RequestMethod, unwrap } from "../connections/handler.ts";

type WakeMethod = Extract<RequestMethod, `thread/wake${string}`>;

export interface WakeHandlersOptions {
  readonly engine: Pick<Engine, "find">;
  readonly store: () => Promise<Store>;
  readonly queue: () => Promise<TurnQueue>;
  readonly createId: () => string;
  readonly randomBytes: (count: number) => Buffer;
}

/** The keys of clients of the protocol, apart from those of tokens. */
const CLIENT_EVENTS = "wake";

export function createWakeHandlers(options: WakeHandlersOptions): Handlers<WakeMethod> {
  const { store, createId, randomBytes } = options;
  const wakeTokens = async () => (await store()).wakeTokens;
  return {
    async "thread/wake"({ threadId, key, input }, { lane, connection, afterResponse }) {
      const id = unwrap(parseThreadId(threadId));
      const { row, outcome } = unwrap(
        await wakeThread(lane, { source: CLIENT_EVENTS, key, input, sentBy: connection.subject }, options),
      );
      switch (outcome.kind) {
        case "full":
          throw invalidRequest(outcome.message);
        case "started": {
          const { rowId, turnId } = outcome.started;
          const started = { ...row, rowId, threadId: id, failure: null };
          return { queuedTurn: toQueuedTurn(started), startedTurnId: turnId };
        }
        default:
          afterResponse(outcome.begin);
          return { queuedTurn: toQueuedTurn(outcome.row) };
      }
    },

    async "thread/wakeToken/create"({ threadId, name }) {
      const id = unwrap(parseThreadId(threadId));
      const refused = await refuseQueueTarget(id, options);
      if (refused !== null) unwrap(refused);
      const parts = { wakeTokens: await wakeTokens(), createId, randomBytes };
      const { token, secret } = unwrap(await makeWakeToken(id, name ?? null, parts));
      return { wakeToken: show(token), token: secret, path: wakePath(secret) };
    },

    async "thread/wakeToken/list"({ threadId }) {
      const id = unwrap(parseThreadId(threadId));
      return { data: (await (await wakeTokens()).list(id)).map(show) };
    },

    async "thread/wakeToken/revoke"({ threadId, wakeTokenId }) {
      const id = unwrap(parseThreadId(threadId));
      return { revoked: await (await wakeTokens()).revoke(id, wakeTokenId) };
    },
  };
}

function show({ tokenId, threadId, name, createdAtMs }: StoredWakeToken) {
  return { id: tokenId, threadId, name, createdAt: Math.floor(createdAtMs / 1000) };
}
