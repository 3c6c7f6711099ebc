import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import type { LogFields, Logger } from "../../base/logger.ts";
import { silentLogger } from "../../base/logger.ts";
import { createMemoryOutbox, emptyOutboxMemory } from "../../store/memory/memory-outbox.ts";
import type { NewDelivery } from "../../store/outbox.ts";
import {
  type AttemptKind,
  createDeliverer,
  LOOK_EVERY_MS,
  MAX_ATTEMPTS,
  MAX_ENDPOINT_ATTEMPTS,
} from "./deliverer.ts";
import type { WebhookRequest, WebhookResponse } from "./post-webhook.ts";
import type { WebhookEndpoint } from "./read-webhooks.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const endpoint = (id: string): WebhookEndpoint => ({
  id,
  url: new URL(`https://${id}.example.com/`),
  secrets: [SECRET],
  events: null,
  filter: { folders: [], names: [], sources: [] },
  allowsPrivate: false,
});
const delivery = (eventId: string, members: Partial<NewDelivery> = {}): NewDelivery => ({
  eventId,
  endpointId: "one",
  type: "turn.ended",
  threadId: "thread",
  body: JSON.stringify({ eventId }),
  ...members,
});
const answered = (status: number, retryAfter: string | null = null): WebhookResponse => ({
  kind: "answered",
  status,
  retryAfter,
});

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

/** Each time is at most a few looks after the expected one. */
function expectNear(times: readonly number[], expected: readonly number[]): void {
  expect(times).toHaveLength(expected.length);
  for (const [at, time] of times.entries()) {
    expect(time).toBeGreaterThanOrEqual(expected[at] ?? 0);
    expect(time).toBeLessThanOrEqual((expected[at] ?? 0) + 5 * LOOK_EVERY_MS);
  }
}

type Answer = (request: WebhookRequest, signal: AbortSignal) => WebhookResponse | Promise<WebhookResponse>;

function stage(answer: Answer, endpoints = [endpoint("one")]) {
  const clock = createFakeClock(Date.UTC(2026, 10, 19));
  const memory = emptyOutboxMemory();
  const outbox = createMemoryOutbox(memory, clock);
  const sent: { readonly id: string; readonly at: number; readonly host: string }[] = [];
  const logged: string[] = [];
  const attempts: AttemptKind[] = [];
  const start = clock.now();
  const note = (what: string, _fields?: LogFields) => void logged.push(what);
  const log: Logger = { ...silentLogger, info: note, warn: note, error: note };
  const open = () => {
    const deliverer = createDeliverer({
      outbox,
      endpoints: () => endpoints,
      post: async (request, signal) => {
        const { host } = request.url;
        sent.push({ id: request.headers["webhook-id"] ?? "", at: clock.now() - start, host });
        return answer(request, signal);
      },
      clock,
      log,
      random: () => 0,
      onAttempt: (kind) => void attempts.push(kind),
    });
    onTestFinished(() => deliverer.stop());
    return deliverer;
  };
  /** Passes time in the steps of the deliverer. */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= LOOK_EVERY_MS) {
      clock.advance(Math.min(left, LOOK_EVERY_MS));
      await settle();
    }
  }
  const states = async () =>
    (await outbox.list({ limit: 99 })).map(({ eventId, state }) => `${eventId} ${state}`);
  return { clock, outbox, sent, logged, attempts, open, pass, states };
}

test("a receiver that is down for ten minutes gets each event once it is up, in order, under one id", async () => {
  let isUp = false;
  const { outbox, sent, logged, open, pass, states } = stage(() =>
    isUp ? answered(204) : { kind: "failed", message: "connect ECONNREFUSED" },
  );
  await outbox.enqueue([delivery("a"), delivery("b"), delivery("c"), delivery("x", { threadId: "other" })]);
  open().check();
  await settle();
  expect(sent.map(({ id }) => id)).toEqual(["a", "x"]);
  await pass(10 * 60_000);
  isUp = true;
  await pass(40 * 60_000);
  expect((await states()).toSorted()).toEqual(["a delivered", "b delivered", "c delivered", "x delivered"]);
  const good = sent.filter(({ at }) => at > 10 * 60_000).map(({ id }) => id);
  expect(good.filter((id) => id !== "x")).toEqual(["a", "b", "c"]);
  expect(good).toHaveLength(4);
  expectNear(
    sent.filter(({ id }) => id === "a").map(({ at }) => at),
    [0, 5000, 305_000, 2_105_000],
  );
  expect(logged).toEqual(["a webhook failed and will be retried", "a webhook works again"]);
});

