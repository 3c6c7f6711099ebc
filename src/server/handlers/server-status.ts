// The load of the server, its metrics and its set-up.

import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { version } from "../../base/environment.ts";
import type { Metric, MetricSeries } from "../../base/metrics/registry.ts";
import type { Engine } from "../../engine/engine.ts";
import type { MetricEntry, MetricSample, ServerConnection } from "../../protocol/generated/types.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import { examineServer } from "../../runtime/doctor/examine-server.ts";
import type { Hooks } from "../../runtime/setup/hooks.ts";
import type { Store } from "../../store/store.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import type { Handlers } from "../connections/handler.ts";
import type { Metrics } from "../metrics/metrics.ts";

export interface ServerStatusOptions {
  readonly metrics: () => Promise<Metrics>;
  readonly startedAtMs: number;
  readonly engine: Pick<Engine, "loaded" | "find">;
  readonly connections: ReadonlySet<ClientConnection>;
  readonly config: ConfigSource;
  readonly hooks: () => Promise<Hooks>;
  readonly store: () => Promise<Pick<Store, "ping">>;
  readonly env: Environment;
  readonly cwd: string;
  readonly clock: Clock;
}

type StatusMethod = "server/status" | "metrics/list" | "doctor/run";

const MAX_CONNECTIONS = 200;

export function createServerStatusHandlers(options: ServerStatusOptions): Handlers<StatusMethod> {
  const { engine, connections, clock, startedAtMs, config, hooks, store, env, cwd } = options;
  return {
    async "server/status"(_params, { connection }) {
      // Opens the store, so that its totals are those of now.
      await store();
      const values = readValues(await (await options.metrics()).read());
      const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const loaded = engine.loaded();
      const first = [...connections].slice(0, MAX_CONNECTIONS);
      return {
        version,
        startedAt: Math.floor(startedAtMs / 1000),
        uptimeMs: Math.max(0, clock.now() - startedAtMs),
        threadsLoaded: loaded.length,
        turnsRunning: loaded.filter((id) => (engine.find(id)?.activeTurnId ?? null) !== null).length,
        waiting: {
          question: values.of("heddle_turns_waiting", "question"),
          usageLimit: values.of("heddle_turns_waiting", "usage_limit"),
        },
        queued: {
          pending: values.of("heddle_queued_turns", "pending"),
          failed: values.of("heddle_queued_turns", "failed"),
        },
        outbox: {
          pending: values.of("heddle_webhook_deliveries", "pending"),
          abandoned: values.of("heddle_webhook_deliveries", "abandoned"),
        },
        connections: first.map((each) => showConnection(each, connection)),
        connectionCount: connections.size,
        memory: {
          rssBytes: rss,
          heapUsedBytes: heapUsed,
          heapTotalBytes: heapTotal,
          externalBytes: external,
        },
        cpuSeconds: { user: user / 1e6, system: system / 1e6 },
        eventLoopDelay: values.delay("heddle_event_loop_delay_seconds"),
      };
    },

    async "metrics/list"() {
      const read = await (await options.metrics()).read();
      return { data: read.map(showMetric) };
    },

    async "doctor/run"() {
      const { findings, isComplete } = await examineServer({
        config,
        hooks,
        store,
        host: { env, cwd, clock },
      });
      return {
        findings: findings.map(({ subject, verdict, message, advice = null }) => ({
          subject,
          verdict,
          message,
          advice,
        })),
        isComplete,
      };
    },
  };
}

function showConnection(
  connection: ClientConnection,
  asking: Pick<ClientConnection, "id">,
): ServerConnection {
  const { id, handshake, subject, openedAtMs, inFlight } = connection;
  const isReady = handshake.phase === "ready";
  return {
    id: String(id),
    clientName: isReady ? handshake.clientName : null,
    clientVersion: isReady ? handshake.clientVersion : null,
    subject,
    since: Math.floor(openedAtMs / 1000),
    inFlight,
    isYou: id === asking.id,
  };
}

function readValues(metrics: readonly Metric[]) {
  const seriesOf = (name: string): readonly MetricSeries[] =>
    metrics.find((metric) => metric.name === name)?.series ?? [];
  return {
    /** The value of the series with this label value. */
    of: (name: string, label: string): number =>
      seriesOf(name).find(({ labels }) => Object.values(labels).includes(label))?.value ?? 0,
    delay(name: string): { readonly meanMs: number; readonly p99Ms: number | null } {
      const [series] = seriesOf(name);
      const bounds = metrics.find((metric) => metric.name === name)?.buckets ?? [];
      const counts = series?.counts ?? [];
      const total = counts.reduce((sum, each) => sum + each, 0);
      if (series === undefined || total === 0) return { meanMs: 0, p99Ms: null };
      let seen = 0;
      const at = counts.findIndex((each) => {
        seen += each;
        return seen >= total * 0.99;
      });
      const bound = bounds[at] ?? bounds.at(-1) ?? 0;
      return { meanMs: (series.value / total) * 1000, p99Ms: bound * 1000 };
    },
  };
}

function showMetric({ name, type, help, buckets = [], series }: Metric): MetricEntry {
  return { name, kind: type, help, samples: series.map((each) => showSample(each, buckets)) };
}

function showSample({ labels, value, counts }: MetricSeries, bounds: readonly number[]): MetricSample {
  if (counts === null) return { labels: { ...labels }, value, buckets: null, count: null };
  let count = 0;
  const buckets = counts.map((each, at) => {
    count += each;
    return { le: bounds[at] ?? null, count };
  });
  return { labels: { ...labels }, value, buckets, count };
}
