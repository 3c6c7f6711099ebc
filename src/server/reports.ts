/** Observability for the operator: log, metrics and traces, all derived from one stream of server events. */

import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { Logger } from "../base/logger.ts";
import { logFailure, once } from "../base/tasks.ts";
import type { OnEngineEvent } from "../engine/state/events.ts";
import type { ConfigSource } from "../runtime/configuration/config-source.ts";
import type { RuntimeDeps } from "../runtime/setup/runtime-deps.ts";
import type { AttemptKind } from "../runtime/webhooks/deliverer.ts";
import type { Decisions } from "../store/decisions.ts";
import type { RefusedRequest } from "../transport/refusal.ts";
import type { CloseReason } from "../transport/transport.ts";
import type { ClientConnection } from "./connections/client-connection.ts";
import type { ServerOptions } from "./connections/server.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { createOperatorLog } from "./observation/operator-log.ts";
import { createServerEvents } from "./observation/server-events.ts";
import type { Telemetry, TelemetryOptions } from "./telemetry/open-telemetry.ts";

export interface ReportsOptions {
  readonly config: ConfigSource;
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Logger;
  /** Read by metrics when they are scraped. */
  readonly runtime: () => Promise<Pick<RuntimeDeps, "engine" | "store">>;
}

export interface Reports {
  /** When the server was opened. */
  readonly startedAtMs: number;
  readonly onThreadEvent: OnEngineEvent;
  /** `status` is the HTTP status of the failed request; null if there was no response. */
  onModelRetry(status: number | null): void;
  onWebhookAttempt(kind: AttemptKind): void;
  /** Returns decisions that publish an event for each one. */
  observeDecisions(decisions: Decisions): Decisions;
  onConnect: NonNullable<ServerOptions["onConnect"]>;
  onInitialized(connection: ClientConnection): void;
  onDisconnect(connection: ClientConnection, reason: CloseReason): void;
  onRefusedRequest(request: RefusedRequest): void;
  /** Returns a responder that publishes an event for its response. */
  instrumentReply: NonNullable<ServerOptions["instrumentReply"]>;
  openMetrics(): Promise<Metrics>;
  /** Starts the configured telemetry before `greet`, so that collectors receive all work of the client. */
  startTelemetryBefore(greet: Greet): Greet;
  /** Flushes telemetry and stops metrics. */
  close(): Promise<void>;
}

type Greet = (connection: ClientConnection) => Promise<void>;

export function createReports({ runtime, ...common }: ReportsOptions): Reports {
  const { clock } = common;
  const events = createServerEvents(common);
  const { publish } = events;
  const operatorLog = createOperatorLog(common);
  if (operatorLog !== null) events.addListener(operatorLog);
  const metrics = once(async () => {
    const { engine, store } = await runtime();
    return (await import("./metrics/open-metrics.ts")).openMetrics({
      events,
      engine,
      store: store.peek,
      clock,
    });
  });
  const telemetry = once(() => startTelemetry({ ...common, events, metrics: metrics.get }));

  return {
    startedAtMs: clock.now(),
    onThreadEvent(threadId, event) {
      if (events.hasListeners) publish({ type: "thread", threadId, event });
    },
    onModelRetry: (status) => publish({ type: "modelRequestRetried", status }),
    onWebhookAttempt: (kind) => publish({ type: "webhookAttempted", kind }),
    observeDecisions: events.observeDecisions,
    onConnect: (connection, { origin }) => publish({ type: "connectionOpened", connection, origin }),
    onInitialized: (connection) => publish({ type: "clientInitialized", connection }),
    onDisconnect: (connection, reason) => publish({ type: "connectionClosed", connection, reason }),
    onRefusedRequest: (refused) => publish({ type: "connectionRefused", refused }),
    instrumentReply: events.instrumentReply,
    openMetrics: metrics.get,
    startTelemetryBefore: (greet) => (connection) => telemetry.get().then(() => greet(connection)),
    async close() {
      await (await telemetry.peek())?.close();
      (await metrics.peek())?.close();
    },
  };
}

interface StartOptions extends Omit<TelemetryOptions, "otel"> {
  readonly config: ConfigSource;
}

/**
 * Null if no collector is configured, or telemetry could not be opened. Never rejects, because clients wait
 * for it.
 */
async function startTelemetry({ config, ...options }: StartOptions): Promise<Telemetry | null> {
  try {
    const effective = await (await config.get()).effective();
    const otel = effective.ok ? effective.value.values.otel : null;
    if (otel === null && !namesCollector(options.env)) return null;
    const { openTelemetry } = await import("./telemetry/open-telemetry.ts");
    return await openTelemetry({ ...options, otel });
  } catch (error) {
    logFailure(options.log, "opening telemetry", error);
    return null;
  }
}

function namesCollector(env: Environment): boolean {
  return ["", "TRACES_", "METRICS_"].some((signal) => Boolean(env[`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`]));
}
