import { expect, test } from "vitest";
import { isRefusal } from "../../base/refusal.ts";
import type { TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import type { SpentTokens } from "../../store/lines/activity-step.ts";
import { createMemoryActivity, emptyActivityMemory } from "../../store/memory/memory-activity.ts";
import type { Prices } from "./cost.ts";
import { summarizeUsage, type UsageQuery } from "./summarize-usage.ts";

const tokens: TokenUsageBreakdown = {
  inputTokens: 1_000_000,
  cachedInputTokens: 400_000,
  cacheWriteInputTokens: 0,
  outputTokens: 100_000,
  reasoningOutputTokens: 50_000,
  totalTokens: 1_100_000,
};

function activityOf(...entries: (Partial<SpentTokens> & { threadId?: string; at: string })[]) {
  const memory = emptyActivityMemory();
  for (const { at, threadId = "one", ...more } of entries) {
    const spent = { kind: "spent", turnId: "t", cwd: "/a", model: "m", isFirst: true, tokens } as const;
    memory.spent.push({ ...spent, atMs: Date.parse(at), ...more, threadId });
  }
  return createMemoryActivity(memory, () => null);
}

async function summarize(
  activity: ReturnType<typeof activityOf>,
  groupBy: ("day" | "folder" | "model")[],
  query: Partial<UsageQuery> = {},
  prices: Prices = {},
) {
  const whole = { from: "2026-11-18", to: "2026-11-19", timeZone: "UTC", owner: null, ...query };
  const found = await summarizeUsage(activity, { ...whole, groupBy: new Set(groupBy) }, prices);
  if (isRefusal(found)) throw new Error((found as { message: string }).message);
  return found;
}

const activity = activityOf(
  { at: "2026-11-18T23:30:00Z" },
  { at: "2026-11-19T10:00:00Z", isFirst: false },
  { at: "2026-11-19T11:00:00Z", threadId: "two", model: "big", cwd: "/b" },
);

test("days are those of the time zone", async () => {
  const perDay = async (timeZone: string) =>
    (await summarize(activity, ["day"], { timeZone })).data.map(({ day, threads, turns }) => [
      day,
      threads,
      turns,
    ]);
  expect(await perDay("UTC")).toEqual([
    ["2026-11-18", 1, 1],
    ["2026-11-19", 2, 1],
  ]);
  expect(await perDay("Europe/Berlin")).toEqual([["2026-11-19", 2, 2]]);
});

test("groups add up to the total, in which a thread counts once", async () => {
  const { data, total, isCut } = await summarize(activity, ["folder", "model"]);
  expect(data.map(({ day, folder, model, turns, threads }) => [day, folder, model, turns, threads])).toEqual([
    [null, "/a", "m", 1, 1],
    [null, "/b", "big", 1, 1],
  ]);
  expect(total).toMatchObject({ turns: 2, threads: 2, totalTokens: 3_300_000 });
  expect(isCut).toBe(false);
  expect((await summarize(activityOf(), ["day"])).total).toMatchObject({ turns: 0, threads: 0, cost: 0 });
});

test("costs follow from the prices, and are unknown where one is", async () => {
  const price = { input: 2, cached_input: 1, output: 10 };
  const byModel = await summarize(activity, ["model"], {}, { m: price });
  // Two responses: 0.6 at 2, 0.4 at 1, 0.1 at 10.
  expect(byModel.data.find(({ model }) => model === "m")?.cost).toBeCloseTo(2 * 2.6);
  expect(byModel.data.find(({ model }) => model === "big")?.cost).toBeNull();
  expect(byModel.total.cost).toBeNull();
  const all = await summarize(activity, [], {}, { m: price, big: { ...price, cached_input: null } });
  expect(all.total.cost).toBeCloseTo(2 * 2.6 + 3);
});

test.each([
  [{ from: "2026-02-30" }, "not a day"],
  [{ from: "2026-11-20" }, "`to` is before `from`"],
  [{ from: "2020-01-01" }, "at most 400 days"],
  [{ timeZone: "Mars/Base" }, "unknown time zone"],
])("%j is refused", async (query, message) => {
  await expect(summarize(activity, ["day"], query)).rejects.toThrow(message);
});
