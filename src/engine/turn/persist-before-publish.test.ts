/** Notifications are sent after their lines are persisted, and in the order of the lines. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDeferred } from "../../base/tasks.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { openWritable } from "../../store/files/rollout/writable-file.ts";
import { RolloutWriter } from "../../store/files/rollout/writer.ts";
import type { Journal } from "../../store/journal.ts";
import type { LineBody } from "../../store/lines/line.ts";
import type { PlainTool as Tool } from "../../tools/plain-tool.fixture.ts";
import { createTestJournal } from "../history/journal.fixture.ts";
import {
  callEvent,
  completed,
  createScriptedModel,
  messageEvents,
  type Script,
} from "../scripted-model.fixture.ts";
import { startThread } from "../thread.fixture.ts";

const SLOW_MS = 200;

/** A journal with slow writes: one turn of the event loop, or the delay of a bad disk. */
function slowJournal({ delayMs = 0 } = {}) {
  const kept: LineBody[] = [];
  let asked = 0;
  const journal = createTestJournal({
    async append(bodies) {
      asked += bodies.length;
      await new Promise<void>((resolve) => {
        if (delayMs === 0) setImmediate(resolve);
        else setTimeout(resolve, delayMs);
      });
      kept.push(...bodies);
      return { kind: "kept", firstSeq: 0 };
    },
  });
  return { journal, kept, isWaiting: () => kept.length < asked };
}

test("a thread that is taken over while it accepts a turn refuses the turn and is let go", async () => {
  const fenced = { kind: "fenced", reason: "takenOver", message: "another program has taken over" } as const;
  const journal = { ...slowJournal().journal, append: async () => fenced };
  const lost = createDeferred<void>();
  const { begin, thread } = startThread([], [], { journal, onTakenOver: () => lost.resolve() });
  await expect(begin("Go")).rejects.toThrow("another program has taken over");
  await lost.promise;
  expect(thread.activeTurnId).toBeNull();
});

test("settings are kept once before the first turn, and one that cannot be kept is refused", async () => {
  const { journal, kept } = slowJournal();
  const { thread, begin } = startThread([[...messageEvents("m", "Done"), completed]], [], { journal });
  await thread.persistSettings();
  await thread.persistSettings();
  await begin("Go");
  await thread.whenIdle();
  const settings = kept.filter(({ payload }) => payload["type"] === "thread_settings_applied");
  expect(settings).toHaveLength(1);
  const full = { kind: "unavailable", reason: "noSpace", message: "the disk is full" } as const;
  const other = startThread([], [], { journal: { ...slowJournal().journal, append: async () => full } });
  await expect(other.thread.persistSettings()).rejects.toThrow("the disk is full");
});

function open(run: Tool["run"], file = slowJournal()) {
  const scripts: readonly Script[] = [
    [callEvent("c", "work", {}), completed],
    [...messageEvents("m", "Done"), completed],
  ];
  const model = createScriptedModel(scripts);
  const early: boolean[] = [];
  const watched = {
    ...model,
    stream(...call: Parameters<typeof model.stream>) {
      early.push(file.isWaiting());
      return model.stream(...call);
    },
  };
  const tool: Tool = { name: "work", spec: { type: "function", name: "work" }, parallel: false, run };
  const world = startThread([], [tool], { journal: file.journal, setup: { model: watched } });
  return { ...world, kept: file.kept, early };
}

test("the model is asked when all that it is told is in the file", async () => {
  const { begin, thread, early } = open(async () => ({ output: "worked", success: true }));
  await begin("Go");
  await thread.whenIdle();
  expect(early).toEqual([false, false]);
});

test("words that are said in the middle stand where they were heard", async () => {
  const world = open(async () => {
    (await world.thread.steer(world.say("Meanwhile"))).begin();
    return { output: "worked", success: true };
  });
  await world.begin("Go");
  await world.thread.whenIdle();
  const lines = world.kept.map((body) => JSON.stringify(body));
  const last = (type: string, text: string) =>
    lines.findLastIndex((line) => line.includes(`"${type}"`) && line.includes(text));
  expect(last("item_completed", "Meanwhile")).toBeGreaterThan(last("function_call_output", "worked"));
  expect(last("item_completed", "Meanwhile")).toBeLessThan(last("item_completed", "Done"));
});

