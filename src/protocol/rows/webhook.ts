// Webhooks: where events are sent, and what became of them. The peer has no such methods.

import { free, request } from "./row.ts";
import {
  array,
  boolean,
  choice,
  define,
  i64,
  nullable,
  object,
  optional,
  string,
  u32,
  u64,
} from "./shape.ts";

export const WebhookDeliveryStatus = define(
  "WebhookDeliveryStatus",
  choice("pending", "claimed", "delivered", "abandoned"),
  "`pending` waits for its time or for the one before it, `claimed` is being attempted, `abandoned` was not delivered.",
);
export const WebhookAttempt = define(
  "WebhookAttempt",
  object({ at: i64(), status: nullable(u32()), error: nullable(string()) }),
  "`status` is that of HTTP, and null if there was no response; `error` is null for a success.",
);
export const WebhookDelivery = define(
  "WebhookDelivery",
  object({
    id: string(),
    eventId: string(),
    endpointId: string(),
    type: string(),
    threadId: nullable(string()),
    status: WebhookDeliveryStatus,
    attempts: u32(),
    createdAt: i64(),
    dueAt: nullable(i64()),
    finishedAt: nullable(i64()),
    lastAttempt: nullable(WebhookAttempt),
  }),
  "One event for one endpoint.",
);
export const WebhookOff = define(
  "WebhookOff",
  object({ reason: string(), since: i64() }),
  "Why nothing is sent to an endpoint.",
);
export const WebhookEndpointState = define(
  "WebhookEndpointState",
  object({
    id: string(),
    url: string(),
    events: array(string()),
    allowsPrivate: boolean(),
    off: nullable(WebhookOff),
    dropped: u64(),
  }),
  "`url` lacks user, password and query; `dropped` counts events that were lost because too many waited.",
);
export const WebhookListParams = define(
  "WebhookListParams",
  object({
    cursor: nullable(string()),
    limit: nullable(u32()),
    status: nullable(WebhookDeliveryStatus),
    endpointId: nullable(string()),
  }),
);
export const WebhookListResponse = define(
  "WebhookListResponse",
  object({
    endpoints: array(WebhookEndpointState),
    faults: array(string()),
    data: array(WebhookDelivery),
    nextCursor: nullable(string()),
  }),
  "`faults` are mistakes in the configuration, whose entries are not used.",
);
export const WebhookRetryParams = define(
  "WebhookRetryParams",
  object({ deliveryId: nullable(string()), endpointId: nullable(string()) }),
  "Either of the two.",
);
export const WebhookRetryResponse = define(
  "WebhookRetryResponse",
  object({ retried: u32(), switchedOn: boolean() }),
  "`switchedOn`: the endpoint was off.",
);
export const WebhookTestParams = define(
  "WebhookTestParams",
  object({ endpointId: nullable(string()) }),
  "Without an endpoint all are tested.",
);
export const WebhookTestResult = define(
  "WebhookTestResult",
  object({
    endpointId: string(),
    delivered: boolean(),
    status: nullable(u32()),
    error: nullable(string()),
  }),
);
export const WebhookTestResponse = define(
  "WebhookTestResponse",
  object({ results: array(WebhookTestResult), faults: optional(array(string())) }),
  "`faults` are mistakes in the configuration, where there are any.",
);

export const webhookRequests = {
  "webhook/list": request({
    summary: "Lists the webhooks of the configuration, and pages through deliveries, the newest first.",
    stability: "experimental",
    scope: "read",
    params: WebhookListParams,
    result: WebhookListResponse,
    order: free,
    idempotent: true,
    handlers: "webhooks",
  }),
  "webhook/retry": request({
    summary: "Makes a delivery, or all of an endpoint, due now; switches an endpoint on that was off.",
    stability: "experimental",
    scope: "admin",
    params: WebhookRetryParams,
    result: WebhookRetryResponse,
    order: free,
    idempotent: true,
    handlers: "webhooks",
    isAudited: true,
  }),
  "webhook/test": request({
    summary: "Sends a test event now, once, and returns how it was answered.",
    stability: "experimental",
    scope: "admin",
    params: WebhookTestParams,
    result: WebhookTestResponse,
    order: free,
    handlers: "webhooks",
  }),
};
