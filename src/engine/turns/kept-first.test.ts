/** What others are told is in the file first, and in the place where they were told it. */
import { expect, test } from "vitest";
import { createDeferred } from "../../base/deferred.ts";
import type { ThreadJournal } from "../../store/history/journal.ts";
import type { LineBody } from "../../store/rollout/line.ts";
import { noFacts } from "../../store/rollout/thread-facts.ts";
import type { Tool } from "../../tools/tool.ts";
import { calls, completed, createScriptedModel, type Script, says } from "../scripted-model.fixture.ts";
import { startThread } from "../thread.fixture.ts";

/** A file that takes its time with every write. */
function slowJournal() {
  const kept: LineBody[] = [];
  let asked = 0;
  const journal: ThreadJournal = {
    threadId: "thread",
    path: "/rollout.jsonl",
    isDurable: true,
    async append(bodies) {
      asked += bodies.length;
      await new Promise<void>((resolve) => void setImmediate(resolve));
      kept.push(...bodies);
      return { kind: "written", lines: [] };
    },
    facts: () => noFacts,
    settle: async () => {},
    close: async () => {},
  };
  return { journal, kept, isWaiting: () => kept.length < asked };
}

test("a thread that is taken over while it accepts a turn refuses the turn and is let go", async () => {
  const fault = { reason: "takenOver", message: "another program has taken over" } as const;
  const journal = { ...slowJournal().journal, append: async () => ({ kind: "failed", fault }) as const };
  const lost = createDeferred<void>();
  const { begin, thread } = startThread([], [], { journal, onLost: () => lost.resolve() });
  await expect(begin("Go")).rejects.toThrow("another program has taken over");
  await lost.promise;
  expect(thread.activeTurnId).toBeNull();
});

function open(run: Tool["run"]) {
  const file = slowJournal();
  const scripts: readonly Script[] = [[calls("c", "work", {}), completed], says("m", "Done")];
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
    (await world.thread.steer(world.say("Meanwhile")))();
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
