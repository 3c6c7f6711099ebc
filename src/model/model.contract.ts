/** The contract of every model; called by the test of each implementation. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { collect } from "./fixtures/collect.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";

/** `endless` streams text for longer than any test runs; `call` runs `pwd` with `exec_command`. */
export type ModelScenario = "plain" | "call" | "failure" | "endless";

export interface ModelHarness {
  /** A model that will play the scenario for the request. */
  open(scenario: ModelScenario): Promise<{ readonly model: Model; readonly request: ModelRequest }>;
  close(): Promise<void>;
}

export const EXEC_TOOL = {
  type: "function",
  name: "exec_command",
  description: "Runs a command.",
  parameters: { type: "object", properties: { cmd: { type: "string" } } },
};

export function modelContract(name: string, createHarness: () => ModelHarness): void {
  describe(`${name} as a model`, () => {
    let harness: ModelHarness;
    beforeEach(() => {
      harness = createHarness();
    });
    afterEach(() => harness.close());

    test("emits a message as an added item, deltas and a done item, and ends with the usage", async () => {
      const { model, request } = await harness.open("plain");
      const events = (await collect(model, request)).filter(({ type }) => type !== "accepted");
      const text = textOf(events);
      expect(text).not.toBe("");
      expect([...new Set(events.map(({ type }) => type))]).toEqual([
        "created",
        "itemAdded",
        "textDelta",
        "itemDone",
        "completed",
      ]);
      const done = events.find((event) => event.type === "itemDone");
      expect(done?.item).toMatchObject({
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text }],
      });
      const usage = events.flatMap((event) => (event.type === "completed" ? [event.usage] : []))[0];
      expect(usage?.totalTokens).toBe((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0));
      expect(usage?.outputTokens).toBeGreaterThan(0);
    });

    test("emits a tool call as one finished item before the end", async () => {
      const { model, request } = await harness.open("call");
      const events = await collect(model, request);
      const call = events.at(-2);
      expect(call?.type === "itemDone" && call.item).toMatchObject({
        type: "function_call",
        name: "exec_command",
        call_id: expect.stringMatching(/./) as string,
      });
      const item = call?.type === "itemDone" && call.item.type === "function_call" ? call.item : null;
      expect(JSON.parse(item?.arguments ?? "")).toEqual({ cmd: "pwd" });
      expect(events.at(-1)?.type).toBe("completed");
    });

    test("emits a failure as its last event and does not throw", async () => {
      const { model, request } = await harness.open("failure");
      const events = await collect(model, request);
      expect(events.at(-1)?.type).toBe("failed");
      expect(events.filter(isEnd)).toHaveLength(1);
    });

    test("ends without a last event when aborted in the middle", async () => {
      const { model, request } = await harness.open("endless");
      const controller = new AbortController();
      const events: ModelEvent[] = [];
      for await (const batch of model.stream(request, controller.signal)) {
        events.push(...batch);
        if (batch.some(({ type }) => type === "textDelta")) controller.abort();
      }
      expect(events.filter(isEnd)).toEqual([]);
    });

    test("emits nothing when aborted before it starts", async () => {
      const { model, request } = await harness.open("plain");
      expect(await collect(model, request, AbortSignal.abort())).toEqual([]);
    });

    test("stops when the consumer stops iterating", async () => {
      const { model, request } = await harness.open("endless");
      const taken: ModelEvent[] = [];
      for await (const batch of model.stream(request, new AbortController().signal)) {
        taken.push(...batch);
        if (batch.some(({ type }) => type === "textDelta")) break;
      }
      expect(taken.filter(isEnd)).toEqual([]);
    });

    test("handles concurrent requests independently", async () => {
      const { model, request } = await harness.open("plain");
      const [first, second] = await Promise.all([collect(model, request), collect(model, request)]);
      expect(textOf(first)).toEqual(textOf(second));
      expect([first.at(-1)?.type, second.at(-1)?.type]).toEqual(["completed", "completed"]);
    });
  });
}

function isEnd({ type }: ModelEvent): boolean {
  return type === "completed" || type === "failed";
}

function textOf(events: readonly ModelEvent[]): string {
  return events.flatMap((event) => (event.type === "textDelta" ? [event.delta] : [])).join("");
}
