import { describe, expect, test } from "vitest";
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import { type Activity, SLOT_MS } from "../activity.ts";
import type { Journal } from "../journal.ts";
import type { LineBody } from "../lines/line.ts";
import { completed, started } from "../lines/lines.fixture.ts";
import { accepted, type CreateHarness, opened } from "./store-harness.fixture.ts";

const usage = (total: number) => ({
  input_tokens: total - 2,
  cached_input_tokens: 1,
  output_tokens: 2,
  reasoning_output_tokens: 1,
  total_tokens: total,
});

const spend = (last: number, total: number): LineBody => ({
  type: "event_msg",
  payload: {
    type: "token_count",
    info: { total_token_usage: usage(total), last_token_usage: usage(last), model_context_window: null },
  },
});

const context = (turnId: string, cwd: string, model: string): LineBody => ({
  type: "turn_context",
  payload: { turn_id: turnId, cwd, model, approval_policy: "never", sandbox_policy: {}, summary: "auto" },
});

const hookRun = (id: string, startedAt: number, more: Partial<HookRunSummary> = {}): HookRunSummary => ({
  id,
  runId: `${id} ${startedAt}`,
  eventName: "preToolUse",
  handlerType: "command",
  executionMode: "sync",
  scope: "turn",
  sourcePath: "/hooks.json",
  source: "user",
  displayOrder: 0,
  status: "completed",
  statusMessage: null,
  startedAt,
  completedAt: startedAt,
  durationMs: 5,
  entries: [],
  ...more,
});

const ran = (turnId: string, run: HookRunSummary): LineBody => ({
  type: "world_state",
  payload: { full: false, state: {}, heddle_hook_run: { turn_id: turnId, run: { ...run } } },
});

interface TurnFacts {
  readonly cwd?: string;
  readonly model?: string;
  readonly total?: number;
}

/** A turn with one response of ten tokens, whose usage is repeated with new rate limits. */
async function writeTurn(journal: Journal, turnId: string, facts: TurnFacts = {}): Promise<void> {
  const { cwd = "/repo", model = "m", total = 10 } = facts;
  const lines = [started(turnId), context(turnId, cwd, model), spend(10, total), spend(10, total)];
  const outcome = await journal.append([...lines, completed(turnId, "ok")]);
  if (outcome.kind !== "kept") throw new Error(outcome.message);
}

const EVER = { from: 0, to: Number.MAX_SAFE_INTEGER };
const BY_FOLDER = { folder: true };

async function counted({ catchUp, spent }: Activity, by = BY_FOLDER) {
  while ((await catchUp(50)).pending > 0);
  const sums = await spent(EVER, by);
  return sums
    .map(({ folder, model, turns, totalTokens }) => ({ folder, model, turns, totalTokens }))
    .sort((one, other) => one.totalTokens - other.totalTokens);
}

