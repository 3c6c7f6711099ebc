import { expect, test } from "vitest";
import { createDeferred } from "./tasks.ts";
import { createLane, createTimeSlices, nextTurn, SHORT } from "./time-slices.ts";

/** A clock that a step moves on by as long as it takes. */
function slicesOf(sliceMs: number) {
  let now = 0;
  const spend = (ms: number): void => {
    now += ms;
  };
  return { spend, slices: createTimeSlices(() => now, { ...SHORT, sliceMs }) };
}

test("steps of a lane are taken in their order, and others have their turn when a slice is over", async () => {
  const { spend, slices } = slicesOf(2);
  const lane = createLane(slices);
  const seen: string[] = [];
  const steps = ["a", "b", "c", "d", "e"].map((name) =>
    lane(() => {
      seen.push(name);
      spend(1);
      return name;
    }),
  );
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn();
    seen.push("-");
  }
  expect(await Promise.all(steps)).toEqual(["a", "b", "c", "d", "e"]);
  expect(seen).toEqual(["a", "b", "-", "c", "d", "-", "e", "-"]);
});

test("a step that waits or fails does not hold up the lane", async () => {
  const lane = createLane(slicesOf(10).slices);
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
