/** Queued turns of many threads that meet a usage limit while nobody is there: how many are loaded, and what is asked. */
import { setImmediate as tick } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createFakeClock, type FakeClock } from "../../src/base/fake-clock.fixture.ts";
import { createHeddle, type ModelEvent } from "../../src/index.ts";
import { createTempHome } from "../support/temp-home.ts";

const HOUR = 3_600_000;
const THREADS = 10;
const MOST = 2;
const TICKS = 20;

async function* limited(resetsAtMs: number): AsyncGenerator<ModelEvent> {
  const error = {
    message: "used up",
    codexErrorInfo: "usageLimitExceeded",
    additionalDetails: null,
    misalignment: null,
  } as const;
  yield { type: "failed", error, cause: { kind: "usageLimit", resetsAtMs } };
}

/** Advances the clock in steps until a condition holds. */
async function passUntil(clock: FakeClock, stepMs: number, isTrue: () => Promise<boolean>): Promise<void> {
  for (let step = 0; step < 2000; step += 1) {
    if (await isTrue()) return;
    clock.advance(stepMs);
    // Work that a timer has started proceeds before the next step.
    for (let turn = 0; turn < TICKS; turn += 1) await tick();
  }
  throw new Error("the condition does not hold");
}

test("waiting threads are unloaded, and continue without a client within the bound", {
  timeout: 60_000,
}, async () => {
  const folders = await createTempHome({ config: `[queue]\nmax_background_threads = ${MOST}\n` });
  onTestFinished(() => folders.remove());
  const clock = createFakeClock(Date.UTC(2026, 10, 18));
  const resetsAtMs = clock.now() + HOUR;
  const asked = { early: 0, late: 0 };
  const heddle = await createHeddle({
    continuesQueues: true,
    home: folders.home,
    cwd: folders.workspace,
    env: { HOME: folders.user, PATH: process.env["PATH"] },
    clock,
    model: ({ input }) => {
      if (!JSON.stringify(input.at(-1)).includes("queued")) return "hello";
      const isEarly = clock.now() < resetsAtMs;
      asked[isEarly ? "early" : "late"] += 1;
      return isEarly ? limited(resetsAtMs) : "done";
    },
  });
  onTestFinished(() => heddle.close());
  const client = await heddle.connect({ capabilities: { experimentalApi: true } });
  const ids: string[] = [];
  const notBefore = clock.now() / 1000 + 120;
  for (let nth = 0; nth < THREADS; nth += 1) {
    const thread = await client.startThread();
    await thread.run("hello");
    await thread.queue.add("queued", { notBefore: new Date(notBefore * 1000) });
    await thread.unsubscribe();
    ids.push(thread.id);
  }
  const loaded = async () => (await client.request("thread/loaded/list", { cursor: null, limit: null })).data;
  const read = async (threadId: string) =>
    (await client.request("thread/read", { threadId, includeTurns: true })).thread;
  let most = 0;
  const count = async (): Promise<void> => void (most = Math.max(most, (await loaded()).length));

  // Threads that a client has left stay loaded for half an hour; the queues of these are drained where they are.
  await passUntil(clock, 1000, async () => (await read(ids.at(-1) ?? "")).waiting?.reason === "usageLimit");
  await passUntil(clock, 10_000, async () => (await loaded()).length === 0);
  for (const id of ids) expect((await read(id)).waiting).toMatchObject({ reason: "usageLimit", attempt: 1 });
  expect(asked).toEqual({ early: THREADS, late: 0 });

  await passUntil(clock, 60_000, async () => clock.now() >= resetsAtMs - 60_000);
  expect(await loaded()).toEqual([]);
  await passUntil(clock, 500, async () => {
    await count();
    const threads = await Promise.all(ids.map(read));
    return threads.every(({ turns }) => turns.at(-1)?.status === "completed" && turns.length === 2);
  });
  expect(asked).toEqual({ early: THREADS, late: THREADS });
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(MOST);
});