test("every attempt is signed for its own time", async () => {
  const signatures: unknown[] = [];
  const { outbox, open, pass } = stage(({ headers }) => {
    signatures.push([headers["webhook-timestamp"], headers["webhook-signature"]]);
    return answered(500);
  });
  await outbox.enqueue([delivery("a")]);
  open().check();
  await settle();
  await pass(8000);
  expect(new Set(signatures.map((each) => JSON.stringify(each))).size).toBe(2);
});

test("after a day an event is abandoned, and the next one of its thread has its turn", async () => {
  const { outbox, clock, open, states, sent, attempts } = stage(() => answered(500));
  await outbox.enqueue([delivery("a")]);
  const deliverer = open();
  deliverer.check();
  await settle();
  for (const hours of [1, 1, 1, 6, 11]) {
    clock.advance(hours * 3_600_000);
    deliverer.check();
    await settle();
  }
  await outbox.enqueue([delivery("b")]);
  clock.advance(5 * 3_600_000);
  deliverer.check();
  await settle();
  expect(await states()).toEqual(["b pending", "a abandoned"]);
  expect(sent.at(-1)?.id).toBe("b");
  expect(attempts.filter((kind) => kind === "abandoned")).toHaveLength(1);
});

test("410 switches an endpoint off, and what waits for it is abandoned", async () => {
  const { outbox, open, states, attempts, logged } = stage(() => answered(410));
  await outbox.enqueue([delivery("a"), delivery("b")]);
  open().check();
  await settle();
  expect(await states()).toEqual(["b abandoned", "a abandoned"]);
  expect(await outbox.endpoints()).toMatchObject([
    { endpointId: "one", off: { reason: "it answered 410 Gone" } },
  ]);
  expect([attempts, logged.length]).toEqual([["switchedOff"], 1]);
});

test("Retry-After delays the next attempt, and a redirect is a failure", async () => {
  const answers = [answered(429, "60"), answered(302), answered(200)];
  const { outbox, open, pass, sent } = stage(() => answers.shift() ?? answered(500));
  await outbox.enqueue([delivery("a")]);
  open().check();
  await settle();
  await pass(7 * 60_000);
  expectNear(
    sent.map(({ at }) => at),
    [0, 60_000, 360_000],
  );
});

test("a slow endpoint does not delay another one, and the number of attempts is limited", async () => {
  const ids = ["one", "two", "three", "four", "five", "six"];
  const { outbox, open, sent } = stage(
    (_request, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve({ kind: "aborted" }));
      }),
    ids.map(endpoint),
  );
  const many = ids.flatMap((endpointId) =>
    ["a", "b", "c", "d"].map((eventId) => delivery(eventId, { endpointId, threadId: null })),
  );
  await outbox.enqueue(many);
  const deliverer = open();
  deliverer.check();
  await settle();
  expect(sent).toHaveLength(MAX_ATTEMPTS);
  for (const id of ids)
    expect(sent.filter(({ host }) => host.startsWith(`${id}.`)).length).toBeLessThanOrEqual(
      MAX_ENDPOINT_ATTEMPTS,
    );
  await deliverer.stop();
  const left = await outbox.list({ limit: 99 });
  expect(left.every(({ state, attempts }) => state === "pending" && attempts === 0)).toBe(true);
});

test("two servers on one home deliver each event once", async () => {
  const { outbox, open, sent } = stage(async () => {
    await new Promise(setImmediate);
    return answered(200);
  });
  await outbox.enqueue(["a", "b", "c", "d", "e"].map((eventId) => delivery(eventId)));
  const [one, other] = [open(), open()];
  for (let round = 0; round < 8; round += 1) {
    one.check();
    other.check();
    await settle();
  }
  expect(sent.map(({ id }) => id)).toEqual(["a", "b", "c", "d", "e"]);
});

test("a deliverer that is stopped while it looks leaves nothing claimed", async () => {
  const { outbox, open } = stage((_request, signal) =>
    signal.aborted ? { kind: "aborted" } : answered(200),
  );
  await outbox.enqueue([delivery("a"), delivery("b", { threadId: "other" })]);
  const deliverer = open();
  deliverer.check();
  await deliverer.stop();
  const states = (await outbox.list({ limit: 9 })).map(({ state }) => state);
  expect(states).not.toContain("claimed");
  deliverer.check();
  await settle();
  expect((await outbox.list({ limit: 9 })).map(({ state }) => state)).toEqual(states);
});

test("what another process enqueues is found by looking", async () => {
  const { outbox, open, pass, sent } = stage(() => answered(200));
  open().check();
  await settle();
  await outbox.enqueue([delivery("a")]);
  await pass(LOOK_EVERY_MS);
  expect(sent.map(({ id }) => id)).toEqual(["a"]);
});
