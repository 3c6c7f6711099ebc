/** How often each hook has run, how it ended, and how long it took. */
import type { HookRunStats } from "../../protocol/generated/types.ts";
import type { HookTiming } from "../../store/activity.ts";

export function summarizeHooks(timings: readonly HookTiming[]): HookRunStats[] {
  const byHook = new Map<string, HookTiming[]>();
  for (const each of timings) {
    const key = JSON.stringify([each.eventName, each.displayOrder, each.sourcePath]);
    const own = byHook.get(key);
    if (own === undefined) byHook.set(key, [each]);
    else own.push(each);
  }
  return [...byHook.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { eventName, sourcePath, displayOrder } = first;
    const count = (status: HookTiming["status"]): number =>
      own.filter((each) => each.status === status).length;
    const durations = own.flatMap(({ durationMs }) => (durationMs === null ? [] : [durationMs]));
    durations.sort((one, other) => one - other);
    const at = (share: number): number | null =>
      durations[Math.max(0, Math.ceil(durations.length * share) - 1)] ?? null;
    return [
      {
        eventName,
        sourcePath,
        displayOrder,
        runs: own.length,
        blocked: count("blocked"),
        failed: count("failed"),
        p50Ms: at(0.5),
        p95Ms: at(0.95),
      },
    ];
  });
}
