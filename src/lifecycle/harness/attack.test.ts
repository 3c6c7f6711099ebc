import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ADAPTER_IDS } from "../adapters/registry.ts";
import { EVENT_NAMES } from "../vocabulary/events.ts";
import type { JsonValue, LifecycleResult } from "../vocabulary/result.ts";
import { parsePayloadEnvelope } from "../wire/payload-envelope.ts";
import { parseRequest } from "../wire/request.ts";
import { WIRE_VERSION } from "../wire/wire-error.ts";
import { applyMutation } from "./apply-mutation.ts";
import { read, requestOf } from "./read.ts";
import { render } from "./render.ts";
import type { PlacedPayload } from "./render-context.ts";

/** Enough for a slow machine; quadratic work would take hours. */
const MOST_MS = 5000;

function within<T>(work: () => T): T {
  const start = performance.now();
  const value = work();
  expect(performance.now() - start).toBeLessThan(MOST_MS);
  return value;
}

function payloads(bodies: readonly string[]): PlacedPayload[] {
  return bodies.map((body, index) => ({
    placement: "pre_prompt_frame",
    envelope: { payload_id: `p-${index}`, payload_kind: "k", body },
  }));
}

function rendered(request: Parameters<typeof render>[0]) {
  const result = render(request);
  if (!result.ok) throw new Error(result.error.kind);
  return result;
}

