/**
 * The metrics of a server: counters that follow its events, and gauges that are read when they are scraped.
 */
import { readdir } from "node:fs/promises";
import type { Clock } from "../../base/clock.ts";
import { version } from "../../base/environment.ts";
import { toPrometheusText } from "../../base/metrics/prometheus-text.ts";
import { createRegistry, type Metric } from "../../base/metrics/registry.ts";
import type { Engine } from "../../engine/engine.ts";
import { MAX_OPEN_QUESTIONS } from "../../runtime/questions/waiting-threads.ts";
import { MAX_WAITS_READ } from "../../runtime/waits/limited-threads.ts";
import type { OutboxTotals } from "../../store/outbox.ts";
import type { QueueTotals } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import type { ServerEvents } from "../observation/server-events.ts";
import { countEvents, type ServerRegistry } from "./count-events.ts";
import { METRICS } from "./metric-table.ts";
import type { Metrics } from "./metrics.ts";

type CountedStore = Pick<Store, "queue" | "outbox" | "schedules" | "waits" | "decisions">;

export interface MetricsOptions {
  readonly events: ServerEvents;
  readonly engine: Pick<Engine, "loaded">;
  /** Null while the store has not been opened. */
  readonly store: () => Promise<CountedStore | null>;
  readonly clock: Clock;
}

/** The sampling interval of the event loop delay. */
const SAMPLE_EVERY_MS = 100;

export function openMetrics({ events, engine, store, clock }: MetricsOptions): Metrics {
  const registry = createRegistry(METRICS);
  registry.set("heddle_build_info", 1, { version });
  registry.set("heddle_start_time_seconds", clock.now() / 1000);
  const counts = countEvents({ registry, clock });
  events.addListener(counts.onEvent);
  const stopWatching = watchEventLoop(registry, clock);
  const updateStoreGauges = createStoreGauges(registry, store, clock);
  let asked: Promise<readonly Metric[]> | null = null;

  async function look(): Promise<readonly Metric[]> {
    registry.set("heddle_threads_loaded", engine.loaded().length);
    registry.set("heddle_turns_running", counts.turnsRunning());
    registry.set("heddle_permissions_waiting", counts.permissionsWaiting());
    updateProcessGauges(registry);
    registry.set("heddle_open_fds", await countDescriptors());
    await updateStoreGauges();
    await updateScheduleGauge(registry, store, clock);
    await updateWaitGauges(registry, store);
    return registry.read();
  }

  function read(): Promise<readonly Metric[]> {
    asked ??= look().finally(() => {
      asked = null;
    });
    return asked;
  }

  return { read, text: async () => toPrometheusText(await read()), close: stopWatching };
}

function updateProcessGauges(registry: ServerRegistry): void {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  registry.set("heddle_memory_bytes", rss, { kind: "rss" });
  registry.set("heddle_memory_bytes", heapTotal, { kind: "heap_total" });
  registry.set("heddle_memory_bytes", heapUsed, { kind: "heap_used" });
  registry.set("heddle_memory_bytes", external, { kind: "external" });
  const { user, system } = process.cpuUsage();
  registry.set("heddle_cpu_seconds_total", user / 1e6, { mode: "user" });
  registry.set("heddle_cpu_seconds_total", system / 1e6, { mode: "system" });
}

/**
 * The entries of the folder are the descriptors of this process. The one that reads the folder is not
 * counted.
 */
async function countDescriptors(): Promise<number> {
  const folder = process.platform === "linux" ? "/proc/self/fd" : "/dev/fd";
  const open = await readdir(folder).catch(() => []);
  return Math.max(0, open.length - 1);
}

/** A query of an index: its cost does not depend on the number of schedules. */
async function updateScheduleGauge(
  registry: ServerRegistry,
  store: MetricsOptions["store"],
  clock: Clock,
): Promise<void> {
  const nextAtMs = await store()
    .then((opened) => opened?.schedules.nextAtMs() ?? null)
    // `/readyz` reports that the store cannot be read.
    .catch(() => null);
  const lagMs = nextAtMs === null ? 0 : Math.max(0, clock.now() - nextAtMs);
  registry.set("heddle_schedule_lag_seconds", lagMs / 1000);
}

/** The largest share of time that totals of the store may take, however often metrics are scraped. */
const MAX_TOTALS_SHARE = 0.05;

interface StoreTotals {
  readonly queue: QueueTotals;
  readonly outbox: OutboxTotals;
}

/** While the store cannot be read, the last totals are kept; `/readyz` reports the failure. */
function createStoreGauges(
  registry: ServerRegistry,
  store: MetricsOptions["store"],
  clock: Clock,
): () => Promise<void> {
  let totals: StoreTotals | null = null;
  let nextReadAt = 0;

  async function look({ queue, outbox }: CountedStore): Promise<void> {
    const startedAt = clock.monotonic();
    const looking = Promise.all([queue.totals(), outbox.totals()]);
    // Only the synchronous part blocks the event loop, so only it counts.
    const endedAt = clock.monotonic();
    nextReadAt = endedAt + (endedAt - startedAt) / MAX_TOTALS_SHARE;
    const [queued, deliveries] = await looking;
    totals = { queue: queued, outbox: deliveries };
  }

  return async () => {
    const opened = await store().catch(() => null);
    if (opened !== null && clock.monotonic() >= nextReadAt) await look(opened).catch(() => {});
    if (totals === null) return;
    const ageOf = (atMs: number | null) => (atMs === null ? 0 : Math.max(0, clock.now() - atMs) / 1000);
    const { queue, outbox } = totals;
    registry.set("heddle_queued_turns", queue.pending, { state: "pending" });
    registry.set("heddle_queued_turns", queue.failed, { state: "failed" });
    registry.set("heddle_queue_oldest_seconds", ageOf(queue.oldestAtMs));
    registry.set("heddle_webhook_deliveries", outbox.pending, { state: "pending" });
    registry.set("heddle_webhook_deliveries", outbox.abandoned, { state: "abandoned" });
    registry.set("heddle_webhook_oldest_seconds", ageOf(outbox.oldestAtMs));
  };
}

/** While the store cannot be read, the last numbers are kept. */
async function updateWaitGauges(registry: ServerRegistry, store: MetricsOptions["store"]): Promise<void> {
  try {
    const opened = await store();
    if (opened === null) return;
    const [asked, limited] = await Promise.all([
      opened.decisions.openQuestions({ limit: MAX_OPEN_QUESTIONS }),
      opened.waits.list(MAX_WAITS_READ),
    ]);
    const turns = new Set(asked.flatMap(({ question, turnId }) => (question === null ? [] : [turnId])));
    registry.set("heddle_turns_waiting", turns.size, { reason: "question" });
    registry.set("heddle_turns_waiting", limited.length, { reason: "usage_limit" });
  } catch {
    // `/readyz` reports a store that cannot be read.
  }
}

/** Does not keep the process alive. */
function watchEventLoop(registry: ServerRegistry, clock: Clock): () => void {
  let cancel = (): void => {};
  const look = (): void => {
    const dueAt = clock.monotonic() + SAMPLE_EVERY_MS;
    cancel = clock.after(
      SAMPLE_EVERY_MS,
      () => {
        registry.observe("heddle_event_loop_delay_seconds", Math.max(0, clock.monotonic() - dueAt) / 1000);
        look();
      },
      { keepsAlive: false },
    );
  };
  look();
  return () => cancel();
}