test("what is said while the end of a turn is being kept stands before what is said next", async () => {
  const file = slowJournal();
  let addLate = (): void => {};
  const { append } = file.journal;
  const journal: Journal = {
    ...file.journal,
    append(bodies) {
      if (bodies.some(isEnd)) addLate();
      return append(bodies);
    },
  };
  const world = open(
    async () => {
      addLate = (await world.thread.steer(world.say("Late"))).begin;
      return { output: "worked", success: true };
    },
    { ...file, journal },
  );
  await world.begin("Go");
  await world.thread.whenIdle();
  const said = (text: string): ResponseItem => ({
    type: "message",
    role: "user",
    content: [{ type: "input_text", text }],
  });
  await world.thread.inject([said("Next")]);
  // The response follows everything that was appended before.
  await world.thread.inject([said("Last")]);
  const heard = file.kept
    .filter(({ type }) => type === "response_item")
    .map(({ payload }) => JSON.stringify(payload));
  const place = (text: string) => heard.findIndex((line) => line.includes(text));
  expect(place("Late")).toBeGreaterThan(place("Done"));
  expect(place("Next")).toBeGreaterThan(place("Late"));
});

/** Whether the line of each item was in the file when its notifications were sent. */
async function showing(delayMs: number) {
  const file = slowJournal({ delayMs });
  const world = open(async (_call, { items }) => {
    items.begin({ type: "contextCompaction", id: "x" });
    items.outputDelta("x", "piece");
    items.complete({ type: "contextCompaction", id: "x" });
    return { output: "worked", success: true };
  }, file);
  const early: string[] = [];
  const isKept = (id: string) => file.kept.some((body) => JSON.stringify(body).includes(`"id":"${id}"`));
  world.onEvent(({ method, params }) => {
    const { item } = params as { item?: { id: string; type: string } };
    if (method === "item/completed" && item !== undefined && !isKept(item.id)) early.push(item.type);
    if (method === "turn/completed" && !file.kept.some(isEnd)) early.push(method);
  });
  await world.begin("Go");
  await world.thread.whenIdle();
  return { ...world, early };
}

test("with fsync, what is shown as finished is on a disk that takes its time", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-kept-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "rollout.jsonl");
  let synced = "";
  const writer = new RolloutWriter({
    path,
    clock: { now: () => 0 },
    durability: "fsync",
    async openFile(file) {
      const opened = await openWritable(file);
      return {
        ...opened,
        async datasync() {
          await new Promise((resolve) => void setTimeout(resolve, SLOW_MS));
          await opened.datasync();
          synced = readFileSync(path, "utf8");
        },
      };
    },
  });
  onTestFinished(() => writer.close());
  const journal: Journal = {
    ...slowJournal().journal,
    async append(bodies) {
      const outcome = await writer.append(bodies);
      return outcome.kind === "written" ? { kind: "kept", firstSeq: 0 } : outcome;
    },
  };
  const { thread, begin, onEvent, events } = startThread([[...messageEvents("m", "Done"), completed]], [], {
    journal,
  });
  const early: string[] = [];
  onEvent(({ method, params }) => {
    const { item } = params as { item?: { id: string } };
    if (method === "item/completed" && !synced.includes(`"id":"${item?.id}"`)) early.push(item?.id ?? "");
    if (method === "turn/completed" && !synced.includes("task_complete")) early.push(method);
  });
  await begin("Go");
  await thread.whenIdle();
  expect([early, events.at(-1)]).toEqual([[], "turn/completed completed"]);
});

const isEnd = ({ payload }: LineBody) => (payload as { type?: string }).type === "task_complete";

test.each([0, SLOW_MS])(
  "what is shown as finished is in the file, which takes %i ms a line",
  async (delayMs) => {
    const { early, events } = await showing(delayMs);
    expect(early).toEqual([]);
    expect(events).toEqual([
      "thread/status/changed active",
      "turn/started inProgress",
      "item/started userMessage Go",
      "item/completed userMessage Go",
      "item/started contextCompaction",
      "item/commandExecution/outputDelta piece",
      "item/completed contextCompaction",
      "thread/tokenUsage/updated",
      "account/rateLimits/updated",
      "item/started agentMessage",
      "item/agentMessage/delta Done",
      "item/completed agentMessage Done",
      "thread/tokenUsage/updated",
      "account/rateLimits/updated",
      "thread/readState/changed",
      "thread/status/changed idle",
      "turn/completed completed",
    ]);
  },
);
