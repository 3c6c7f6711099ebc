import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../base/fake-clock.fixture.ts";
import { silentLogger } from "../base/logger.ts";
import { createDeferred, type Deferred } from "../base/tasks.ts";
import { createMemory, createMemoryStore } from "../store/memory/memory-store.ts";
import { newRow, ROOMY } from "../store/queue-row.fixture.ts";
import { createBackgroundQueues, MAX_LOADING, RETRY_MS } from "./background-queues.ts";
import type { ThreadService } from "./thread-service.ts";

/** More threads than any test has. */
const MANY = 100;

type Loaded = Awaited<ReturnType<ThreadService["load"]>>;

/** Servers on one memory; loading a thread waits until it is let, and takes its lease. */
function openHome() {
  const clock = createFakeClock(Date.UTC(2026, 10, 18));
  const memory = createMemory();
  const { queue } = createMemoryStore(memory, { clock, owner: "command line" });

  function openServer(owner: string) {
    const store = createMemoryStore(memory, { clock, owner });
    const loaded = new Map<string, () => Promise<void>>();
    const loads: { readonly threadId: string; readonly done: Deferred<string | null> }[] = [];
    const warnings: string[] = [];
    const asking = new Set<string>();
    let looks = 0;
    const background = createBackgroundQueues({
      queue: async () => ({
        ...store.queue,
        due() {
          looks += 1;
          return store.queue.due();
        },
      }),
      store: async () => store,
      threads: {
        async load(threadId): Promise<Loaded> {
          const done = createDeferred<string | null>();
          loads.push({ threadId, done });
          const message = await done.promise;
          if (message !== null) return { kind: "refused", reason: "invalidRequest", message };
          const lease = await store.leases.acquire(threadId, "ifFree");
          if (lease.kind === "elsewhere")
            return { kind: "refused", reason: "invalidRequest", message: "it is held elsewhere" };
          loaded.set(threadId, () => store.leases.release(lease.fence));
          return null;
        },
      },
      isLoaded: (threadId) => loaded.has(threadId),
      isAsking: (threadId) => asking.has(threadId),
      clock,
      log: {
        ...silentLogger,
        warn: (message, fields) => void warnings.push(`${message}: ${String(fields?.["reason"])}`),
      },
    });
    onTestFinished(() => background.stop());
    return {
      background,
      warnings,
      asking,
      looks: () => looks,
      started: () => loads.map(({ threadId }) => threadId),
      /** Ends the loads that have begun, with why they fail, or null. */
      async settle(message: string | null = null) {
        for (const { done } of loads) done.resolve(message);
        await settled();
      },
      async unload(threadId: string) {
        await loaded.get(threadId)?.();
        loaded.delete(threadId);
        background.unloaded(threadId);
        await settled();
      },
    };
  }

  return { clock, queue, openServer };
}

