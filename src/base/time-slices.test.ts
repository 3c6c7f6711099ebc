import { expect, test } from "vitest";
import { createDeferred } from "./tasks.ts";
import { createSliceQueue, createTimeSlices, SHORT_SLICES, yieldToEventLoop } from "./time-slices.ts";

/** A clock that each step advances by its own duration. */
function slicesOf(sliceMs: number) {
  let now = 0;
  const spend = (ms: number): void => {
    now += ms;
  };
  return { spend, slices: createTimeSlices(() => now, { ...SHORT_SLICES, sliceMs }) };
}

test("steps run in order, and the event loop runs when a slice is over", async () => {
  const { spend, slices } = slicesOf(2);
  const lane = createSliceQueue(slices);
  const seen: string[] = [];
  const steps = ["a", "b", "c", "d", "e"].map((name) =>
    lane(() => {
      seen.push(name);
      spend(1);
      return name;
    }),
  );
  for (let turn = 0; turn < 3; turn += 1) {
    await yieldToEventLoop();
    seen.push("-");
  }
  expect(await Promise.all(steps)).toEqual(["a", "b", "c", "d", "e"]);
  expect(seen).toEqual(["a", "b", "-", "c", "d", "-", "e", "-"]);
});

test("a pending or failed step does not block the queue", async () => {
  const lane = createSliceQueue(slicesOf(10).slices);
  const gate = createDeferred<string>();
  const waiting = lane(() => gate.promise);
  const failing = lane(() => {
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await lane(() => "on")).toBe("on");
  gate.resolve("late");
  expect(await waiting).toBe("late");
});
