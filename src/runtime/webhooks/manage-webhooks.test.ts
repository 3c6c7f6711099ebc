import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { createMemoryOutbox, emptyOutboxMemory } from "../../store/memory/memory-outbox.ts";
import { listWebhooks, retryWebhooks, testWebhooks } from "./manage-webhooks.ts";
import type { WebhookRequest, WebhookResponse } from "./post-webhook.ts";
import { readWebhooks } from "./read-webhooks.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const entry = (name: string) => ({
  name,
  url: `https://me:pw@${name}.example.com/in?key=hidden`,
  secret: SECRET,
  events: ["turn.failed"],
});
const webhooks = readWebhooks([entry("one"), entry("two"), { url: 1 }], {});

async function stage() {
  const clock = createFakeClock(Date.UTC(2026, 10, 19));
  const outbox = createMemoryOutbox(emptyOutboxMemory(), clock);
  const threadId = null;
  await outbox.enqueue(
    ["a", "b", "c"].map((eventId) => ({
      eventId,
      endpointId: "one",
      type: "turn.failed",
      threadId,
      body: "{}",
    })),
  );
  return { clock, outbox };
}

test("lists endpoints without credentials, faults, and deliveries in pages", async () => {
  const { outbox } = await stage();
  const first = await listWebhooks(outbox, webhooks, { limit: 2 });
  expect(first).toMatchObject({
    endpoints: [
      { id: "one", url: "https://one.example.com/in", events: ["turn.failed"], off: null, dropped: 0 },
      { id: "two" },
    ],
    faults: ["`webhooks[2].url` must be a URL"],
    data: [
      { id: "3", eventId: "c", status: "pending", attempts: 0, lastAttempt: null, finishedAt: null },
      { id: "2", eventId: "b" },
    ],
    nextCursor: "2",
  });
  expect(JSON.stringify(first)).not.toMatch(/whsec|pw@|hidden/);
  expect(await listWebhooks(outbox, webhooks, { cursor: "2" })).toMatchObject({
    data: [{ id: "1" }],
    nextCursor: null,
  });
  expect(await listWebhooks(outbox, webhooks, { endpointId: "two" })).toMatchObject({ data: [] });
  expect(await listWebhooks(outbox, webhooks, { cursor: "x" })).toMatchObject({ reason: "invalidParams" });
});

test("retries a delivery or an endpoint, and switches an endpoint on", async () => {
  const { outbox } = await stage();
  await outbox.switchOff("one", "it answered 410 Gone");
  expect(await listWebhooks(outbox, webhooks, { status: "abandoned" })).toMatchObject({
    endpoints: [{ off: { reason: "it answered 410 Gone" } }, { off: null }],
    data: [{ id: "3" }, { id: "2" }, { id: "1" }],
  });
  expect(await retryWebhooks(outbox, webhooks, { deliveryId: "2" })).toEqual({
    retried: 1,
    switchedOn: false,
  });
  expect(await retryWebhooks(outbox, webhooks, { endpointId: "one" })).toEqual({
    retried: 3,
    switchedOn: true,
  });
  for (const request of [{}, { deliveryId: "99" }, { deliveryId: "x" }, { endpointId: "three" }])
    expect(await retryWebhooks(outbox, webhooks, request)).toMatchObject({ reason: "invalidParams" });
});

test("sends a signed test to all endpoints or to one, and reports each answer", async () => {
  const { clock } = await stage();
  const sent: WebhookRequest[] = [];
  const post = async (request: WebhookRequest): Promise<WebhookResponse> => {
    sent.push(request);
    return request.url.host.startsWith("one")
      ? { kind: "answered", status: 202, retryAfter: null }
      : { kind: "failed", message: "connect ECONNREFUSED" };
  };
  const parts = { post, clock, createId: () => "id" };
  expect(await testWebhooks(webhooks, parts)).toEqual([
    { endpointId: "one", delivered: true, status: 202, error: null },
    { endpointId: "two", delivered: false, status: null, error: "connect ECONNREFUSED" },
  ]);
  expect(sent[0]?.headers).toMatchObject({
    "webhook-id": "evt_id",
    "webhook-signature": expect.stringMatching(/^v1,/),
  });
  expect(JSON.parse(sent[0]?.body ?? "")).toMatchObject({
    type: "webhook.test",
    data: { endpointId: "one" },
  });
  expect(await testWebhooks(webhooks, { ...parts, endpointId: "two" })).toHaveLength(1);
  expect(await testWebhooks(webhooks, { ...parts, endpointId: "three" })).toMatchObject({
    reason: "invalidParams",
  });
});
