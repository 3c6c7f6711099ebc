/** Measures how long the hooks of an event take: one by one, and all together. */
import type { HookSet } from "../configured-hook.ts";
import { type EventReport, type TriedEvent, tryEvent, type WorkbenchPorts } from "./try-event.ts";

export interface Timing {
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly failures: number;
}

export interface HookTimings {
  /** Keyed by hook, run one after the other. */
  readonly each: ReadonlyMap<string, Timing>;
  /** All hooks of the event concurrently, as the agent loop runs them. */
  readonly together: Timing;
}

export async function timeHooks(
  set: HookSet,
  tried: TriedEvent,
  runs: number,
  ports: WorkbenchPorts,
): Promise<HookTimings> {
  const each = new Map<string, Timing>();
  const { runs: first } = await tryEvent(set, tried, ports);
  for (const { hook } of first) each.set(hook.key, await time({ ...set, hooks: [hook] }, tried, runs, ports));
  return { each, together: await time(set, tried, runs, ports) };
}

async function time(set: HookSet, tried: TriedEvent, count: number, ports: WorkbenchPorts): Promise<Timing> {
  const times: number[] = [];
  let failures = 0;
  for (let index = 0; index < count; index += 1) {
    const startedAt = ports.clock.monotonic();
    const report = await tryEvent(set, tried, ports);
    times.push(ports.clock.monotonic() - startedAt);
    if (hasFailed(report)) failures += 1;
  }
  times.sort((one, other) => one - other);
  return { medianMs: quantile(times, 0.5), p95Ms: quantile(times, 0.95), failures };
}

function hasFailed({ runs, notRun }: EventReport): boolean {
  return notRun.length > 0 || runs.some(({ run }) => run.status === "failed");
}

/** Of sorted values; 0 for none. */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
