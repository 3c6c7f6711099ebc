import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLogger } from "../base/logger.ts";
import { createDeferred } from "../base/tasks.ts";
import { exits, type FakeHook, fakeHooks } from "../hooks/hooks.fixture.ts";
import type { HandlerResult } from "../hooks/outcome.ts";
import { createEngine, type Engine } from "./engine.ts";
import { NO_FOLLOWERS } from "./history/durable-events.ts";

const FULL = { next: () => null, close: () => Promise.reject(new Error("a full disk")) };

/** An engine with one thread, whose journal fails to close unless another one is given. */
function open({ journal = FULL, hooks = [] }: { journal?: object | null; hooks?: readonly FakeHook[] } = {}) {
  const heard: string[] = [];
  const engine = createEngine({
    followers: NO_FOLLOWERS,
    emit: (_threadId, method) => void heard.push(method),
    clock: systemClock,
    createId: () => "id",
    createRevision: () => "revision",
    clients: { open: () => ({ id: 0, answer: new Promise(() => {}), withdraw() {} }) },
    log: { ...silentLogger, error: (message) => void heard.push(message) },
  });
  engine.onEvent((_threadId, { type }) => {
    if (type === "unloaded") heard.push(type);
  });
  const options = {
    id: "t",
    journal,
    hooks: fakeHooks(hooks),
    transcriptPath: () => null,
    firstSetup: {},
    settings: {},
    resumed: null,
  };
  engine.start(options as unknown as Parameters<Engine["start"]>[0]);
  return { engine, heard };
}

test("a thread whose file cannot be let go is unloaded, and the log says why", async () => {
  const { engine, heard } = open();
  engine.unload("t");
  await expect.poll(() => heard).toContain("closing a thread failed");
  expect(heard.slice(0, 3)).toEqual(["thread/status/changed", "thread/closed", "unloaded"]);
  expect(engine.loaded()).toEqual([]);
});

test("everyone hears that a thread is closed when the hooks of its end have ended", async () => {
  const ended = createDeferred<HandlerResult>();
  const { engine, heard } = open({
    journal: null,
    hooks: [{ event: "SessionEnd", run: () => ended.promise }],
  });
  engine.unload("t");
  await expect.poll(() => heard).toEqual(["hook/started"]);
  const closed = engine.whenClosed("t").then(() => heard.push("free"));
  ended.resolve(exits(0));
  await closed;
  expect(heard).toEqual([
    "hook/started",
    "hook/completed",
    "thread/status/changed",
    "thread/closed",
    "unloaded",
    "free",
  ]);
});

test("whoever releases such a thread hears of it, and everyone that it is not loaded", async () => {
  const { engine, heard } = open();
  await expect(engine.release("t")).rejects.toThrow("a full disk");
  expect(heard).toEqual(["thread/status/changed", "unloaded"]);
});
