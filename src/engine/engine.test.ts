import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLogger } from "../base/logger.ts";
import { fakeHooks } from "../hooks/hooks.fixture.ts";
import { createEngine, type Engine } from "./engine.ts";

/** An engine with one thread, whose file cannot be let go. */
function open() {
  const heard: string[] = [];
  const engine = createEngine({
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
  const journal = { onRestored() {}, close: () => Promise.reject(new Error("a full disk")) };
  const options = { id: "t", journal, hooks: fakeHooks([]), firstSetup: {}, settings: {}, resumed: null };
  engine.start(options as unknown as Parameters<Engine["start"]>[0]);
  return { engine, heard };
}

test("a thread whose file cannot be let go is unloaded, and the log says why", async () => {
  const { engine, heard } = open();
  engine.unload("t");
  await expect.poll(() => heard).toContain("letting go of a thread failed");
  expect(heard.slice(0, 3)).toEqual(["thread/status/changed", "thread/closed", "unloaded"]);
  expect(engine.loaded()).toEqual([]);
});

test("whoever releases such a thread hears of it, and everyone that it is not loaded", async () => {
  const { engine, heard } = open();
  await expect(engine.release("t")).rejects.toThrow("a full disk");
  expect(heard).toEqual(["thread/status/changed", "unloaded"]);
});
