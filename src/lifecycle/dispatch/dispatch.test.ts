import { describe, expect, test, vi } from "vitest";
import { findManifest } from "../harness/manifest-of.ts";
import type { ReceiptLedger } from "../receipts/ledger.ts";
import { createMemoryLedger } from "../receipts/memory-ledger.ts";
import { WIRE_VERSION } from "../wire/wire-error.ts";
import type { LifecycleClient } from "./call-client.ts";
import { createContinuationCounter } from "./continuations.ts";
import { dispatch, MOST_PAYLOADS } from "./dispatch.ts";
import { createManualClock } from "./manual-clock.fixture.ts";
import type { Announcement, Dispatched, DispatchOptions, DispatchPorts } from "./run.ts";

const DELIVERED = { schema_version: WIRE_VERSION, status: "delivered" };

function envelope(members: object = {}, payloads: readonly object[] = []) {
  const request = {
    schema_version: WIRE_VERSION,
    event: "session.started",
    event_id: "e-1",
    adapter_id: "codex",
    adapter_version: "0.1.0",
    integration_mode: "native_hook",
    invocation_id: "i-1",
    harness_run_id: "run",
    ...members,
  };
  return { schema_version: WIRE_VERSION, request, payloads };
}

function payload(members: object = {}) {
  return {
    schema_version: WIRE_VERSION,
    payload_id: "p",
    client_id: "audit",
    payload_kind: "memo",
    format: "text/plain",
    content_encoding: "utf8",
    body: "hello",
    byte_size: 5,
    acceptable_placements: [{ placement: "pre_prompt_frame", requirement: "required" }],
    ...members,
  };
}

function ground(client: LifecycleClient, overrides: Partial<DispatchPorts> = {}) {
  let ids = 0;
  const announced: Announcement[] = [];
  let isCalled: () => void = () => undefined;
  const called = new Promise<void>((resolve) => {
    isCalled = resolve;
  });
  const calls = vi.fn<LifecycleClient>((message, context) => {
    isCalled();
    return client(message, context);
  });
  const ledger = createMemoryLedger();
  const clock = createManualClock();
  const ports: DispatchPorts = {
    client: calls,
    ledger,
    manifestFor: findManifest,
    newId: () => `r-${++ids}`,
    clock,
    random: () => 1,
    announce: (announcement) => announced.push(announcement),
    ...overrides,
  };
  const send = (message: unknown, options: Partial<DispatchOptions> = {}): Promise<Dispatched> =>
    dispatch(message, ports, { clientId: "audit", ...options });
  return { send, calls, called, ledger, clock, announced };
}

async function receiptOf(sent: Promise<Dispatched>) {
  const outcome = await sent;
  if (outcome.kind === "refused") throw new Error(JSON.stringify(outcome.error));
  return outcome.receipt;
}

