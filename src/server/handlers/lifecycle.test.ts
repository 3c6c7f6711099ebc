import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import type { Thread } from "../../engine/thread-options.ts";
import {
  createMemoryLedger,
  EVENT_NAMES,
  EXTENSION_EVENTS,
  LIFECYCLE_EVENTS,
  type ReceiptLedger,
} from "../../lifecycle/index.ts";
import type { LifecycleEventNotification } from "../../protocol/generated/types.ts";
import { LaneHeld } from "../../runtime/threads/lane.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import type { RequestContext } from "../connections/handler.ts";
import { createLifecycleSubscriptions } from "../lifecycle/lifecycle-subscriptions.ts";
import { createClients, type RecordingClient } from "./client-work.fixture.ts";
import { createLifecycleHandlers } from "./lifecycle.ts";

const LOADED = "0199a213-81c0-7800-8aa1-bbab2a035a53";
const OTHER = "0199a213-81c0-7800-8aa1-bbab2a035a54";
const STORED = "0199a213-81c0-7800-8aa1-bbab2a035a55";
const NOWHERE = "0199a213-81c0-7800-8aa1-bbab2a035a56";

const inLane = (context: RequestContext, threadId: string) => ({ ...context, lane: new LaneHeld(threadId) });

function setUp(receipts: ReceiptLedger = createMemoryLedger()) {
  const clock = createFakeClock();
  const { notifier, connect } = createClients();
  const lifecycle = createLifecycleSubscriptions(clock);
  const leaving: ((connection: ClientConnection) => void)[] = [];
  let ids = 0;
  const handlers = createLifecycleHandlers({
    engine: { find: (id) => (id === LOADED || id === OTHER ? ({} as Thread) : undefined) },
    store: async () => ({
      receipts,
      threads: { read: async (id) => (id === STORED ? ({} as never) : null) },
    }),
    lifecycle,
    notifier,
    onDisconnect: (listener) => void leaving.push(listener),
    createId: () => `id-${ids++}`,
    clock,
    log: silentLogger,
  });
  return {
    connect,
    handlers,
    lifecycle,
    receipts,
    clock,
    leave: ({ connection }: RecordingClient) => leaving.forEach((listener) => listener(connection)),
    async subscribe(client: RecordingClient, threadId = LOADED, events?: readonly string[]) {
      const params = { threadId, ...(events !== undefined && { events: [...events] }) };
      const answer = await handlers["lifecycle/subscribe"](params, inLane(client.context, threadId));
      client.reply();
      return answer;
    },
    unsubscribe: async (client: RecordingClient, subscriptionId: string) =>
      handlers["lifecycle/unsubscribe"]({ subscriptionId }, client.context),
    /** As the engine does at the moment of a hook. */
    async happens(name: string, threadId = LOADED) {
      const observer = lifecycle.observerOf(threadId);
      const event = name as Parameters<typeof observer.wants>[0];
      if (observer.wants(event)) observer.notify({ hook_event_name: name, session_id: threadId });
      await lifecycle.drained();
    },
  };
}

function notifications({ received }: RecordingClient): string[] {
  return received.map(([, params]) => {
    const { event, sequence } = params as LifecycleEventNotification;
    return `${event.event} ${sequence}`;
  });
}