describe("rendering", () => {
  test("comes to an end with any result, and loses nothing of it", () => {
    const text = fc.string({ unit: "binary" });
    const decision = fc.oneof(
      fc.constant({ kind: "none" as const }),
      fc.record({
        kind: fc.constantFrom("allow" as const, "deny" as const, "ask" as const, "stop" as const),
        reason: text,
      }),
      fc.record({ kind: fc.constant("continue_with" as const), prompt: text }),
    );
    const result = fc.record(
      {
        decision,
        context: fc.array(text, { maxLength: 3 }),
        updated_input: fc.jsonValue(),
        updated_output: fc.jsonValue(),
        user_message: text,
      },
      { requiredKeys: [] },
    );
    const request = fc.record({
      adapter: fc.constantFrom(...ADAPTER_IDS),
      event: fc.constantFrom(...EVENT_NAMES),
      form: fc.constantFrom("compatible" as const, "readable" as const),
      result: result as fc.Arbitrary<LifecycleResult>,
      bodies: fc.array(text, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(request, ({ bodies, ...asked }) => {
        const actual = render({ ...asked, payloads: payloads(bodies) });
        if (!actual.ok) return;
        expect(() => JSON.parse(actual.stdout)).not.toThrow();
        expect(actual.stdout).not.toMatch(/\\ud[89a-f]/i);
        const said =
          actual.rendered.result.length +
          actual.notExpressed.filter(({ what }) => !["payload", "context", "reason"].includes(what)).length;
        const kind = asked.result.decision?.kind ?? "none";
        const { updated_input, updated_output, user_message, context = [] } = asked.result;
        const wanted = [updated_input, updated_output, user_message].filter(
          (part) => part !== undefined,
        ).length;
        const lost = actual.notExpressed.filter(({ what }) => what === "context").length;
        const told = actual.rendered.result.includes("context");
        expect(told).toBe(context.length > lost);
        expect(said - (told ? 1 : 0)).toBe(wanted + (kind === "none" ? 0 : 1));
        expect(
          actual.rendered.payloads.length +
            actual.notExpressed.filter(({ what }) => what === "payload").length,
        ).toBe(bodies.length);
      }),
    );
  });

  test("keeps within the budget of the harness in its readable form", () => {
    const bodies = fc.array(fc.integer({ min: 0, max: 9000 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...ADAPTER_IDS), bodies, (adapter, sizes) => {
        const event = adapter === "opencode" ? "context.pressure_observed" : "session.started";
        const actual = rendered({
          adapter,
          event,
          payloads: payloads(sizes.map((size) => "é".repeat(size / 2))),
        });
        expect(actual.overBudget).toBeNull();
      }),
    );
  });

  test("takes a body of 10 MB, and refuses it with its numbers", () => {
    const body = "~x".repeat(5_000_000);
    const actual = within(() =>
      rendered({ adapter: "codex", event: "frame.opening", payloads: payloads([body]) }),
    );
    expect(actual.notExpressed).toEqual([
      {
        what: "payload",
        payload_id: "p-0",
        reason: expect.any(String),
        rejection: {
          placement: "pre_prompt_frame",
          reason: "payload_too_large",
          byte_size: 10_000_000,
          max_bytes: 8192,
        },
      },
    ]);
    expect(actual.stdout).toBe("{}");
    const whole = within(() =>
      rendered({ adapter: "codex", event: "frame.opening", form: "compatible", payloads: payloads([body]) }),
    );
    expect(whole.overBudget).toMatchObject({ budget_bytes: 10_000 });
  });

  test("takes 100,000 payloads", () => {
    const many = payloads(Array.from({ length: 100_000 }, (_, index) => `text ${index} ~~~`));
    const actual = within(() => rendered({ adapter: "claude", event: "session.started", payloads: many }));
    expect(actual.rendered.payloads.length + actual.notExpressed.length).toBe(100_000);
    expect(actual.notExpressed[0]?.rejection).toMatchObject({
      reason: "budget_exhausted",
      budget_bytes: 10_000,
    });
    const all = within(() =>
      rendered({ adapter: "claude", event: "session.started", form: "compatible", payloads: many }),
    );
    expect(all.rendered.payloads).toHaveLength(100_000);
  });

  test("lets no payload take the room of others with a long run of the fence's sign", () => {
    const actual = rendered({
      adapter: "codex",
      event: "session.started",
      payloads: payloads(["~".repeat(5000), "good"]),
    });
    expect(actual.rendered.payloads).toEqual(["p-1"]);
    expect(actual.notExpressed).toMatchObject([{ payload_id: "p-0", rejection: { reason: "unfenceable" } }]);
    expect(actual.stdout.length).toBeLessThan(200);
    const texts = rendered({
      adapter: "codex",
      event: "session.started",
      result: { context: ["~".repeat(5000), "good", "x".repeat(10_000)] },
    });
    expect(texts.notExpressed.map(({ what }) => what)).toEqual(["context", "context"]);
    expect(texts.stdout.length).toBeLessThan(200);
  });

  test("refuses what no JSON can carry, and what is too deep", () => {
    let deep: JsonValue = 1;
    for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
    for (const updated_input of [deep, Number.NaN, 10n as unknown as number])
      expect(render({ adapter: "claude", event: "tool.starting", result: { updated_input } })).toMatchObject({
        ok: false,
        error: { kind: "invalid_directive" },
      });
  });

  test("tells a member that is called __proto__ like any other", () => {
    const updated_input = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}');
    const actual = rendered({ adapter: "claude", event: "tool.starting", result: { updated_input } });
    expect(actual.stdout).toContain('"updatedInput":{"__proto__":{"polluted":true},"constructor":1}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("refuses a hook that is none of the event's", () => {
    expect(render({ adapter: "codex", event: "frame.opening", hookEventName: "Stop" }).ok).toBe(false);
    expect(
      render({ adapter: "cursor", event: "tool.starting", hookEventName: "beforeReadFile" }),
    ).toMatchObject({
      hookEventName: "beforeReadFile",
    });
    expect(render({ adapter: "__proto__", event: "frame.opening" })).toMatchObject({
      error: { kind: "unknown_adapter" },
    });
  });

  test("tells nothing of what has expired, if it knows the time", () => {
    const envelope = { payload_id: "p", payload_kind: "k", body: "old", expires_at_epoch_s: 100 };
    const at = (nowEpochS?: number) =>
      rendered({
        adapter: "codex",
        event: "frame.opening",
        payloads: [{ envelope }],
        ...(nowEpochS !== undefined && { nowEpochS }),
      });
    expect(at(99).rendered.payloads).toEqual(["p"]);
    expect(at().rendered.payloads).toEqual(["p"]);
    expect(at(100).notExpressed).toMatchObject([{ rejection: { reason: "expired", now_epoch_s: 100 } }]);
    expect(at(Number.NaN).rendered.payloads).toEqual([]);
  });
});

describe("reading", () => {
  test("comes to an end with anything", () => {
    const hook = fc.constantFrom("Stop", "PreToolUse", "stop", "agentStop", "chat.message", "AfterTool");
    const anything = fc.record(
      {
        hook_event_name: fc.oneof(hook, fc.anything()),
        hook,
        tool_response: fc.anything(),
        status: fc.anything(),
        input: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.constantFrom(...ADAPTER_IDS), fc.oneof(anything, fc.anything()), (adapter, input) => {
        const result = read(adapter, input);
        if (!result.ok) {
          expect(result.error.detail).not.toBe("");
          return;
        }
        const request = requestOf(result.event, { eventId: "e", invocationId: "i" });
        expect(parseRequest(request, { extensions: true })).toEqual({ ok: true, value: request });
      }),
    );
  });

  test("says what it leaves out, and takes what is left", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 10_000; depth += 1) deep = { deep };
    const result = read("codex", {
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: deep,
      session_id: "\ud800",
    });
    expect(result).toMatchObject({
      ok: true,
      event: { omitted: ["tool_input"], details: { tool_name: "Bash" } },
    });
    expect(result.ok && result.event.harness_session_id).toBeUndefined();
  });
});

