/** Appends that fail: lost items are not shown as completed, and the thread stays usable. */
import { expect, test } from "vitest";
import { createDeferred } from "../../base/tasks.ts";
import type { AppendFailure, DeferredTurnEnd } from "../../store/journal.ts";
import type { LineBody } from "../../store/lines/line.ts";
import type { PlainTool as Tool } from "../../tools/plain-tool.fixture.ts";
import { createTestJournal } from "../history/journal.fixture.ts";
import { callEvent, completed, messageEvents, type Script } from "../scripted-model.fixture.ts";
import { startThread } from "../thread.fixture.ts";

const FULL: AppendFailure = {
  kind: "unavailable",
  reason: "noSpace",
  message: "cannot write history to /rollout.jsonl: No space left on device (os error 28)",
};
const ERROR = `the history of this turn could not be written: ${FULL.message}: free space and try again`;

/** A disk that is full from a chosen moment, or that has room for a number of lines. */
function smallJournal() {
  let onFull = () => {};
  const kept: LineBody[] = [];
  const deferred: DeferredTurnEnd[] = [];
  let room = Number.POSITIVE_INFINITY;
  let failures = 0;
  const journal = createTestJournal({
    async append(bodies) {
      const known = failures;
      await new Promise<void>((resolve) => void setImmediate(resolve));
      if (failures > known) return FULL;
      if (bodies.length > room) {
        failures += 1;
        onFull();
        return FULL;
      }
      room -= bodies.length;
      kept.push(...deferred.splice(0).map(({ line }) => line), ...bodies);
      return { kind: "kept", firstSeq: 0 };
    },
    deferTurnEnd: (end) => deferred.push(end),
  });
  const leave = (lines: number) => {
    room = lines;
  };
  return {
    journal,
    kept,
    deferred,
    leave,
    freeSpace: () => leave(Number.POSITIVE_INFINITY),
    /** Called when the first of some lines is refused. */
    onFull(heard: () => void) {
      onFull = heard;
    },
  };
}

const ANSWER: Script = [...messageEvents("m", "Done"), completed];
const typesOf = (lines: readonly LineBody[]) =>
  lines.map(({ type, payload }) => (type === "event_msg" ? (payload as { type: string }).type : type));

interface Ended {
  readonly turn: { readonly status: string; readonly error: { readonly message: string } | null };
}

function open(scripts: readonly Script[], run: Tool["run"]) {
  const disk = smallJournal();
  const tool: Tool = { name: "work", spec: { type: "function", name: "work" }, parallel: true, run };
  const world = startThread(scripts, [tool], { journal: disk.journal });
  const ends = () =>
    world.seen.flatMap(({ method, params }) => {
      const { turn } = params as Ended;
      return method === "turn/completed" ? [[turn.status, turn.error?.message ?? null]] : [];
    });
  const completedItems = () =>
    world.seen.flatMap(({ method, params }) =>
      method === "item/completed" ? [(params as { item: { id: string } }).item.id] : [],
    );
  return { ...world, disk, ends, completedItems };
}

test("a turn whose lines are lost ends failed, says why, and what it ran is ended", async () => {
  const scripts = [[callEvent("c", "work", {}), callEvent("d", "work", {}), completed], ANSWER, ANSWER];
  const ended = createDeferred<void>();
  const world = open(scripts, async ({ callId }, { items, signal }) => {
    items.begin({ type: "contextCompaction", id: callId });
    if (callId === "c") {
      // The second tool still runs when the disk is found to be full.
      world.disk.leave(0);
      items.complete({ type: "contextCompaction", id: callId });
      return { output: "worked", success: true };
    }
    signal.addEventListener("abort", () => ended.resolve());
    await ended.promise;
    items.complete({ type: "contextCompaction", id: callId });
    return { output: "ended", success: false };
  });
  await world.begin("Go");
  await world.thread.whenIdle();
  expect(world.ends()).toEqual([["failed", ERROR]]);
  expect(world.completedItems()).not.toContain("c");
  expect(world.completedItems()).not.toContain("d");
  expect(world.model.requests).toHaveLength(1);
  expect(world.disk.deferred.map(({ error }) => error?.message)).toEqual([ERROR]);
  await expect(world.begin("Still full")).rejects.toThrow("No space left");
  world.disk.freeSpace();
  await world.begin("Again");
  await world.thread.whenIdle();
  expect(world.ends().at(-1)).toEqual(["completed", null]);
  const lines = typesOf(world.disk.kept);
  const end = lines.indexOf("task_complete");
  expect([lines.filter((type) => type === "task_started").length, lines[end + 1]]).toEqual([
    2,
    "task_started",
  ]);
});

test("a turn whose last lines do not fit was not completed", async () => {
  const world = open([ANSWER, ANSWER], async () => ({ output: "", success: true }));
  world.onEvent(({ method }) => {
    // The answer is in the file by then.
    if (method === "item/completed") world.disk.leave(0);
  });
  await world.begin("Go");
  await world.thread.whenIdle();
  expect(world.ends()).toEqual([["failed", ERROR]]);
});

test("where only the end fits, the file says that the turn has failed", async () => {
  const world = open([ANSWER], async () => ({ output: "", success: true }));
  world.onEvent(({ method }) => {
    if (method === "item/agentMessage/delta") world.disk.leave(0);
  });
  world.disk.onFull(() => world.disk.leave(1));
  await world.begin("Go");
  await world.thread.whenIdle();
  expect(world.ends()).toEqual([["failed", ERROR]]);
  expect([typesOf(world.disk.kept).at(-1), world.disk.deferred]).toEqual(["task_complete", []]);
});

test("words that were accepted are shown although nothing more can be written", async () => {
  const world = open([[callEvent("c", "work", {}), completed]], async (_call, { signal, items }) => {
    (await world.thread.steer(world.say("Meanwhile"))).begin();
    world.disk.leave(0);
    items.complete({ type: "contextCompaction", id: "x" });
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    await expect(world.thread.steer(world.say("Too late"))).rejects.toThrow("No space left");
    return { output: "ended", success: false };
  });
  await world.begin("Go");
  await world.thread.whenIdle();
  expect(world.events.filter((event) => event.startsWith("item/completed userMessage"))).toEqual([
    "item/completed userMessage Go",
    "item/completed userMessage Meanwhile",
  ]);
  expect(world.ends()).toEqual([["failed", ERROR]]);
});

test("settings that cannot be kept are refused, and stay as they were", async () => {
  const world = open([ANSWER], async () => ({ output: "", success: true }));
  await world.begin("Go");
  await world.thread.whenIdle();
  world.disk.leave(0);
  await expect(world.thread.changeSettings({ effort: "high" })).rejects.toThrow("No space left");
  expect(world.thread.settings.effort).toBeNull();
  world.disk.freeSpace();
  (await world.thread.changeSettings({ effort: "high" })).begin();
  expect([world.thread.settings.effort, world.events.at(-1)]).toEqual(["high", "thread/settings/updated"]);
});
