import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import {
  createSliceQueue,
  createTimeSlices,
  SHORT_SLICES,
  type SliceQueue,
  yieldToEventLoop,
} from "../../base/time-slices.ts";
import {
  createMemoryLedger,
  EVENT_NAMES,
  type EventName,
  parseReceipt,
  type ReceiptLedger,
} from "../../lifecycle/index.ts";
import type { LifecycleEventNotification } from "../../protocol/generated/types.ts";
import { createEventDelivery, MAX_WAITING_EVENTS } from "./event-delivery.ts";

const prompt = (text: string) => ({
  session_id: "thread",
  transcript_path: null,
  cwd: "/work",
  hook_event_name: "UserPromptSubmit",
  model: "m",
  turn_id: "turn",
  permission_mode: "default",
  prompt: text,
});

interface DeliveryOptions {
  readonly ledger?: ReceiptLedger;
  readonly events?: readonly EventName[];
  readonly tell?: (notification: LifecycleEventNotification) => void;
  readonly lane?: SliceQueue;
  readonly subscriptionId?: string;
}

function open({
  ledger = createMemoryLedger(),
  events = EVENT_NAMES,
  tell = () => {},
  lane = createSliceQueue(createTimeSlices(() => 0)),
  subscriptionId = "subscription",
}: DeliveryOptions = {}) {
  const told: LifecycleEventNotification[] = [];
  const errors: string[] = [];
  let ids = 0;
  const delivery = createEventDelivery({
    subscriptionId,
    threadId: "thread",
    clientId: "editor",
    events: new Set(events),
    ledger: async () => ledger,
    send(notification) {
      told.push(notification);
      tell(notification);
    },
    lane,
    createId: () => `${subscriptionId}-${ids++}`,
    clock: createFakeClock(5000),
    log: { ...silentLogger, error: (what) => void errors.push(what) },
  });
  const outline = () =>
    told.map(({ event, sequence }) => [event.event, event.details["prompt"] ?? null, sequence]);
  return { delivery, told, errors, outline, ledger };
}

test("an event is told with the receipt that is kept of it", async () => {
  const { delivery, told, ledger } = open();
  delivery.begin();
  delivery.enqueue(prompt("Go"));
  expect(told).toEqual([]);
  await delivery.drained();
  const [receipt] = await ledger.list();
  expect(receipt).toMatchObject({
    client_id: "editor",
    adapter_id: "heddle",
    event: "frame.opening",
    status: "observed",
    harness_session_id: "thread",
    harness_run_id: "subscription",
    harness_task_id: "turn",
    sequence: 1,
    at_epoch_s: 5,
  });
  expect(parseReceipt(receipt)).toEqual({ ok: true, value: receipt });
  expect(told).toEqual([
    {
      subscriptionId: "subscription",
      threadId: "thread",
      turnId: "turn",
      receiptId: receipt?.receipt_id,
      sequence: 1,
      event: {
        adapter_id: "heddle",
        event: "frame.opening",
        hook_event_name: "UserPromptSubmit",
        harness_session_id: "thread",
        harness_task_id: "turn",
        frame_context: { frame_id: "turn", frame_class: "top_level" },
        details: {
          cwd: "/work",
          transcript_path: null,
          model: "m",
          permission_mode: "default",
          prompt: "Go",
        },
      },
    },
  ]);
});

test("nothing is told before its receipt is kept, and everything in its order", async () => {
  const memory = createMemoryLedger();
  const held = [createDeferred<void>(), createDeferred<void>()];
  const begun = [createDeferred<void>(), createDeferred<void>()];
  let records = 0;
  const { delivery, outline } = open({
    ledger: {
      ...memory,
      async record(...given) {
        const index = records++;
        begun[index]?.resolve();
        await held[index]?.promise;
        return memory.record(...given);
      },
    },
  });
  delivery.begin();
  for (const text of ["a", "b", "c"]) delivery.enqueue(prompt(text));
  await begun[0]?.promise;
  expect(outline()).toEqual([]);
  held[0]?.resolve();
  await begun[1]?.promise;
  expect(outline()).toEqual([["frame.opening", "a", 1]]);
  held[1]?.resolve();
  await delivery.drained();
  expect(outline()).toEqual([
    ["frame.opening", "a", 1],
    ["frame.opening", "b", 2],
    ["frame.opening", "c", 3],
  ]);
});

test("what comes before the client knows of its subscription waits for that", async () => {
  const { delivery, outline } = open();
  delivery.enqueue(prompt("early"));
  await delivery.drained();
  expect(outline()).toEqual([]);
  delivery.begin();
  await delivery.drained();
  expect(outline()).toEqual([["frame.opening", "early", 1]]);
});

test("an end is at once, also for what waits for its receipt", async () => {
  const memory = createMemoryLedger();
  const held = createDeferred<void>();
  const { delivery, told } = open({
    ledger: { ...memory, record: (...given) => held.promise.then(() => memory.record(...given)) },
  });
  delivery.begin();
  delivery.enqueue(prompt("a"));
  delivery.enqueue(prompt("b"));
  delivery.stop();
  held.resolve();
  await delivery.drained();
  delivery.begin();
  delivery.enqueue(prompt("c"));
  await delivery.drained();
  expect(told).toEqual([]);
});

