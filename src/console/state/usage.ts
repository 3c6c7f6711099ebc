/** The tokens of a range of days, by day, by folder and by model. */
import type { Client } from "../../client/browser.ts";
import type { UsageGroup, UsageSummaryResponse } from "../../protocol/generated/types.ts";
import { daysOf } from "../text/usage-chart.ts";
import { createLoaded, type Loaded } from "./loaded.ts";
import { now } from "./server.ts";

export interface UsageFacts {
  readonly days: readonly string[];
  readonly byDay: readonly UsageGroup[];
  readonly byFolder: readonly UsageGroup[];
  readonly byModel: readonly UsageGroup[];
  readonly total: UsageSummaryResponse["total"];
  readonly isCut: boolean;
  /** Threads whose latest tokens are not counted yet. */
  readonly pending: number;
}

export const RANGES = [7, 14, 30, 90] as const;
const DEFAULT_RANGE = 14;

/** The days that the address asks for. */
export function dayCountOf(query: URLSearchParams): number {
  const days = Number(/^(\d+)d$/u.exec(query.get("range") ?? "")?.[1]);
  return RANGES.find((range) => range === days) ?? DEFAULT_RANGE;
}

export const createUsage = (range: number): Loaded<UsageFacts> =>
  createLoaded((client) => readUsage(client, daysOf(range, now.peek())));

async function readUsage(client: Client, days: readonly string[]): Promise<UsageFacts> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const from = days[0] ?? "";
  const to = days.at(-1) ?? "";
  const read = (groupBy: ("day" | "folder" | "model")[]) =>
    client.request("usage/summary", { from, to, timeZone, groupBy });
  const [byDay, byFolder, byModel] = await Promise.all([
    read(["day", "model"]),
    read(["folder"]),
    read(["model"]),
  ]);
  return {
    days,
    byDay: byDay.data,
    byFolder: byFolder.data,
    byModel: byModel.data,
    total: byModel.total,
    isCut: byDay.isCut || byFolder.isCut,
    pending: byModel.pending,
  };
}
