/** Sums of tokens and their cost by day, folder and model. */

import { refusal } from "../../base/refusal.ts";
import { createDayStarts, isDay, isTimeZone, nextDay } from "../../base/time-zone.ts";
import type { UsageGroup, UsageSummaryResponse, UsageSums } from "../../protocol/generated/types.ts";
import {
  type Activity,
  MAX_USAGE_DAYS,
  SLOT_MS,
  type SlotRange,
  type SpentSum,
} from "../../store/activity.ts";
import type { ThreadRefusal } from "../configuration/thread-refusal.ts";
import { costOf, type Prices } from "./cost.ts";

export interface UsageQuery {
  /** Days, both inclusive. */
  readonly from: string;
  readonly to: string;
  readonly groupBy: ReadonlySet<"day" | "folder" | "model">;
  readonly timeZone: string;
  /** The owner of the counted threads; null for all threads. */
  readonly owner: string | null;
}

const MAX_GROUPS = 5000;

export async function summarizeUsage(
  activity: Pick<Activity, "spent" | "spenders">,
  query: UsageQuery,
  prices: Prices,
): Promise<Omit<UsageSummaryResponse, "pending"> | ThreadRefusal> {
  const days = daysOf(query);
  if (!Array.isArray(days)) return days as ThreadRefusal;
  const whole = { from: days[0]?.slots.from ?? 0, to: days.at(-1)?.slots.to ?? 0 };
  const ranges = query.groupBy.has("day") ? days : [{ day: null, slots: whole }];
  const data: UsageGroup[] = [];
  for (const { day, slots } of ranges)
    data.push(...(await groupsOf(activity, { day, slots }, query, prices)));
  const none = { ...query, groupBy: new Set<never>() };
  const [total] = await groupsOf(activity, { day: null, slots: whole }, none, prices);
  const { day: _day, folder: _folder, model: _model, ...sums } = total ?? { ...NOTHING, ...NO_KEYS };
  return { data: data.slice(0, MAX_GROUPS), total: sums, isCut: data.length > MAX_GROUPS };
}

interface Day {
  readonly day: string;
  readonly slots: SlotRange;
}

function daysOf({ from, to, timeZone }: UsageQuery): readonly Day[] | ThreadRefusal {
  for (const day of [from, to])
    if (!isDay(day)) return refusal("invalidRequest", `not a day, as 2026-11-30: ${day.slice(0, 40)}`);
  if (!isTimeZone(timeZone))
    return refusal("invalidRequest", `unknown time zone: name one of the IANA database, as Europe/Berlin`);
  if (to < from) return refusal("invalidRequest", "`to` is before `from`");
  const startOf = createDayStarts(timeZone);
  const days: Day[] = [];
  let start = startOf(from);
  for (let day = from; day <= to; day = nextDay(day)) {
    if (days.length === MAX_USAGE_DAYS)
      return refusal("invalidRequest", `a summary has at most ${MAX_USAGE_DAYS} days`);
    const end = startOf(nextDay(day));
    days.push({ day, slots: { from: toSlot(start), to: toSlot(end) } });
    start = end;
  }
  return days;
}

function toSlot(ms: number): number {
  return Math.max(0, Math.floor(ms / SLOT_MS));
}

const NO_KEYS = { day: null, folder: null, model: null };
const NOTHING: UsageSums = {
  turns: 0,
  threads: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
  totalTokens: 0,
  cost: 0,
};

/** The groups of one range, most tokens first. */
async function groupsOf(
  activity: Pick<Activity, "spent" | "spenders">,
  { day, slots }: { readonly day: string | null; readonly slots: SlotRange },
  { groupBy, owner }: UsageQuery,
  prices: Prices,
): Promise<UsageGroup[]> {
  const by = { folder: groupBy.has("folder"), model: groupBy.has("model") };
  const groups = new Map<string, UsageGroup>();
  // Costs differ by model, so sums are always read by model.
  for (const sum of await activity.spent(slots, by, owner)) {
    const model = by.model ? sum.model : null;
    const key = JSON.stringify([sum.folder, model]);
    const before = groups.get(key) ?? { ...NOTHING, day, folder: sum.folder, model };
    groups.set(key, add(before, sum, costOf(sum.model, sum, prices)));
  }
  for (const { folder, model, threads } of await activity.spenders(slots, by, owner)) {
    const group = groups.get(JSON.stringify([folder, model]));
    if (group !== undefined) groups.set(JSON.stringify([folder, model]), { ...group, threads });
  }
  return [...groups.values()].sort((one, other) => other.totalTokens - one.totalTokens);
}

function add(group: UsageGroup, sum: SpentSum, cost: number | null): UsageGroup {
  return {
    ...group,
    turns: group.turns + sum.turns,
    inputTokens: group.inputTokens + sum.inputTokens,
    cachedInputTokens: group.cachedInputTokens + sum.cachedInputTokens,
    outputTokens: group.outputTokens + sum.outputTokens,
    reasoningOutputTokens: group.reasoningOutputTokens + sum.reasoningOutputTokens,
    totalTokens: group.totalTokens + sum.totalTokens,
    cost: group.cost === null || cost === null ? null : group.cost + cost,
  };
}