describe("a ledger", () => {
  test("that has lost receipts is told of, behind the event that shows it", async () => {
    const memory = createMemoryLedger();
    const { delivery, told, outline } = open({ ledger: memory });
    delivery.begin();
    delivery.enqueue(prompt("a"));
    await delivery.drained();
    memory.lose(told[0]?.receiptId ?? "");
    delivery.enqueue(prompt("b"));
    delivery.enqueue(prompt("c"));
    await delivery.drained();
    expect(outline()).toEqual([
      ["frame.opening", "a", 1],
      ["frame.opening", "b", 2],
      ["receipt.gap_detected", null, 3],
      ["frame.opening", "c", 4],
    ]);
    expect(told[2]?.event.details).toEqual({ run_id: "subscription", from: 1, to: 1 });
  });

  test("that loses everything is told of once for each event", async () => {
    const memory = createMemoryLedger();
    const { delivery, outline } = open({
      ledger: {
        ...memory,
        async record(...given) {
          const outcome = await memory.record(...given);
          if (outcome.kind === "recorded") memory.lose(outcome.receipt.receipt_id);
          return outcome;
        },
      },
    });
    delivery.begin();
    for (const text of ["a", "b", "c"]) delivery.enqueue(prompt(text));
    await delivery.drained();
    expect(outline().map(([event]) => event)).toEqual([
      "frame.opening",
      "frame.opening",
      "receipt.gap_detected",
      "frame.opening",
      "receipt.gap_detected",
    ]);
  });

  test("that fails costs the events, and the client is told which; the log is told once", async () => {
    const memory = createMemoryLedger();
    let isBroken = true;
    const ledger: ReceiptLedger = {
      ...memory,
      record: (...given) =>
        isBroken ? Promise.reject(new Error(`disk is full${".".repeat(1000)}`)) : memory.record(...given),
    };
    const { delivery, told, outline, errors } = open({ ledger });
    delivery.begin();
    delivery.enqueue(prompt("a"));
    delivery.enqueue(prompt("b"));
    await delivery.drained();
    isBroken = false;
    delivery.enqueue(prompt("c"));
    await delivery.drained();
    expect(outline()).toEqual([
      ["capability.degraded", null, null],
      ["capability.degraded", null, null],
      ["frame.opening", "c", 1],
    ]);
    expect(told[0]).toMatchObject({ turnId: null, receiptId: null });
    expect(told[0]?.event.details).toEqual({
      capability: "receipt_ledger",
      untold: "frame.opening",
      evidence: `disk is full${".".repeat(488)}`,
    });
    expect(errors).toEqual(["storing the receipt of a lifecycle event failed"]);
  });

  test("is no matter of a client that has not asked for it", async () => {
    const broken = { ...createMemoryLedger(), record: () => Promise.reject(new Error("no")) };
    const { delivery, told } = open({ ledger: broken, events: ["frame.opening"] });
    delivery.begin();
    delivery.enqueue(prompt("a"));
    await delivery.drained();
    expect(told).toEqual([]);
  });
});

test("what waits is bounded, and what is left out is told of in its place", async () => {
  const memory = createMemoryLedger();
  const held = createDeferred<void>();
  const { delivery, told, outline } = open({
    ledger: { ...memory, record: (...given) => held.promise.then(() => memory.record(...given)) },
  });
  delivery.begin();
  for (let index = 0; index < 10_000; index += 1) delivery.enqueue(prompt(String(index)));
  held.resolve();
  await delivery.drained();
  delivery.enqueue(prompt("later"));
  await delivery.drained();
  // One is on its way, and behind it those that may wait.
  const taken = MAX_WAITING_EVENTS + 1;
  expect(told.length).toBe(taken + 2);
  expect(outline().slice(-2)).toEqual([
    ["capability.degraded", null, taken + 1],
    ["frame.opening", "later", taken + 2],
  ]);
  expect(told.at(-2)?.event.details).toEqual({
    capability: "lifecycle_events",
    untold_count: 10_000 - taken,
  });
});

test("many that are told at once take turns with everything else", async () => {
  const memory = createMemoryLedger();
  let time = 0;
  const lane = createSliceQueue(createTimeSlices(() => time, SHORT_SLICES));
  const ledger: ReceiptLedger = {
    ...memory,
    record(...given) {
      time += 1;
      return memory.record(...given);
    },
  };
  const all = Array.from({ length: 100 }, (_, index) => open({ ledger, lane, subscriptionId: `s${index}` }));
  for (const { delivery } of all) {
    delivery.begin();
    delivery.enqueue(prompt("a"));
  }
  await yieldToEventLoop();
  await yieldToEventLoop();
  expect((await memory.list()).length).toBeLessThan(10);
  await Promise.all(all.map(({ delivery }) => delivery.drained()));
  expect(all.map(({ told }) => told.length)).toEqual(all.map(() => 1));
});

test("a client that cannot be told does not keep the next event from being told", async () => {
  let calls = 0;
  const { delivery, outline, errors } = open({
    tell() {
      calls += 1;
      if (calls === 1) throw new RangeError("Invalid string length");
    },
  });
  delivery.begin();
  delivery.enqueue(prompt("a"));
  delivery.enqueue(prompt("b"));
  await delivery.drained();
  expect(outline()).toEqual([
    ["frame.opening", "a", 1],
    ["frame.opening", "b", 2],
  ]);
  expect(errors).toEqual(["sending a lifecycle event failed"]);
});

test.each([
  [{}],
  [{ hook_event_name: "__proto__" }],
  [{ hook_event_name: "constructor", session_id: 5 }],
  [JSON.parse('{"hook_event_name":"UserPromptSubmit","__proto__":{"prompt":"x"}}') as object],
])("an input that is none does no harm: %j", async (input) => {
  const { delivery, told } = open();
  delivery.begin();
  delivery.enqueue(input as Record<string, unknown>);
  await delivery.drained();
  expect(told.every(({ event }) => !("prompt" in event.details))).toBe(true);
  expect(({} as Record<string, unknown>)["prompt"]).toBeUndefined();
});
