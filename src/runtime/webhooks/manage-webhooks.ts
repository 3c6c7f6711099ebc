/** Lists webhooks with their deliveries, retries them, and tests endpoints. */
import type { Clock } from "../../base/clock.ts";
import { type Refusal, refusal } from "../../base/refusal.ts";
import type {
  WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookEndpointState,
  WebhookListResponse,
  WebhookRetryResponse,
  WebhookTestResult,
} from "../../protocol/generated/types.ts";
import type { Delivery, EndpointState, Outbox } from "../../store/outbox.ts";
import { isSuccess } from "./deliverer.ts";
import { renderBody } from "./event-body.ts";
import type { PostWebhook } from "./post-webhook.ts";
import type { WebhookEndpoint, Webhooks } from "./read-webhooks.ts";
import { webhookHeaders } from "./sign-webhook.ts";
import { TEST_EVENT, WEBHOOK_EVENTS } from "./webhook-events.ts";

export type WebhookRefusal = Refusal<"invalidParams">;

export interface DeliveryPage {
  readonly cursor?: string | null | undefined;
  readonly limit?: number | null | undefined;
  readonly status?: WebhookDeliveryStatus | null | undefined;
  readonly endpointId?: string | null | undefined;
}

export const DELIVERIES_PER_PAGE = 25;
export const MAX_DELIVERIES_PER_PAGE = 100;

export async function listWebhooks(
  outbox: Pick<Outbox, "list" | "endpoints">,
  { endpoints, faults }: Webhooks,
  { cursor, limit, status, endpointId }: DeliveryPage,
): Promise<WebhookListResponse | WebhookRefusal> {
  const before = cursor == null ? undefined : parseNumber(cursor);
  if (before === null) return refusal("invalidParams", `invalid cursor: ${cursor}`);
  const wanted = Math.min(MAX_DELIVERIES_PER_PAGE, Math.max(1, limit ?? DELIVERIES_PER_PAGE));
  const query = { before, endpointId: endpointId ?? undefined, state: status ?? undefined };
  // One more than wanted shows whether there is another page.
  const found = await outbox.list({ ...query, limit: wanted + 1 });
  const page = found.slice(0, wanted);
  const states = new Map((await outbox.endpoints()).map((state) => [state.endpointId, state]));
  return {
    endpoints: endpoints.map((endpoint) => toEndpointView(endpoint, states.get(endpoint.id))),
    faults: [...faults],
    data: page.map(toDeliveryView),
    nextCursor: found.length > wanted ? String(page.at(-1)?.number) : null,
  };
}

export interface RetryRequest {
  readonly deliveryId?: string | null | undefined;
  readonly endpointId?: string | null | undefined;
}

export async function retryWebhooks(
  outbox: Pick<Outbox, "retry" | "switchOn">,
  { endpoints }: Webhooks,
  { deliveryId, endpointId }: RetryRequest,
): Promise<WebhookRetryResponse | WebhookRefusal> {
  if ((deliveryId ?? null) === null && (endpointId ?? null) === null)
    return refusal("invalidParams", "name a delivery or an endpoint");
  if (deliveryId != null) {
    const number = parseNumber(deliveryId);
    const retried = number === null ? 0 : await outbox.retry({ number });
    if (retried > 0) return { retried, switchedOn: false };
    return refusal("invalidParams", `delivery ${deliveryId} does not wait and was not abandoned`);
  }
  const id = endpointId ?? "";
  if (!endpoints.some((endpoint) => endpoint.id === id)) return unknownEndpoint(id);
  const switchedOn = await outbox.switchOn(id);
  return { retried: await outbox.retry({ endpointId: id }), switchedOn };
}

export interface TestOptions {
  readonly post: PostWebhook;
  readonly clock: Pick<Clock, "now">;
  readonly createId: () => string;
  readonly endpointId?: string | null | undefined;
}

/** Sends a test event to an endpoint or to all, once and outside of the outbox, so that the answer is known at once. */
export async function testWebhooks(
  { endpoints }: Webhooks,
  { endpointId, ...parts }: TestOptions,
): Promise<readonly WebhookTestResult[] | WebhookRefusal> {
  const chosen = endpointId == null ? endpoints : endpoints.filter(({ id }) => id === endpointId);
  if (endpointId != null && chosen.length === 0) return unknownEndpoint(endpointId);
  return Promise.all(chosen.map((endpoint) => testEndpoint(endpoint, parts)));
}

async function testEndpoint(
  { id: endpointId, url, secrets, allowsPrivate }: WebhookEndpoint,
  { post, clock, createId }: Omit<TestOptions, "endpointId">,
): Promise<WebhookTestResult> {
  const atMs = clock.now();
  const body = renderBody({ type: TEST_EVENT, atMs, data: { endpointId, text: "This is a test." } });
  const headers = webhookHeaders(secrets, {
    id: `evt_${createId()}`,
    atSeconds: Math.floor(atMs / 1000),
    body,
  });
  const response = await post({ url, headers, body, allowsPrivate }, new AbortController().signal);
  if (response.kind !== "answered") {
    const error = response.kind === "failed" ? response.message : "it was broken off";
    return { endpointId, delivered: false, status: null, error };
  }
  const { status } = response;
  const delivered = isSuccess(status);
  return { endpointId, delivered, status, error: delivered ? null : `it answered ${status}` };
}

function unknownEndpoint(id: string): WebhookRefusal {
  return refusal("invalidParams", `no webhook of the configuration has the id ${id}`);
}

function parseNumber(text: string): number | null {
  return /^[1-9]\d{0,14}$/u.test(text) ? Number(text) : null;
}

function toEndpointView(
  { id, url, events, allowsPrivate }: WebhookEndpoint,
  state: EndpointState | undefined,
): WebhookEndpointState {
  const off = state?.off ?? null;
  return {
    id,
    url: `${url.origin}${url.pathname}`,
    events: [...(events ?? Object.keys(WEBHOOK_EVENTS))],
    allowsPrivate,
    off: off === null ? null : { reason: off.reason, since: toSeconds(off.atMs) },
    dropped: state?.dropped ?? 0,
  };
}

function toDeliveryView(delivery: Delivery): WebhookDelivery {
  const { number, eventId, endpointId, type, threadId, state, attempts, result } = delivery;
  return {
    id: String(number),
    eventId,
    endpointId,
    type,
    threadId,
    status: state,
    attempts,
    createdAt: toSeconds(delivery.createdAtMs),
    dueAt: delivery.dueAtMs === null ? null : toSeconds(delivery.dueAtMs),
    finishedAt: delivery.finishedAtMs === null ? null : toSeconds(delivery.finishedAtMs),
    lastAttempt:
      result === null ? null : { at: toSeconds(result.atMs), status: result.status, error: result.error },
  };
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
