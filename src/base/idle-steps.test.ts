import { setImmediate as nextIteration } from "node:timers/promises";
import { expect, test } from "vitest";
import { createFakeClock } from "./fake-clock.fixture.ts";
import { runOnceIdle, runWhenIdle } from "./idle-steps.ts";
import { silentLogger } from "./logger.ts";

function open() {
  const clock = createFakeClock();
  const done: string[] = [];
  const state = { isIdle: true, busy: 0 };
  const step = (name: string) => async () => void done.push(name);
  const fail = async () => {
    done.push("failed");
    throw new Error("broken");
  };
  const steps = runWhenIdle([step("a"), fail, step("b")], {
    clock,
    log: silentLogger,
    isIdle: () => state.isIdle,
    busyShare: () => state.busy,
    quietMs: 20,
  });
  async function pass(ms: number): Promise<readonly string[]> {
    for (let passed = 0; passed < ms; passed += 1) {
      clock.advance(1);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    return done;
  }
  return { state, steps, pass };
}

test("steps run one by one after a quiet time, and a failed one does not keep the next from running", async () => {
  const { pass } = open();
  expect(await pass(19)).toEqual([]);
  expect(await pass(1)).toEqual(["a"]);
  expect(await pass(50)).toEqual(["a", "failed", "b"]);
});

test("no step runs while a client waits for a response", async () => {
  const { state, pass } = open();
  await pass(20);
  state.isIdle = false;
  expect(await pass(500)).toEqual(["a"]);
  state.isIdle = true;
  expect(await pass(700)).toEqual(["a", "failed", "b"]);
});

test("no step runs while the server is busy with something that no client waits for", async () => {
  const { state, pass } = open();
  state.busy = 0.25;
  expect(await pass(2_000)).toEqual([]);
  state.busy = 0.24;
  expect(await pass(3_000)).toEqual(["a", "failed", "b"]);
});

test("a stopped list runs nothing more", async () => {
  const { steps, pass } = open();
  await pass(20);
  steps.stop();
  expect(await pass(500)).toEqual(["a"]);
});

test.each([
  ["as soon as no client waits for a response", 30],
  ["also if clients wait for long", 100],
])("one step runs %s", async (_when, runsAtMs) => {
  const clock = createFakeClock();
  let passed = 0;
  const ran: number[] = [];
  const isIdle = () => runsAtMs < 100 && passed >= runsAtMs;
  runOnceIdle(async () => void ran.push(passed), { clock, log: silentLogger, isIdle });
  for (; passed <= 200; passed += 2) {
    await nextIteration();
    await nextIteration();
    clock.advance(2);
  }
  expect(ran).toEqual([expect.closeTo(runsAtMs, -1)]);
});

test("one step runs after what was due when it was requested", async () => {
  const order: string[] = [];
  const step = async () => void order.push("step");
  runOnceIdle(step, { clock: createFakeClock(), log: silentLogger, isIdle: () => true });
  setImmediate(() => order.push("response"));
  await nextIteration();
  await nextIteration();
  expect(order).toEqual(["response", "step"]);
});

test("one step that is stopped does not run", async () => {
  const clock = createFakeClock();
  const ran: number[] = [];
  runOnceIdle(async () => void ran.push(1), { clock, log: silentLogger, isIdle: () => true }).stop();
  await nextIteration();
  await nextIteration();
  clock.advance(500);
  expect(ran).toEqual([]);
});