describe("the wire", () => {
  const envelope = {
    schema_version: WIRE_VERSION,
    payload_id: "p",
    client_id: "c",
    payload_kind: "k",
    format: "f",
    content_encoding: "utf8",
    body: "x",
    byte_size: 1,
    acceptable_placements: [{ placement: "receipt_only", requirement: "optional" }],
  };

  test.each([
    ["a number that has lost digits", { expires_at_epoch_s: 2 ** 53 }],
    ["a fraction", { byte_size: 0.5 }],
    ["half a pair", { body: "\ud800", byte_size: 3 }],
    ["a member of the prototype", JSON.parse('{"__proto__":{}}')],
    ["metadata of a class", { metadata: new Map() }],
    ["a list that is none", { acceptable_placements: { length: 1 } }],
  ])("refuses %s", (_, members) => {
    const value = Object.defineProperties({ ...envelope }, Object.getOwnPropertyDescriptors(members));
    expect(parsePayloadEnvelope(value)).toMatchObject({ ok: false, error: { kind: "malformed" } });
  });

  test("takes metadata with a member that is called __proto__, as it is", () => {
    const metadata = JSON.parse('{"__proto__":{"polluted":true}}');
    const parsed = parsePayloadEnvelope({ ...envelope, metadata });
    expect(parsed.ok && JSON.stringify(parsed.value.metadata)).toBe('{"__proto__":{"polluted":true}}');
    expect(parsed.ok && Reflect.get(parsed.value.metadata ?? {}, "polluted")).toBeFalsy();
  });
});

describe("a mutation", () => {
  test("does to the output what was rendered", () => {
    const render1 = (event: Parameters<typeof render>[0]["event"], result: LifecycleResult) =>
      rendered({ adapter: "opencode", event, result }).body;
    const args = { command: "rm", description: "d" };
    const before = { args };
    applyMutation(before, render1("tool.starting", { updated_input: { command: "ls" } }));
    // The harness holds on to the object that it gave, and looks at no other.
    expect(before.args).toBe(args);
    expect(args).toEqual({ command: "ls" });
    expect(() =>
      applyMutation(before, render1("tool.starting", { decision: { kind: "deny", reason: "no" } })),
    ).toThrow("no");
    const after = { output: "a" };
    applyMutation(after, render1("tool.completed", { context: ["b"] }));
    expect(after.output).toBe('a\n~~~ payload "context-1" of kind "context"\nb\n~~~');
    const compacting = { context: ["x"] };
    applyMutation(compacting, render1("context.pressure_observed", { context: ["b"] }));
    expect(compacting.context).toHaveLength(2);
    const message = {
      message: { id: "msg_1", sessionID: "ses_1" },
      parts: [{ id: "prt_1", type: "text", text: "Fix it" }],
    };
    applyMutation(message, render1("frame.opening", { context: ["b"] }));
    applyMutation(message, render1("frame.opening", { context: ["c"] }));
    const ids = { sessionID: "ses_1", messageID: "msg_1", type: "text", synthetic: true };
    expect(message.parts).toMatchObject([
      { id: "prt_1" },
      { ...ids, id: "prt_1_heddle", text: expect.stringContaining("b") },
      { ...ids, id: "prt_1_heddle_heddle", text: expect.stringContaining("c") },
    ]);
  });

  test("leaves the prototype of the output alone", () => {
    const output: Record<string, unknown> = {};
    const evil = '{"__proto__":{"polluted":true},"a":1}';
    applyMutation(output, JSON.parse(`{"set":${evil}}`));
    expect(output).toEqual({ a: 1 });
    expect(output["polluted"]).toBeUndefined();
    const held: Record<string, unknown> = {};
    applyMutation({ args: held, parts: [] }, JSON.parse(`{"assign":{"args":${evil}},"part":${evil}}`));
    expect(held).toEqual({ a: 1 });
    expect(held["polluted"]).toBeUndefined();
  });
});
