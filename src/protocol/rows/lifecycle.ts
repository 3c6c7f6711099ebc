// Neutral events of threads, for clients that observe several kinds of agents. The peer has no such methods.

import { byThread, emptyResult, notification, perConnection, request } from "./row.ts";
import { anyJson, array, choice, define, map, nullable, object, optional, string, u32 } from "./shape.ts";

export const LifecycleSubscribeParams = define(
  "LifecycleSubscribeParams",
  object({ threadId: string(), events: optional(array(string())) }),
  "`events` are neutral names; without them it is every lifecycle event, and none of the extensions.",
);
export const LifecycleSubscribeResponse = define(
  "LifecycleSubscribeResponse",
  object({ subscriptionId: string(), events: array(string()), untold: array(string()) }),
  "`untold` are those of the events that Heddle has no moment for.",
);
export const LifecycleUnsubscribeParams = define(
  "LifecycleUnsubscribeParams",
  object({ subscriptionId: string() }),
);
export const LifecycleFrameContext = define(
  "LifecycleFrameContext",
  object({ frame_id: string(), frame_class: choice("top_level", "subcall") }),
);
export const LifecycleNeutralEvent = define(
  "LifecycleNeutralEvent",
  object({
    adapter_id: string(),
    event: string(),
    hook_event_name: optional(string()),
    harness_session_id: optional(string()),
    harness_task_id: optional(string()),
    frame_context: optional(LifecycleFrameContext),
    details: map(anyJson()),
    omitted: optional(array(string())),
  }),
  "An event in the vocabulary of the lifecycle layer.",
);
export const LifecycleEventNotification = define(
  "LifecycleEventNotification",
  object({
    subscriptionId: string(),
    threadId: string(),
    turnId: nullable(string()),
    event: LifecycleNeutralEvent,
    receiptId: nullable(string()),
    sequence: nullable(u32()),
  }),
  "`sequence` counts the receipts of the subscription from 1; it is null, as `receiptId`, where no receipt could be kept.",
);

export const lifecycleRequests = {
  "lifecycle/subscribe": request({
    summary: "Subscribes the connection to the neutral events of a loaded thread.",
    stability: "experimental",
    scope: "read",
    params: LifecycleSubscribeParams,
    result: LifecycleSubscribeResponse,
    order: byThread,
    handlers: "lifecycle",
  }),
  "lifecycle/unsubscribe": request({
    summary: "Ends a subscription of the connection to neutral events.",
    stability: "experimental",
    scope: "read",
    params: LifecycleUnsubscribeParams,
    result: emptyResult("LifecycleUnsubscribeResponse"),
    order: perConnection("subscriptionId"),
    handlers: "lifecycle",
  }),
};

export const lifecycleNotifications = {
  "lifecycle/event": notification({
    summary: "A neutral event of a thread, sent after its receipt is stored.",
    stability: "experimental",
    params: LifecycleEventNotification,
    audience: "connection",
  }),
};
