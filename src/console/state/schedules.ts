/** The schedules of the home, kept up to date. */
import { computed } from "@preact/signals";
import type { Client } from "../../client/browser.ts";
import type { Schedule, ScheduleListResponse } from "../../protocol/generated/types.ts";
import { createLoaded } from "./loaded.ts";
import { whenConnected } from "./server.ts";

const PAGE = 100;
const MAX_SCHEDULES = 1000;

const schedules = createLoaded(readAll);
export const { failure, reload } = schedules;
export const all = computed(() => schedules.data.value);

/** Follows until it is told to stop. */
export function follow(): () => void {
  let stopListening = () => {};
  const stop = whenConnected((client) => {
    stopListening();
    stopListening = client.on("schedule/changed", ({ scheduleId, schedule }) => put(scheduleId, schedule));
    void schedules.load(client);
  });
  return () => {
    stop();
    stopListening();
  };
}

async function readAll(client: Client): Promise<readonly Schedule[]> {
  const found: Schedule[] = [];
  let cursor: string | null = null;
  do {
    const page: ScheduleListResponse = await client.request("schedule/list", { cursor, limit: PAGE });
    found.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null && found.length < MAX_SCHEDULES);
  return found;
}

/** Null for one that was deleted. */
export function put(scheduleId: string, schedule: Schedule | null): void {
  const known = schedules.data.peek() ?? [];
  const isKnown = known.some(({ id }) => id === scheduleId);
  if (schedule === null) schedules.put(known.filter(({ id }) => id !== scheduleId));
  else if (isKnown) schedules.put(known.map((each) => (each.id === scheduleId ? schedule : each)));
  else schedules.put([...known, schedule]);
}