/** Everything that needs no timer has happened. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

test("threads whose queues are due are loaded, so many at a time", async () => {
  const { queue, openServer } = openHome();
  const threadIds = Array.from({ length: MAX_LOADING + 2 }, (_, at) => `t${at}`);
  for (const threadId of threadIds) await queue.add(threadId, newRow("a"), ROOMY);
  await queue.add("paused", newRow("a"), ROOMY);
  await queue.pause("paused", "why");
  const server = openServer("one");
  server.background.start(MANY);
  await settled();
  expect(server.started()).toEqual(threadIds.slice(0, MAX_LOADING));
  await server.settle();
  expect(server.started()).toEqual(threadIds);
  await server.settle();
  expect(server.background.isLoadedForQueue("t0")).toBe(true);
  server.background.joined("t0");
  expect(server.background.isLoadedForQueue("t0")).toBe(false);
});

test("one timer waits for the next time, and nothing is asked before", async () => {
  const { clock, queue, openServer } = openHome();
  await queue.add("soon", newRow("a", { notBeforeMs: clock.now() + 30_000 }), ROOMY);
  await queue.add("later", newRow("a", { notBeforeMs: clock.now() + 7_200_000 }), ROOMY);
  const server = openServer("one");
  server.background.start(MANY);
  await settled();
  const looks = server.looks();
  clock.advance(29_999);
  await settled();
  expect([server.looks(), server.started()]).toEqual([looks, []]);
  clock.advance(1);
  await settled();
  expect(server.started()).toEqual(["soon"]);
  await server.settle();
  for (let minute = 0; minute < 119; minute += 1) {
    clock.advance(60_000);
    await settled();
  }
  expect(server.started()).toEqual(["soon"]);
  clock.advance(60_000);
  await settled();
  expect(server.started()).toEqual(["soon", "later"]);
});

test("a row that is added later, to a thread that is not loaded, is seen", async () => {
  const { queue, openServer } = openHome();
  const { background, started } = openServer("one");
  background.start(MANY);
  await settled();
  await queue.add("t", newRow("a"), ROOMY);
  background.check();
  background.check();
  await settled();
  expect(started()).toEqual(["t"]);
});

test("of two servers one has the thread, and the other tries again when it is free", async () => {
  const { clock, queue, openServer } = openHome();
  await queue.add("t", newRow("a"), ROOMY);
  const [one, other] = [openServer("one"), openServer("other")];
  for (const { background } of [one, other]) background.start(MANY);
  await settled();
  for (const server of [one, other]) await server.settle();
  expect([one.background.isLoadedForQueue("t"), other.background.isLoadedForQueue("t")]).toEqual([
    true,
    false,
  ]);
  for (let round = 0; round < 5; round += 1) {
    clock.advance(RETRY_MS);
    await settled();
  }
  expect(other.started()).toEqual(["t"]);
  one.background.turnStarted("t");
  await one.background.stop();
  await one.unload("t");
  clock.advance(RETRY_MS);
  await settled();
  await other.settle();
  expect(other.background.isLoadedForQueue("t")).toBe(true);
  expect([one.warnings, other.warnings]).toEqual([[], []]);
});

test("a thread that cannot be loaded is tried again, ever more rarely, and said once", async () => {
  const { clock, queue, openServer } = openHome();
  await queue.add("t", newRow("a"), ROOMY);
  const server = openServer("one");
  server.background.start(MANY);
  for (const wait of [0, RETRY_MS, 2 * RETRY_MS, 4 * RETRY_MS]) {
    clock.advance(wait);
    await settled();
    await server.settle("no such model");
  }
  expect(server.started().length).toBe(4);
  const warning = "queued turns of a thread cannot be started and will be retried: no such model";
  expect(server.warnings).toEqual([warning]);
  await queue.remove("t", "a");
  clock.advance(3_600_000);
  await settled();
  expect(server.started().length).toBe(4);
});

test("a thread in which nothing could be started is not loaded again at once", async () => {
  const { clock, queue, openServer } = openHome();
  await queue.add("t", newRow("a"), ROOMY);
  const server = openServer("one");
  server.background.start(MANY);
  await settled();
  await server.settle();
  await server.unload("t");
  expect(server.started()).toEqual(["t"]);
  clock.advance(RETRY_MS);
  await settled();
  expect(server.started()).toEqual(["t", "t"]);
  await server.settle();
  server.background.turnStarted("t");
  await server.unload("t");
  expect(server.started()).toEqual(["t", "t", "t"]);
});

test("others know of a server that attends, for as long as it does", async () => {
  const { clock, queue, openServer } = openHome();
  const { background } = openServer("one");
  background.start(MANY);
  await settled();
  for (let minute = 0; minute < 5; minute += 1) {
    clock.advance(60_000);
    await settled();
    expect(await queue.isAttended()).toBe(true);
  }
  await background.stop();
  expect([await queue.isAttended(), background.isOn()]).toEqual([false, false]);
  await queue.add("t", newRow("a"), ROOMY);
  background.check();
  clock.advance(3_600_000);
  await settled();
  expect(await queue.isAttended()).toBe(false);
});

test("no more threads are loaded than may be at a time, those due the longest first", async () => {
  const { clock, queue, openServer } = openHome();
  for (const threadId of ["a", "b", "c", "d"]) {
    await queue.add(threadId, newRow(threadId, { notBeforeMs: clock.now() }), ROOMY);
    clock.advance(1);
  }
  const server = openServer("server");
  server.background.start(2);
  await settled();
  expect(server.started()).toEqual(["a", "b"]);
  await server.settle();
  expect([server.started(), server.background.isFull()]).toEqual([["a", "b"], true]);
  server.background.turnStarted("a");
  await queue.remove("a", "a");
  await server.unload("a");
  expect(server.started()).toEqual(["a", "b", "c"]);
  await server.settle();
  // A turn that waits for an answer makes room, and so does a client that takes a thread over.
  server.asking.add("b");
  server.background.check();
  await settled();
  expect([server.started(), server.background.isFull()]).toEqual([["a", "b", "c", "d"], false]);
});