export function activityContract(createHarness: CreateHarness): void {
  describe("activity", () => {
    test("is counted once, by folder and model, however often it is caught up with", async () => {
      const harness = createHarness();
      const store = await harness.open();
      const journal = store.threads.create(harness.origin());
      await writeTurn(journal, "t1");
      await writeTurn(journal, "t2", { total: 20 });
      await writeTurn(journal, "t3", { total: 30, cwd: "/other", model: "big" });
      const expected = [
        { folder: "/other", model: "big", turns: 1, totalTokens: 10 },
        { folder: "/repo", model: "m", turns: 2, totalTokens: 20 },
      ];
      expect(await counted(store.activity)).toEqual(expected);
      expect(await counted(store.activity)).toEqual(expected);
      expect(await counted((await harness.open()).activity)).toEqual(expected);
      expect((await store.activity.spent(EVER, { folder: false }))[0]).toMatchObject({ folder: null });
      expect((await store.activity.spent(EVER, BY_FOLDER)).find(({ model }) => model === "m")).toEqual({
        folder: "/repo",
        model: "m",
        turns: 2,
        inputTokens: 16,
        cachedInputTokens: 2,
        cacheWriteInputTokens: 0,
        outputTokens: 4,
        reasoningOutputTokens: 2,
        totalTokens: 20,
      });
      await writeTurn(journal, "t4", { total: 40 });
      expect(await counted(store.activity)).toContainEqual({ ...expected[1], turns: 3, totalTokens: 30 });
      expect(await store.activity.spenders(EVER, { folder: false, model: false })).toEqual([
        { folder: null, model: null, threads: 1 },
      ]);
    });

    test("belongs to the quarter of an hour in which it happened", async () => {
      const harness = createHarness();
      const store = await harness.open();
      const journal = store.threads.create(harness.origin());
      const slot = Math.floor(harness.now() / SLOT_MS);
      await writeTurn(journal, "t1");
      harness.advance(2 * SLOT_MS);
      await writeTurn(journal, "t2", { total: 20 });
      await counted(store.activity);
      const turnsIn = async (from: number, to: number) =>
        (await store.activity.spent({ from, to }, BY_FOLDER)).map(({ turns }) => turns);
      expect(await turnsIn(slot, slot + 1)).toEqual([1]);
      expect(await turnsIn(slot + 1, slot + 2)).toEqual([]);
      expect(await turnsIn(slot + 2, slot + 3)).toEqual([1]);
      expect(await turnsIn(slot, slot + 3)).toEqual([2]);
    });

    test("is not counted again by a fork, and stays after a revert and after the end of its thread", async () => {
      const harness = createHarness();
      const store = await harness.open();
      const journal = store.threads.create(harness.origin());
      await writeTurn(journal, "t1");
      await writeTurn(journal, "t2", { total: 20 });
      const fork = accepted(
        await store.threads.fork(journal.threadId, { kind: "whole" }, harness.origin()),
      ).journal;
      await writeTurn(fork, "t3", { total: 30 });
      await fork.close();
      expect(await counted(store.activity)).toMatchObject([{ turns: 3, totalTokens: 30 }]);
      await journal.close();
      accepted(await store.threads.revert(journal.threadId, "t2"));
      const again = await opened(store.threads, journal.threadId);
      await writeTurn(again, "t4", { total: 20 });
      await again.close();
      expect(await counted(store.activity)).toMatchObject([{ turns: 4, totalTokens: 40 }]);
      await store.threads.delete(fork.threadId);
      expect(await counted(store.activity)).toMatchObject([{ turns: 4, totalTokens: 40 }]);
    });

    test("can be that of the threads of one owner", async () => {
      const harness = createHarness();
      const store = await harness.open();
      const begin = (owner: string | null) => store.threads.create({ ...harness.origin(), owner });
      const [ana, ben, nobody] = [begin("ana"), begin("ben"), begin(null)];
      for (const [at, journal] of [ana, ben, nobody, ben].entries())
        await writeTurn(journal, `t${at}`, { total: at === 3 ? 20 : 10 });
      await ana.append([started("h"), ran("h", hookRun("of ana", 10)), completed("h", "ok")]);
      await counted(store.activity);
      const { spent, spenders, hookRuns, hookTimings } = store.activity;
      const turnsOf = async (owner: string | null) =>
        (await spent(EVER, BY_FOLDER, owner)).map(({ turns }) => turns);
      expect([await turnsOf("ana"), await turnsOf("ben"), await turnsOf("carl")]).toEqual([[1], [2], []]);
      expect(await turnsOf(null)).toEqual([4]);
      const by = { folder: false, model: false };
      expect((await spenders(EVER, by, "ben")).map(({ threads }) => threads)).toEqual([1]);
      expect((await spenders(EVER, by)).map(({ threads }) => threads)).toEqual([3]);
      expect(await hookRuns({ owner: "ana", limit: 9 })).toHaveLength(1);
      expect(await hookRuns({ owner: "ben", limit: 9 })).toEqual([]);
      expect([(await hookTimings("ana")).length, (await hookTimings("ben")).length]).toEqual([1, 0]);
    });

    test("of hooks is listed over all threads, newest first, by each of its facts", async () => {
      const harness = createHarness();
      const store = await harness.open();
      const [one, other] = [store.threads.create(harness.origin()), store.threads.create(harness.origin())];
      const blocked = { status: "blocked", sourcePath: "/b.json", displayOrder: 2 } as const;
      await one.append([started("t1"), ran("t1", hookRun("a", 10)), ran("t1", hookRun("b", 30, blocked))]);
      await other.append([started("t2"), ran("t2", hookRun("c", 20, { eventName: "stop" }))]);
      await counted(store.activity);
      await counted(store.activity);
      const { hookRuns, hookTimings } = store.activity;
      const ids = async (query: object) => (await hookRuns({ limit: 9, ...query })).map(({ run }) => run.id);
      expect(await ids({})).toEqual(["b", "c", "a"]);
      expect(await ids({ threadId: one.threadId })).toEqual(["b", "a"]);
      expect(await ids({ status: "blocked" })).toEqual(["b"]);
      expect(await ids({ eventName: "stop" })).toEqual(["c"]);
      expect(await ids({ sourcePath: "/b.json", displayOrder: 2 })).toEqual(["b"]);
      const [first] = await hookRuns({ limit: 1 });
      expect(first).toMatchObject({ threadId: one.threadId, turnId: "t1", run: { status: "blocked" } });
      const before = { startedAt: first?.run.startedAt ?? 0, number: first?.number ?? 0 };
      expect(await ids({ before })).toEqual(["c", "a"]);
      expect(await hookTimings()).toHaveLength(3);
      expect(await hookTimings()).toContainEqual({
        eventName: "stop",
        sourcePath: "/hooks.json",
        displayOrder: 0,
        status: "completed",
        durationMs: 5,
      });
    });
  });
}
