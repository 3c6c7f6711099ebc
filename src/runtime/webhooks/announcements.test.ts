import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { type Logger, silentLogger } from "../../base/logger.ts";
import type { Layer } from "../../config/layer.ts";
import type { Thread } from "../../engine/thread-options.ts";
import { originWith } from "../../store/contract/store-harness.fixture.ts";
import { started } from "../../store/lines/lines.fixture.ts";
import { createMemory, createMemoryStore } from "../../store/memory/memory-store.ts";
import type { Host } from "../configuration/host.ts";
import { createAnnouncements } from "./announcements.ts";
import type { WebhookEvent, WebhookEventType } from "./webhook-events.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const entry = (more = {}) => ({ name: "one", url: "https://one.example.com/", secret: SECRET, ...more });
const layer = (type: string, webhooks: unknown): Layer =>
  ({ source: { type, file: "config.toml" }, table: { webhooks } }) as unknown as Layer;

async function stage() {
  const clock = createFakeClock(Date.UTC(2026, 10, 19));
  let ids = 0;
  const createId = () => `id${++ids}`;
  const memoryStore = createMemoryStore(createMemory(), { clock, owner: "me" });
  onTestFinished(() => memoryStore.close());
  let opened = 0;
  const store = {
    get: async () => {
      opened += 1;
      return memoryStore;
    },
  };
  const errors: unknown[] = [];
  const log: Logger = { ...silentLogger, error: (what, fields) => void errors.push([what, fields]) };
  const host: Host = { env: {}, cwd: "/", userHome: "/", clock, log, createId };
  const loaded = new Map<string, Thread>();
  const config = { get: () => Promise.reject(new Error("not asked for")) };
  const announcements = createAnnouncements(
    { host, config, engine: { find: (threadId) => loaded.get(threadId) }, store },
    { random: () => 0, onAttempt() {} },
  );
  const journal = memoryStore.threads.create(
    originWith({ now: clock.now(), createId }, { cwd: "/home/me/app" }),
  );
  await journal.append([started("t1")]);
  /** Delivers everything, in order. */
  const bodies = async () => {
    const { outbox } = memoryStore;
    const found: { readonly type: string; readonly data: Record<string, unknown> }[] = [];
    for (
      let claims = await outbox.claim("one", 9);
      claims.length > 0;
      claims = await outbox.claim("one", 9)
    ) {
      for (const claimed of claims) {
        found.push(JSON.parse(claimed.body) as (typeof found)[number]);
        await outbox.finish(claimed, { kind: "delivered", result: { status: 200, error: null } });
      }
    }
    return found;
  };
  return { announcements, journal, loaded, errors, bodies, opened: () => opened, store: memoryStore };
}

/** One event of each kind. */
const EVENTS: { readonly [T in WebhookEventType]: Extract<WebhookEvent, { type: T }>["facts"] } = {
  "question.opened": { turnId: "t1", itemId: "i", question: "item/tool/requestUserInput" },
  "turn.ended": { turnId: "t1", kind: "user", status: "completed" },
  "turn.failed": { turnId: "t1", kind: "user" },
  "queue.blocked": { blockedBy: "pause", queuedTurnId: "r1" },
  "thread.suspended": { turnId: "t1", until: "2026-11-20T00:00:00.000Z" },
  "schedule.missed": { scheduleId: "s1", dueAt: "2026-11-19T00:00:00.000Z" },
};

test("every kind of event is announced with its facts and its thread, once for an id", async () => {
  const { announcements, journal, bodies } = await stage();
  await announcements.configure([layer("user", [entry()])]);
  const { threadId } = journal;
  for (const [type, facts] of Object.entries(EVENTS)) {
    const event = {
      type,
      facts,
      eventId: `evt_${type}`,
      threadId,
      reason: "why",
      text: "text",
    } as WebhookEvent;
    await announcements.announce(event);
    await announcements.announce(event);
  }
  const thread = { threadId, threadName: null, cwd: "/home/me/app", source: "vscode" };
  expect(await bodies()).toMatchObject(
    Object.entries(EVENTS).map(([type, facts]) => ({
      type,
      data: { ...thread, ...facts, reason: "why", text: "text" },
    })),
  );
});

