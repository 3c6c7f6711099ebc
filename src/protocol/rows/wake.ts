// Waking a thread by an event from outside, exactly once for each key.

import { UserInput } from "./input.ts";
import { QueuedTurn } from "./queue.ts";
import { byThread, request } from "./row.ts";
import { array, boolean, define, described, i64, nullable, object, optional, string } from "./shape.ts";

export const ThreadWakeParams = define(
  "ThreadWakeParams",
  object({
    threadId: string(),
    key: described(
      "Names the event: the same key again adds nothing, also when its turn has started.",
      string(),
    ),
    input: array(UserInput),
  }),
);
export const ThreadWakeResponse = define(
  "ThreadWakeResponse",
  object({
    queuedTurn: QueuedTurn,
    startedTurnId: described("The turn of this key, if it has already started.", optional(string())),
  }),
);
export const WakeToken = define(
  "WakeToken",
  object({ id: string(), threadId: string(), name: nullable(string()), createdAt: i64() }),
  "A token with which a program may wake one thread by HTTP, and do nothing else. The token itself is not kept.",
);
export const ThreadWakeTokenCreateParams = define(
  "ThreadWakeTokenCreateParams",
  object({ threadId: string(), name: nullable(string()) }),
);
export const ThreadWakeTokenCreateResponse = define(
  "ThreadWakeTokenCreateResponse",
  object({
    wakeToken: WakeToken,
    token: described("The secret, which is shown this once.", string()),
    path: described("Where a program sends it: `POST` to this path of `heddle serve`.", string()),
  }),
);
export const ThreadWakeTokenListParams = define("ThreadWakeTokenListParams", object({ threadId: string() }));
export const ThreadWakeTokenListResponse = define(
  "ThreadWakeTokenListResponse",
  object({ data: array(WakeToken) }),
);
export const ThreadWakeTokenRevokeParams = define(
  "ThreadWakeTokenRevokeParams",
  object({ threadId: string(), wakeTokenId: string() }),
);
export const ThreadWakeTokenRevokeResponse = define(
  "ThreadWakeTokenRevokeResponse",
  object({ revoked: boolean() }),
);

export const wakeRequests = {
  "thread/wake": request({
    summary:
      "Queues a turn for an event from outside, once for each key, whether or not the thread is loaded.",
    stability: "experimental",
    scope: "operate",
    params: ThreadWakeParams,
    result: ThreadWakeResponse,
    order: byThread,
    idempotent: true,
    handlers: "wake",
  }),
  "thread/wakeToken/create": request({
    summary: "Creates a token with which a program may wake the thread by HTTP.",
    stability: "experimental",
    scope: "admin",
    params: ThreadWakeTokenCreateParams,
    result: ThreadWakeTokenCreateResponse,
    order: byThread,
    handlers: "wake",
    isAudited: true,
  }),
  "thread/wakeToken/list": request({
    summary: "Lists the tokens that may wake the thread.",
    stability: "experimental",
    scope: "read",
    params: ThreadWakeTokenListParams,
    result: ThreadWakeTokenListResponse,
    order: byThread,
    idempotent: true,
    handlers: "wake",
  }),
  "thread/wakeToken/revoke": request({
    summary: "Revokes a token at once.",
    stability: "experimental",
    scope: "admin",
    params: ThreadWakeTokenRevokeParams,
    result: ThreadWakeTokenRevokeResponse,
    order: byThread,
    handlers: "wake",
    isAudited: true,
  }),
};
