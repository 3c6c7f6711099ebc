/** What whoever runs a server hears of it: its log, its metrics and its traces, all of them from one stream of events. */

import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { Logger } from "../base/logger.ts";
import { once } from "../base/tasks.ts";
import type { OnEngineEvent } from "../engine/state/events.ts";
import type { ConfigSource } from "../runtime/configuration/config-source.ts";
import type { RuntimeDeps } from "../runtime/setup/runtime-deps.ts";
import type { Decisions } from "../store/decisions.ts";
import type { RefusedRequest } from "../transport/refusal.ts";
import type { CloseReason } from "../transport/transport.ts";
import type { Connection } from "./connections/connection.ts";
import type { ServerOptions } from "./connections/server.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { createOperatorLog } from "./observation/operator-log.ts";
import { createServerEvents } from "./observation/server-events.ts";
import { startTelemetry } from "./telemetry/start-telemetry.ts";

export interface ReportsOptions {
  readonly config: ConfigSource;
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Logger;
  /** Read by metrics when they are scraped. */
  readonly runtime: () => Pick<RuntimeDeps, "engine" | "store">;
}

export interface Reports {
  readonly onEvent: OnEngineEvent;
  /** How it hears of models, of what is kept and of clients. */
  readonly ofModels: { onRetry(status: number | null): void };
  readonly ofStore: { observe(decisions: Decisions): Decisions };
  readonly ofClients: { introduced(connection: Connection): void };
  /** How it hears of connections and requests. */
  readonly ofServer: Required<Pick<ServerOptions, "watchReply" | "onConnect">>;
  readonly closed: (connection: Connection, reason: CloseReason) => void;
  /** For whoever has opened the server. */
  readonly own: { refused(request: RefusedRequest): void; openMetrics(): Promise<Metrics> };
  /** The same greeting, once all is there that was asked for: whoever wants to hear of the work hears of all of it. */
  before(greet: (connection: Connection) => Promise<void>): (connection: Connection) => Promise<void>;
  /** Sends what waits. */
  readonly close: () => Promise<void>;
}

export function createReports({ runtime, ...common }: ReportsOptions): Reports {
  const { clock } = common;
  const events = createServerEvents(common);
  const { publish } = events;
  const operatorLog = createOperatorLog(common);
  if (operatorLog !== null) events.listen(operatorLog);
  const metrics = once(async () => {
    const { engine, store } = runtime();
    return (await import("./metrics/open-metrics.ts")).openMetrics({
      events,
      engine,
      store: store.peek,
      clock,
    });
  });
  const telemetry = once(() => startTelemetry({ ...common, events, metrics: metrics.get }));

  return {
    onEvent(threadId, event) {
      if (events.isHeard) publish({ type: "thread", threadId, event });
    },
    ofModels: { onRetry: (status) => publish({ type: "modelResent", status }) },
    ofStore: { observe: events.observe },
    ofClients: { introduced: (connection) => publish({ type: "clientIntroduced", connection }) },
    ofServer: {
      watchReply: events.watchReply,
      onConnect: (connection, { origin }) => publish({ type: "connectionOpened", connection, origin }),
    },
    closed: (connection, reason) => publish({ type: "connectionClosed", connection, reason }),
    own: {
      refused: (refused) => publish({ type: "connectionRefused", refused }),
      openMetrics: metrics.get,
    },
    before: (greet) => (connection) => telemetry.get().then(() => greet(connection)),
    async close() {
      await (await telemetry.peek())?.close();
      (await metrics.peek())?.close();
    },
  };
}