describe("a subscription", () => {
  test("is to all lifecycle events by default, and lists those that are never sent", async () => {
    const { connect, subscribe } = setUp();
    expect(await subscribe(connect())).toEqual({
      subscriptionId: "id-0",
      events: [...LIFECYCLE_EVENTS],
      untold: [
        "session.starting",
        "frame.opened",
        "frame.ended",
        "session.ending",
        "supervisor.tick",
        "receipt.emitted",
      ],
    });
    expect((await subscribe(connect(), LOADED, [...EXTENSION_EVENTS])).untold).toEqual([
      "tool.failed",
      "permission.decided",
      "subagent.started",
      "subagent.ended",
      "notification.raised",
    ]);
  });

  test("receives the requested events, each once and in the order of the vocabulary", async () => {
    const { connect, subscribe, happens } = setUp();
    const one = connect();
    const asked = ["tool.starting", "frame.opening", "tool.starting"];
    expect((await subscribe(one, LOADED, asked)).events).toEqual(["frame.opening", "tool.starting"]);
    for (const name of ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"])
      await happens(name);
    await happens("PreToolUse", OTHER);
    expect(notifications(one)).toEqual(["frame.opening 1", "tool.starting 2"]);
  });

  test("has numbers of its own, and receipts in the name of its client", async () => {
    const { connect, subscribe, happens, receipts } = setUp();
    const [one, other] = [connect(), connect()];
    const { subscriptionId } = await subscribe(one);
    await subscribe(other, LOADED, ["frame.ending"]);
    for (const name of ["UserPromptSubmit", "Stop"]) await happens(name);
    expect([notifications(one), notifications(other)]).toEqual([
      ["frame.opening 1", "frame.ending 2"],
      ["frame.ending 1"],
    ]);
    const kept = await receipts.list({ runId: subscriptionId });
    expect(kept.map((receipt) => [receipt.client_id, receipt.sequence])).toEqual([
      ["client 0", 1],
      ["client 0", 2],
    ]);
  });

  test.each([
    [
      "its own end",
      async ({ unsubscribe }: ReturnType<typeof setUp>, client: RecordingClient, id: string) =>
        void (await unsubscribe(client, id)),
    ],
    [
      "the end of its connection",
      async ({ leave }: ReturnType<typeof setUp>, client: RecordingClient) => leave(client),
    ],
    [
      "the unloading of its thread",
      async ({ lifecycle }: ReturnType<typeof setUp>) => lifecycle.forget(LOADED),
    ],
  ])("ends with %s", async (_, end) => {
    const world = setUp();
    const [one, other] = [world.connect(), world.connect()];
    const { subscriptionId } = await world.subscribe(one);
    await world.subscribe(other, OTHER);
    await world.happens("Stop");
    await end(world, one, subscriptionId);
    await world.happens("Stop");
    await world.happens("Stop", OTHER);
    expect([notifications(one), notifications(other)]).toEqual([["frame.ending 1"], ["frame.ending 1"]]);
    expect(world.lifecycle.observerOf(LOADED).wants("Stop")).toBe(false);
    await expect(world.unsubscribe(one, subscriptionId)).rejects.toThrow("it may have ended");
  });

  test("receives events from before the thread was unloaded", async () => {
    const { connect, subscribe, lifecycle } = setUp();
    const one = connect();
    await subscribe(one);
    lifecycle.observerOf(LOADED).notify({ hook_event_name: "SessionEnd", session_id: LOADED });
    lifecycle.forget(LOADED);
    await lifecycle.drained();
    expect(notifications(one)).toEqual(["session.ended 1"]);
  });

  test("receives nothing before the response to its request", async () => {
    const { connect, handlers, happens, lifecycle } = setUp();
    const one = connect();
    await handlers["lifecycle/subscribe"]({ threadId: LOADED }, inLane(one.context, LOADED));
    await happens("Stop");
    expect(notifications(one)).toEqual([]);
    one.reply();
    await lifecycle.drained();
    expect(notifications(one)).toEqual(["frame.ending 1"]);
  });

  test("does not keep a server from ending", async () => {
    const stuck = { ...createMemoryLedger(), record: () => new Promise<never>(() => {}) };
    const { connect, subscribe, lifecycle, clock } = setUp(stuck);
    await subscribe(connect());
    lifecycle.observerOf(LOADED).notify({ hook_event_name: "Stop", session_id: LOADED });
    const settled = lifecycle.drained();
    await clock.timer(2000);
    clock.advance(2000);
    await settled;
  });

  test("is of its connection alone", async () => {
    const { connect, subscribe, unsubscribe, happens } = setUp();
    const [one, other] = [connect(), connect()];
    const { subscriptionId } = await subscribe(one);
    await expect(unsubscribe(other, subscriptionId)).rejects.toThrow("no lifecycle subscription");
    await happens("Stop");
    expect(notifications(one)).toEqual(["frame.ending 1"]);
  });

  test("is one of so many, also for who asks for 10,000, and others are not in their way", async () => {
    const { connect, subscribe, unsubscribe } = setUp();
    const [one, other] = [connect(), connect()];
    const outcomes = [];
    for (let index = 0; index < 10_000; index += 1)
      outcomes.push(
        await subscribe(one).then(
          ({ subscriptionId }) => subscriptionId,
          () => null,
        ),
      );
    expect(outcomes.filter((id) => id !== null)).toHaveLength(256);
    await expect(subscribe(one)).rejects.toThrow("too many lifecycle subscriptions");
    await subscribe(other);
    await unsubscribe(one, outcomes[0] ?? "");
    await subscribe(one);
  });
});

test.each([
  [LOADED, ["nonsense"], 'there is no lifecycle event "nonsense"'],
  [LOADED, ["frame.opening", "Frame.Opening"], 'there is no lifecycle event "Frame.Opening"'],
  [LOADED, ["__proto__"], 'there is no lifecycle event "__proto__"'],
  [LOADED, ["constructor"], 'there is no lifecycle event "constructor"'],
  [LOADED, ["toString", ...EVENT_NAMES], 'there is no lifecycle event "toString"'],
  [LOADED, ["\u001b[2J"], String.raw`there is no lifecycle event "\\u{1b}[2J"`],
  [LOADED, ["x".repeat(1_000_000)], `there is no lifecycle event "${"x".repeat(128)}"`],
  [LOADED, [], "events is empty"],
  [STORED, undefined, `thread not loaded: ${STORED}; load it with thread/resume`],
  [NOWHERE, undefined, `thread not found: ${NOWHERE}`],
  ["../etc", undefined, "invalid thread id"],
] as const)("to %s of %.60j is refused: %.80s", async (threadId, events, message) => {
  const { connect, subscribe } = setUp();
  await expect(subscribe(connect(), threadId, events)).rejects.toThrow(message);
});

test("a client that has opted out of the events is refused", async () => {
  const { connect, subscribe } = setUp();
  const client = connect();
  client.connection.accepts = () => false;
  await expect(subscribe(client)).rejects.toThrow("opted out of lifecycle/event");
});

test.each([
  ["", "unnamed"],
  ["x".repeat(1_000_000), "x".repeat(128)],
])("a client of the name %.20j is kept under a name of bounded size", async (clientName, clientId) => {
  const { connect, subscribe, happens, receipts } = setUp();
  const client = connect();
  Object.assign(client.connection.handshake, { clientName });
  await subscribe(client);
  await happens("Stop");
  expect((await receipts.list()).map(({ client_id: id }) => id)).toEqual([clientId]);
});
