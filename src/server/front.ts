/** Serves clients: wires connections and dispatch to the handlers. */
import { createLanes, type Lanes } from "../base/lanes.ts";
import { createFirstRequestId } from "../jsonrpc/pending-requests.ts";
import type { ConfigSource } from "../runtime/configuration/config-source.ts";
import type { Host } from "../runtime/configuration/host.ts";
import type { Identity } from "../runtime/configuration/identity.ts";
import type { LimitSource } from "../runtime/configuration/limits.ts";
import { createGreeting } from "./connections/greeting.ts";
import { createServer, type Server, type ServerOptions, type ServerParts } from "./connections/server.ts";
import type { ThreadSubscriptions } from "./connections/thread-subscriptions.ts";
import { createInitializeHandlers } from "./handlers/initialize.ts";
import { createLateHandlers } from "./handlers/late-handlers.ts";
import type { Reports } from "./reports.ts";
import type { Services } from "./services.ts";

export interface FrontOptions {
  readonly host: Host;
  readonly config: ConfigSource;
  readonly identity: Identity;
  readonly limits: LimitSource;
  readonly subscriptions: ThreadSubscriptions;
  readonly reports: Reports;
  readonly random: () => number;
  /** Loads everything that requests other than `initialize` need. */
  readonly services: () => Promise<Services>;
  /** Describes a fault of the store or of a file of the home; null for any other error. */
  readonly describeFault: (error: unknown) => string | null;
}

export interface Front {
  readonly server: Server;
  /** The lanes in which requests and background work wait. */
  readonly lanes: Lanes;
  onDisconnect(listener: DisconnectListener): void;
  /** Adds a task that `runCloseTasks` runs. */
  onClose(task: () => Promise<void>): void;
  runCloseTasks(): Promise<unknown>;
}

type DisconnectListener = NonNullable<ServerOptions["onDisconnect"]>;

export function openFront(options: FrontOptions): Front {
  const { host, config, identity, limits, subscriptions, reports, services, describeFault } = options;
  const { clock, log } = host;
  const lanes = createLanes();
  const disconnectListeners: DisconnectListener[] = [reports.onDisconnect, subscriptions.drop];
  const closeTasks: (() => Promise<void>)[] = [];
  const greet = createGreeting({
    config,
    limits,
    identity,
    log,
    rulesWarning: async () => (await services()).runtime.deps.rulesWarning(),
    installationId: async () => (await services()).runtime.deps.installationId(),
    ownThreadsOf: async (subject) => (await services()).ownThreadsOf(subject),
    notifier: () => server.notifier,
    onInitialized: reports.onInitialized,
  });
  const greetWithTelemetry = reports.startTelemetryBefore(greet);
  const createHandlers = (parts: ServerParts) =>
    createLateHandlers(
      createInitializeHandlers({
        home: config.home,
        identity,
        // The greeting loads the services, which takes longer than the start: the response is written before.
        greet: async (connection, { threadSummaries }) => {
          await new Promise((resolve) => void setImmediate(resolve));
          await greetWithTelemetry(connection);
          if (threadSummaries) await (await services()).followSummaries(connection);
        },
      }),
      async () => (await services()).createHandlers(parts),
    );
  const server = createServer({
    clock,
    log,
    lanes,
    subscriptions,
    maxInFlight: () => limits.current().requestsInFlight,
    describeFault,
    knowsFolder: async (path) => (await services()).knowsFolder(path),
    recordAudit: async (entry) => (await services()).recordAudit(entry),
    firstRequestId: createFirstRequestId(options.random),
    createHandlers,
    instrumentReply: reports.instrumentReply,
    onConnect: reports.onConnect,
    onDisconnect(...args) {
      for (const listener of disconnectListeners) listener(...args);
    },
  });
  return {
    server,
    lanes,
    onDisconnect: (listener) => void disconnectListeners.push(listener),
    onClose: (task) => void closeTasks.push(task),
    runCloseTasks: () => Promise.all(closeTasks.map((task) => task())),
  };
}
