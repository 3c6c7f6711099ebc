import { describe, expect, it, vi } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import type { ToolContext } from "../tool.ts";
import { openToolBench } from "../tool-bench.fixture.ts";
import { clientTime, createCurrentTime, currentTimeReminder, machineTime } from "./current-time.ts";
import { createSleep } from "./sleep.ts";

const AT = Date.UTC(2026, 5, 17, 17, 34, 15, 250);

describe("curr_time", () => {
  it("returns the time of this machine", async () => {
    const tool = createCurrentTime(machineTime(createFakeClock(AT)));
    expect(await openToolBench().call(tool, {})).toStrictEqual({
      output: "It is 2026-06-17 17:34:15 UTC.",
      success: true,
    });
  });

  it("returns the client's time, and an error without an answer", async () => {
    const tool = createCurrentTime(clientTime);
    const answer = { kind: "answered", result: { currentTimeAt: 1_781_717_655 } } as const;
    const bench = openToolBench({ answer });
    const outputs = [await bench.call(tool, {}), await openToolBench().call(tool, {})];
    expect(outputs).toStrictEqual([
      { output: "It is 2026-06-17 17:34:15 UTC.", success: true },
      { output: "failed to read current time", success: false },
    ]);
    expect(bench.seen).toStrictEqual([{ method: "currentTime/read", params: { threadId: "thread-1" } }]);
  });

  it("has a reminder with the same text", () => {
    expect(currentTimeReminder(AT)).toBe(
      "<current_time_reminder>It is 2026-06-17 17:34:15 UTC.</current_time_reminder>",
    );
  });
});

describe("sleep", () => {
  const item = { type: "sleep", id: "call-1", durationMs: 2000 };

  it("ends when its time has passed", async () => {
    const clock = createFakeClock(AT);
    const bench = openToolBench();
    const result = bench.call(createSleep({ clock, isOfClient: false, onInput: () => () => {} }), {
      duration_ms: 2000,
    });
    clock.advance(1999);
    expect(bench.seen).toStrictEqual([{ begun: item }]);
    clock.advance(1);
    expect(await result).toStrictEqual({
      output: "Wall time: 2.0000 seconds\nSleep completed.",
      success: true,
    });
    expect(bench.seen).toStrictEqual([{ begun: item }, { completed: item }]);
  });

  it("uses the client's clock, which is polled", async () => {
    const clock = createFakeClock(AT);
    let nowAt = 1_781_717_655;
    const bench = openToolBench();
    const asked: number[] = [];
    const context = {
      ...bench.context,
      ask: async () => {
        asked.push(nowAt);
        return { kind: "answered", result: { currentTimeAt: nowAt } };
      },
    } as unknown as ToolContext;
    const tool = createSleep({ clock, isOfClient: true, onInput: () => () => {} });
    const call = { callId: "call-1", name: "sleep", input: '{"duration_ms":2000}' };
    const result = tool.run(call, context);
    for (const later of [1, 2]) {
      await vi.waitFor(() => expect(clock.waiting.length).toBe(1));
      nowAt = 1_781_717_655 + later;
      clock.advance(1000);
    }
    expect(await result).toMatchObject({ success: true });
    expect(asked).toStrictEqual([1_781_717_655, 1_781_717_656, 1_781_717_657]);
  });

  it("fails where the client's clock does not answer", async () => {
    const clock = createFakeClock(AT);
    const tool = createSleep({ clock, isOfClient: true, onInput: () => () => {} });
    expect(await openToolBench().call(tool, { duration_ms: 2000 })).toStrictEqual({
      output: "failed to sleep: no client provides the time",
      success: false,
    });
  });

  it("ends on user input, and leaves no timer behind", async () => {
    const clock = createFakeClock(AT);
    let say: (() => void) | undefined;
    const tool = createSleep({
      clock,
      isOfClient: false,
      onInput(_, heard) {
        say = heard;
        return () => {
          say = undefined;
        };
      },
    });
    const result = openToolBench().call(tool, { duration_ms: 2000 });
    clock.advance(500);
    say?.();
    expect(await result).toStrictEqual({
      output: "Wall time: 0.5000 seconds\nSleep interrupted by new input.",
      success: true,
    });
    expect([clock.waiting.length, say]).toStrictEqual([0, undefined]);
  });

  it("does not start when there is user input already", async () => {
    const clock = createFakeClock(AT);
    const tool = createSleep({
      clock,
      isOfClient: false,
      onInput(_, heard) {
        heard();
        return () => {};
      },
    });
    const { output } = await openToolBench().call(tool, { duration_ms: 2000 });
    expect([output, clock.waiting.length]).toStrictEqual([
      "Wall time: 0.0000 seconds\nSleep interrupted by new input.",
      0,
    ]);
  });

  it.each([
    [{ duration_ms: 0 }, "duration_ms must be between 1 and 43200000"],
    [{ duration_ms: 43_200_001 }, "duration_ms must be between 1 and 43200000"],
    [
      { duration_ms: 1, x: 1 },
      "failed to parse function arguments: unknown field `x`, expected `duration_ms` at line 1 column 20",
    ],
  ])("refuses %j", async (input, output) => {
    const tool = createSleep({
      clock: createFakeClock(AT),
      isOfClient: false,
      onInput: () => () => {},
    });
    expect(await openToolBench().call(tool, input)).toStrictEqual({ output, success: false });
  });
});