describe("each event that is dispatched has one receipt", () => {
  test("when the client answers", async () => {
    const { send, ledger, announced } = ground(async () => DELIVERED);
    const receipt = await receiptOf(send(envelope()));
    expect(receipt).toMatchObject({
      status: "delivered",
      sequence: 1,
      receipt_id: "r-1",
      at_epoch_s: 1_700_000_000,
    });
    expect(await ledger.list()).toEqual([receipt]);
    expect(announced).toEqual([{ event: "receipt.emitted", receipt }]);
  });

  const failures: readonly (readonly [string, LifecycleClient, string, string])[] = [
    ["throws", async () => Promise.reject(new Error("gone")), "transport_error", "safe_retry"],
    [
      "throws before it promises",
      () => {
        throw new TypeError("no");
      },
      "transport_error",
      "safe_retry",
    ],
    [
      "throws what has no text",
      async () => {
        throw Object.create(null) as Error;
      },
      "transport_error",
      "safe_retry",
    ],
    ["answers nothing", async () => undefined, "invalid_request", "do_not_retry"],
    ["answers nonsense", async () => ({ status: "fine" }), "invalid_request", "do_not_retry"],
    ["answers with a circle", async () => circle(), "invalid_request", "do_not_retry"],
    [
      "answers with a field too many",
      async () => ({ ...DELIVERED, extra: 1 }),
      "invalid_request",
      "do_not_retry",
    ],
    [
      "fails with a class of its own",
      async () => ({
        ...DELIVERED,
        status: "failed",
        failure_class: "identity_unavailable",
        retry_class: "do_not_retry",
      }),
      "identity_unavailable",
      "do_not_retry",
    ],
  ];

  test.each(failures)("when the client %s", async (_, client, failure_class, retry_class) => {
    const { send, ledger } = ground(client);
    const receipt = await receiptOf(send(envelope()));
    expect(receipt).toMatchObject({ status: "failed", failure_class, retry_class });
    expect(await ledger.list()).toHaveLength(1);
  });

  test("when the client never settles; its signal is aborted, and a late answer counts for nothing", async () => {
    let answer: (value: unknown) => void = () => undefined;
    let seen: AbortSignal | undefined;
    const { send, clock, ledger } = ground((_, { signal }) => {
      seen = signal;
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    const sent = send(envelope(), { deadlineMs: 700 });
    await clock.timerOf(700);
    clock.advance(700);
    expect(await receiptOf(sent)).toMatchObject({
      status: "failed",
      failure_class: "timeout",
      retry_class: "safe_retry",
    });
    expect(seen?.aborted).toBe(true);
    answer(DELIVERED);
    expect(await ledger.list()).toHaveLength(1);
    expect(clock.waiting()).toBe(0);
  });

  test("when it is cancelled, before or in the middle", async () => {
    const { send, calls, clock } = ground(() => new Promise(() => undefined));
    expect(await receiptOf(send(envelope(), { signal: AbortSignal.abort() }))).toMatchObject({
      status: "failed",
      retry_class: "do_not_retry",
      warnings: [{ code: "cancelled" }],
    });
    expect(calls).not.toHaveBeenCalled();
    const controller = new AbortController();
    const sent = send(envelope(), { signal: controller.signal });
    await clock.timerOf(5000);
    controller.abort();
    expect(await receiptOf(sent)).toMatchObject({ status: "failed", warnings: [{ code: "cancelled" }] });
    expect(clock.waiting()).toBe(0);
  });

  test.each([
    ["an adapter that is not there", { adapter_id: "emacs" }, "adapter_unavailable"],
    ["another version of it", { adapter_version: "9" }, "adapter_unavailable"],
    ["a mode that it has not", { integration_mode: "telemetry_only" }, "capability_unsupported"],
    ["an event that it has not", { event: "supervisor.tick" }, "capability_unsupported"],
    [
      "an event that nobody makes",
      { event: "frame.opened", frame_context: { frame_id: "f", frame_class: "top_level" } },
      "capability_unsupported",
    ],
  ] as const)("when it is for %s; the client is not called", async (_, members, failure_class) => {
    const { send, calls } = ground(async () => DELIVERED);
    expect(await receiptOf(send(envelope(members)))).toMatchObject({ status: "failed", failure_class });
    expect(calls).not.toHaveBeenCalled();
  });

  test("and none where the request is none", async () => {
    const { send, ledger, calls } = ground(async () => DELIVERED);
    for (const bad of [
      null,
      "{}",
      envelope({ event_id: "" }),
      envelope({ event: "frame.opening" }),
      envelope({ event: "receipt.emitted" }),
      envelope({ event: "tool.starting" }),
      envelope({
        event: "frame.opening",
        frame_context: { frame_id: "f", parent_frame_id: "g", frame_class: "subcall" },
      }),
    ])
      expect(await send(bad)).toMatchObject({ kind: "refused", error: { failure_class: "invalid_request" } });
    expect(await send(envelope(), { clientId: "" })).toMatchObject({ kind: "refused" });
    expect(await send(envelope(), { parentReceiptId: "" })).toMatchObject({ kind: "refused" });
    expect(await ledger.list()).toEqual([]);
    expect(calls).not.toHaveBeenCalled();
  });

  test("also for events of the extension, for those who ask for them", async () => {
    const { send } = ground(async () => DELIVERED);
    expect(await receiptOf(send(envelope({ event: "tool.starting" }), { extensions: true }))).toMatchObject({
      event: "tool.starting",
      status: "delivered",
    });
  });

  test("and a listener that throws takes none away", async () => {
    const { send } = ground(async () => DELIVERED, {
      announce: () => {
        throw new Error("deaf");
      },
    });
    expect(await receiptOf(send(envelope()))).toMatchObject({ status: "delivered" });
  });
});

describe("a key", () => {
  const keyed = envelope({ idempotency_key: "k" });

  test("calls the client once, whoever asks again", async () => {
    const { send, calls } = ground(async () => DELIVERED);
    const first = await send(keyed);
    const again = await send(envelope({ idempotency_key: "k", invocation_id: "i-2" }));
    expect(again).toEqual({
      kind: "replayed",
      receipt: first.kind === "recorded" && first.receipt,
      result: {},
    });
    expect(calls).toHaveBeenCalledTimes(1);
  });

  test("is answered alike each time, so that what was denied stays denied", async () => {
    const result = { decision: { kind: "deny", reason: "no" } };
    const { send } = ground(async () => ({ ...DELIVERED, result }));
    const both = await Promise.all([send(keyed), send(keyed)]);
    expect([...both, await send(keyed)]).toMatchObject([{ result }, { result }, { result }]);
  });

  test("calls the client once, also for two at the same time", async () => {
    let answer: (value: unknown) => void = () => undefined;
    const { send, calls, called, ledger } = ground(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const both = [send(keyed), send(keyed)];
    await called;
    answer(DELIVERED);
    const outcomes = await Promise.all(both);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["recorded", "replayed"]);
    expect(calls).toHaveBeenCalledTimes(1);
    expect(await ledger.list()).toHaveLength(1);
  });

  test("is one key under both names of an adapter", async () => {
    const { send, calls } = ground(async () => DELIVERED);
    await send(envelope({ idempotency_key: "k", adapter_id: "claude" }));
    expect(await send(envelope({ idempotency_key: "k", adapter_id: "claude-code" }))).toMatchObject({
      kind: "replayed",
    });
    expect(calls).toHaveBeenCalledTimes(1);
  });

  test.each([
    ["another event", envelope({ idempotency_key: "k", event_id: "e-2" }), {}],
    ["another session", envelope({ idempotency_key: "k", harness_session_id: "s" }), {}],
    ["other payloads", envelope({ idempotency_key: "k" }, [payload()]), {}],
    ["another parent", keyed, { parentReceiptId: "r-0" }],
  ])("with %s is a conflict, and the client is not called", async (_, other, options) => {
    const { send, calls } = ground(async () => DELIVERED);
    await send(keyed);
    expect(await send(other, options)).toMatchObject({
      kind: "refused",
      error: { kind: "conflict", failure_class: "state_conflict", retry_class: "retry_after_reread" },
    });
    expect(calls).toHaveBeenCalledTimes(1);
  });

  test("whose dispatcher died is recorded as lost, and never called again", async () => {
    const { send, calls, ledger, clock } = ground(async () => DELIVERED);
    const silent: ReceiptLedger = { ...ledger, record: () => new Promise(() => undefined) };
    const dead = ground(async () => DELIVERED, { ledger: silent, clock });
    void dead.send(keyed);
    await dead.called;
    clock.setWall(clock.now() + 3_600_000);
    expect(await receiptOf(send(keyed))).toMatchObject({
      status: "failed",
      failure_class: "internal_error",
      warnings: [{ code: "outcome_unknown" }],
    });
    expect(calls).not.toHaveBeenCalled();
    expect(await send(keyed)).toMatchObject({ kind: "replayed", receipt: { status: "failed" } });
  });

  test("that is held for too long is refused, and nothing waits for ever", async () => {
    const { send, clock } = ground(() => new Promise(() => undefined));
    const limits = { deadlineMs: 100, mostAttempts: 1, backoffMs: 0 };
    const first = send(keyed, limits);
    await clock.timerOf(100);
    const second = send(keyed, { ...limits, signal: AbortSignal.abort() });
    expect(await second).toMatchObject({ kind: "refused", error: { kind: "in_progress" } });
    clock.advance(100);
    expect(await receiptOf(first)).toMatchObject({ failure_class: "timeout" });
  });

  test("survives a clock that is set back", async () => {
    const { send, clock, calls } = ground(async () => DELIVERED);
    await send(keyed);
    clock.setWall(-5);
    expect(await send(keyed)).toMatchObject({ kind: "replayed" });
    expect(await receiptOf(send(envelope()))).toMatchObject({ at_epoch_s: 0 });
    expect(calls).toHaveBeenCalledTimes(2);
  });
});

describe("a failure that is safe to repeat", () => {
  const failing =
    (times: number): LifecycleClient =>
    async (_, { attempt }) =>
      attempt <= times ? Promise.reject(new Error("busy")) : DELIVERED;

  test("is repeated after a pause that doubles, under a key", async () => {
    const { send, clock, calls, ledger } = ground(failing(2));
    const sent = send(envelope({ idempotency_key: "k" }), { backoffMs: 50 });
    await clock.timerOf(50);
    clock.advance(50);
    await clock.timerOf(100);
    clock.advance(100);
    expect(await sent).toMatchObject({ kind: "recorded", attempts: 3, receipt: { status: "delivered" } });
    expect(calls).toHaveBeenCalledTimes(3);
    expect(await ledger.list()).toHaveLength(1);
  });

  test("is not repeated without one, as the client could not know it again", async () => {
    const { send, calls } = ground(failing(2));
    expect(await send(envelope(), { mostAttempts: 5 })).toMatchObject({
      attempts: 1,
      receipt: { status: "failed" },
    });
    expect(calls).toHaveBeenCalledTimes(1);
  });

  test("is not repeated once it is cancelled", async () => {
    const { send, clock, calls } = ground(failing(9));
    const controller = new AbortController();
    const sent = send(envelope({ idempotency_key: "k" }), { backoffMs: 50, signal: controller.signal });
    await clock.timerOf(50);
    controller.abort();
    expect(await sent).toMatchObject({ attempts: 1, receipt: { status: "failed" } });
    expect(calls).toHaveBeenCalledTimes(1);
    expect(clock.waiting()).toBe(0);
  });

  test("is repeated so often and no more", async () => {
    const { send, clock, calls } = ground(failing(9));
    const sent = send(envelope({ idempotency_key: "k" }), { backoffMs: 8, mostAttempts: 2 });
    await clock.timerOf(8);
    clock.advance(8);
    expect(await receiptOf(sent)).toMatchObject({
      failure_class: "transport_error",
      retry_class: "safe_retry",
    });
    expect(calls).toHaveBeenCalledTimes(2);
  });
});

describe("payloads", () => {
  const answering =
    (...payloads: readonly object[]): LifecycleClient =>
    async () => ({
      ...DELIVERED,
      client_payloads: payloads,
    });

  test("of the request and of the answer are placed, and the receipt says where", async () => {
    const { send } = ground(answering(payload({ payload_id: "q" })));
    const outcome = await send(envelope({}, [payload()]));
    expect(outcome).toMatchObject({
      kind: "recorded",
      placed: [
        { placement: "pre_prompt_frame", envelope: { payload_id: "p" } },
        { envelope: { payload_id: "q" } },
      ],
      receipt: { payload_receipts: [{ payload_id: "p", status: "delivered" }, { payload_id: "q" }] },
    });
  });

  test.each([
    [
      "has no place",
      { acceptable_placements: [{ placement: "side_channel_context", requirement: "required" }] },
      "operator_required",
    ],
    ["is too large", { body: "x".repeat(9000), byte_size: 9000 }, "payload_too_large"],
    ["has expired", { expires_at_epoch_s: 1_700_000_000 }, "payload_rejected"],
    ["is not what its digest says", { content_digest: `sha256:${"0".repeat(64)}` }, "payload_rejected"],
    [
      "has a digest that nobody can check",
      { content_digest: "md5:5d41402abc4b2a76b9719d911017c592" },
      "payload_rejected",
    ],
  ] as const)("that are required fail closed where one %s", async (_, members, failure_class) => {
    const before = ground(async () => DELIVERED);
    expect(await before.send(envelope({}, [payload(members)]))).toMatchObject({
      receipt: { status: "failed", failure_class },
      placed: [],
    });
    expect(before.calls).not.toHaveBeenCalled();
    const after = ground(answering(payload(members)));
    expect(await after.send(envelope())).toMatchObject({
      receipt: { status: "failed", failure_class },
      placed: [],
    });
  });

  test("are rendered all or none", async () => {
    const failing = async () => ({
      ...DELIVERED,
      status: "failed",
      failure_class: "internal_error",
      retry_class: "do_not_retry",
    });
    const accepted = payload({
      acceptable_placements: [{ placement: "pre_prompt_frame", requirement: "optional" }],
    });
    expect(await ground(failing).send(envelope({}, [accepted]))).toMatchObject({
      receipt: { status: "failed" },
      placed: [],
    });
    const expired = payload({ payload_id: "q", expires_at_epoch_s: 1 });
    expect(await ground(answering(accepted, expired)).send(envelope())).toMatchObject({
      receipt: { status: "failed", payload_receipts: [{ status: "failed" }, { status: "failed" }] },
      placed: [],
    });
  });

  test("keep their digest", async () => {
    const content_digest = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    const { send } = ground(async () => DELIVERED);
    expect(await send(envelope({}, [payload({ content_digest })]))).toMatchObject({
      receipt: { status: "delivered", payload_receipts: [{ content_digest, status: "delivered" }] },
    });
  });

  test("share one budget", async () => {
    const four = ["a", "b", "c"].map((payload_id) =>
      payload({
        payload_id,
        body: "x".repeat(4000),
        byte_size: 4000,
        acceptable_placements: [{ placement: "pre_prompt_frame", requirement: "preferred" }],
      }),
    );
    const { send } = ground(async () => DELIVERED);
    expect(await send(envelope({}, four))).toMatchObject({
      placed: [{ envelope: { payload_id: "a" } }, { envelope: { payload_id: "b" } }],
      receipt: { status: "degraded", payload_receipts: [{}, {}, { payload_id: "c", status: "skipped" }] },
    });
  });

  test("that only the receipt takes do not count as delivered", async () => {
    const fallback = payload({
      acceptable_placements: [
        { placement: "side_channel_context", requirement: "preferred" },
        { placement: "receipt_only", requirement: "optional" },
      ],
    });
    const { send } = ground(async () => DELIVERED);
    expect(await send(envelope({}, [fallback]))).toMatchObject({
      receipt: { status: "degraded", payload_receipts: [{ placement: "receipt_only", status: "degraded" }] },
    });
  });

  test("are so many and no more", async () => {
    const many = Array.from({ length: MOST_PAYLOADS + 1 }, (_, index) =>
      payload({ payload_id: `p-${index}` }),
    );
    const { send, calls } = ground(answering(...many));
    expect(await receiptOf(send(envelope({}, many)))).toMatchObject({ failure_class: "invalid_request" });
    expect(calls).not.toHaveBeenCalled();
    expect(await receiptOf(send(envelope()))).toMatchObject({ failure_class: "invalid_request" });
  });
});

describe("what the client wants to happen", () => {
  const wanting =
    (result: object): LifecycleClient =>
    async () => ({ ...DELIVERED, result });
  const ending = (metadata: object = {}) =>
    envelope({
      event: "frame.ending",
      harness_task_id: "t",
      frame_context: { frame_id: "t", frame_class: "top_level" },
      metadata,
    });
  const again = { decision: { kind: "continue_with", prompt: "go on" } };

  test("is handed on, also where a payload had no place", async () => {
    const deny = { decision: { kind: "deny", reason: "no" } };
    expect(await ground(wanting(deny)).send(envelope())).toMatchObject({ result: deny });
    const { send } = ground(async () => ({
      ...DELIVERED,
      result: deny,
      client_payloads: [payload({ expires_at_epoch_s: 1 })],
    }));
    expect(await send(envelope())).toMatchObject({ result: deny, receipt: { status: "failed" }, placed: [] });
  });

  test("is refused where it makes no sense", async () => {
    for (const result of [
      { decision: { kind: "deny" } },
      { decision: { kind: "deny", reason: " \u0085" } },
      { decision: { kind: "continue_with", reason: "x" } },
      { decision: { kind: "allow", prompt: "x" } },
      { decision: { kind: "explode" } },
      { context: "text" },
      { updated_input: deepValue(100) },
    ])
      expect(await ground(wanting(result)).send(envelope())).toMatchObject({
        result: {},
        receipt: { status: "failed", failure_class: "invalid_request" },
      });
  });

  test("makes a frame go on so often and no more, and says so", async () => {
    const { send } = ground(wanting(again), { continuations: createContinuationCounter() });
    const outcomes: Dispatched[] = [];
    for (let index = 0; index < 4; index += 1) outcomes.push(await send(ending(), { mostContinuations: 3 }));
    expect(outcomes.map((outcome) => outcome.kind === "recorded" && outcome.result)).toEqual([
      again,
      again,
      again,
      {},
    ]);
    expect(outcomes[3]).toMatchObject({ receipt: { warnings: [{ code: "continuation_limit" }] } });
    const other = await send(envelope({ ...ending().request, harness_task_id: "u" }), {
      mostContinuations: 3,
    });
    expect(other).toMatchObject({ result: again });
    const anew = await send(ending({ stop_hook_active: false }), { mostContinuations: 3 });
    expect(anew).toMatchObject({ result: again });
  });

  test("makes a frame go on no more where the harness has counted enough", async () => {
    const { send } = ground(wanting(again));
    expect(await send(ending({ continuations: 4 }))).toMatchObject({ result: again });
    expect(await send(ending({ continuations: 5 }))).toMatchObject({ result: {} });
    expect(await send(ending({ continuations: 5e300 }))).toMatchObject({ result: {} });
  });

  test("makes a frame go on once where nobody counts", async () => {
    const { send } = ground(wanting(again));
    expect(await send(ending({ stop_hook_active: false }))).toMatchObject({ result: again });
    expect(await send(ending({ stop_hook_active: true }))).toMatchObject({ result: {} });
  });
});

describe("what is passed in", () => {
  test("may fail without an exception: no digest is evidence, and nobody who cannot count goes on", async () => {
    const content_digest = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    const broken = () => Promise.reject(new Error("no"));
    const digest = ground(async () => DELIVERED, { sha256: broken });
    expect(await receiptOf(digest.send(envelope({}, [payload({ content_digest })])))).toMatchObject({
      failure_class: "payload_rejected",
    });
    const again = { decision: { kind: "continue_with", prompt: "go on" } };
    const counter = ground(async () => ({ ...DELIVERED, result: again }), {
      continuations: { count: broken, add: broken, reset: broken },
    });
    expect(await counter.send(envelope())).toMatchObject({
      result: {},
      receipt: { warnings: [{ code: "continuation_limit" }] },
    });
  });

  test("may be looked at only once, or not at all", async () => {
    const trap = Object.defineProperty({ ...DELIVERED }, "status", {
      enumerable: true,
      get: () => {
        throw new Error("trap");
      },
    });
    expect(await receiptOf(ground(async () => trap).send(envelope()))).toMatchObject({
      failure_class: "invalid_request",
    });
  });
});

describe("the ledger", () => {
  test("is there, so that who requires one is served", async () => {
    const needs = [{ kind: "receipts.receipt_ledger", level: "required", desired: "synthesized" }] as const;
    const { send } = ground(async () => DELIVERED);
    expect(await receiptOf(send(envelope(), { capabilities: needs }))).toMatchObject({ status: "delivered" });
  });

  test("that fails is an error with its class, and no exception", async () => {
    const broken: ReceiptLedger = {
      ...createMemoryLedger(),
      record: () => Promise.reject(new Error("disk full")),
    };
    const { send } = ground(async () => DELIVERED, { ledger: broken });
    expect(await send(envelope())).toMatchObject({
      kind: "refused",
      error: {
        kind: "ledger_failed",
        failure_class: "internal_error",
        detail: expect.stringContaining("disk full"),
      },
    });
  });

  test("that has lost receipts is announced", async () => {
    const { send, ledger, announced } = ground(async () => DELIVERED);
    for (let index = 0; index < 3; index += 1) await send(envelope());
    ledger.lose("r-3");
    await send(envelope());
    expect(announced.filter(({ event }) => event === "receipt.gap_detected")).toEqual([
      { event: "receipt.gap_detected", gap: { run_id: "run", from: 3, to: 3 } },
    ]);
  });
});

function circle(): object {
  const one: Record<string, unknown> = { ...DELIVERED };
  one["metadata"] = { one };
  return one;
}

function deepValue(depth: number): unknown {
  return depth === 0 ? 1 : [deepValue(depth - 1)];
}