test("each question is an event of its own", async () => {
  const { announcements, journal, bodies } = await stage();
  await announcements.configure([layer("user", [entry()])]);
  const { threadId } = journal;
  const opened = { id: 0, answer: new Promise<never>(() => {}), withdraw() {} };
  const clients = announcements.announceQuestions({ open: () => opened });
  for (const itemId of ["first", "second"])
    clients.open(threadId, "item/tool/requestUserInput", {
      threadId,
      turnId: "t1",
      itemId,
      questions: [],
      isBlocking: true,
      autoResolutionMs: null,
    });
  const items: unknown[] = [];
  await expect
    .poll(async () => {
      items.push(...(await bodies()).map(({ data }) => data["itemId"]));
      return items;
    })
    .toEqual(["first", "second"]);
});

test("an event of no thread, or of a thread that is gone, is announced without its facts", async () => {
  const { announcements, bodies } = await stage();
  await announcements.configure([layer("user", [entry()])]);
  const facts = EVENTS["schedule.missed"];
  const missed = { type: "schedule.missed", eventId: "evt_1", reason: null, text: null, facts } as const;
  await announcements.announce({ ...missed, threadId: null });
  await announcements.announce({ ...missed, eventId: "evt_2", threadId: "gone" });
  expect((await bodies()).map(({ data }) => [data["threadId"], data["cwd"]])).toEqual([
    [null, null],
    ["gone", null],
  ]);
});

test("the end of a turn has an effect for the endpoints that want it", async () => {
  const { announcements, journal, loaded, store, bodies } = await stage();
  const { threadId } = journal;
  loaded.set(threadId, { view: () => ({ cwd: "/home/me/app", source: "vscode" }) } as unknown as Thread);
  const filters = [{ folders: ["/home/me"] }, { folders: ["/other"] }];
  const entries = filters.map((filter, at) => entry({ filter, name: at === 0 ? "one" : "two" }));
  await announcements.configure([layer("user", entries)]);
  const effects = announcements.endEffects(threadId)({ id: "t1", kind: "user" }, { kind: "interrupted" });
  expect(effects).toMatchObject([
    { kind: "turnAnnounced", turnId: "t1", deliveries: [{ endpointId: "one" }] },
  ]);
  await journal.append([], effects);
  expect((await store.outbox.totals()).pending).toBe(1);
  expect(await bodies()).toMatchObject([{ type: "turn.ended", data: { status: "interrupted" } }]);
});

test("without webhooks the store is not opened, and nothing is loaded or changed", async () => {
  const { announcements, opened, errors } = await stage();
  expect(announcements.configure([layer("user", undefined)])).toBeNull();
  // A project, the command line and the administrator decide nothing here.
  for (const type of ["project", "sessionFlags", "system"])
    expect(announcements.configure([layer(type, [entry()])])).toBeNull();
  const facts = EVENTS["turn.failed"];
  const failed = {
    type: "turn.failed",
    eventId: "e",
    threadId: "t",
    reason: null,
    text: null,
    facts,
  } as const;
  await announcements.announce(failed);
  expect(announcements.endEffects("t")({ id: "t1", kind: "user" }, { kind: "interrupted" })).toEqual([]);
  expect([opened(), errors]).toEqual([0, []]);
});

test("a fault is logged once, and an entry that is taken out gets no more events", async () => {
  const { announcements, errors, bodies } = await stage();
  const faulty = [entry(), { url: "nowhere" }];
  await announcements.configure([layer("user", faulty)]);
  await announcements.configure([layer("user", [...faulty])]);
  expect(errors).toEqual([["a webhook is not used", { fault: "`webhooks[1].url` is not a URL" }]]);
  await announcements.configure([layer("user", [])]);
  const facts = EVENTS["turn.failed"];
  await announcements.announce({
    type: "turn.failed",
    eventId: "e",
    threadId: null,
    reason: null,
    text: null,
    facts,
  });
  expect(await bodies()).toEqual([]);
});
