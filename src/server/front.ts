/** The front that serves clients: connections, dispatch and handlers over a runtime. */
import { randomBytes } from "node:crypto";
import { createFirstRequestId } from "../jsonrpc/pending-requests.ts";
import type { LimitSource } from "../runtime/configuration/limits.ts";
import type { Runtime } from "../runtime/open-runtime.ts";
import { readDefaultProvider } from "../runtime/setup/provider-models.ts";
import type { RuntimeDeps } from "../runtime/setup/runtime-deps.ts";
import { createGreeting } from "./connections/greeting.ts";
import { createServer, type Server, type ServerOptions } from "./connections/server.ts";
import type { Subscriptions } from "./connections/subscriptions.ts";
import { createHandlers } from "./handlers/handlers.ts";
import type { LifecycleSubscriptions } from "./lifecycle/lifecycle-subscriptions.ts";
import type { Reports } from "./reports.ts";
import { createUseReport, type UseReport } from "./use-report.ts";

export interface FrontOptions {
  readonly runtime: Runtime;
  readonly limits: LimitSource;
  readonly storeAddress: string;
  readonly subscriptions: Subscriptions;
  readonly lifecycle: LifecycleSubscriptions;
  readonly reports: Reports;
}

export interface Front {
  readonly server: Server;
  readonly use: Omit<UseReport, "describeFault">;
  onDisconnect(listener: DisconnectListener): void;
  /** Adds a task that `runCloseTasks` runs. */
  onClose(task: () => Promise<void>): void;
  runCloseTasks(): Promise<unknown>;
}

type DisconnectListener = NonNullable<ServerOptions["onDisconnect"]>;

export function openFront({
  runtime,
  limits,
  storeAddress,
  subscriptions,
  lifecycle,
  reports,
}: FrontOptions): Front {
  const { deps, threads, lifetimes, lanes } = runtime;
  const { host, config, identity } = deps;
  const { clock, log } = host;
  const defaultProvider = () => readDefaultProvider(config, host.env);
  const { describeFault, ...use } = createUseReport(storeAddress, { store: deps.store.get, defaultProvider });
  const disconnectListeners: DisconnectListener[] = [reports.closed, subscriptions.drop];
  const onDisconnect = (listener: DisconnectListener) => void disconnectListeners.push(listener);
  const closeTasks = [runtime.stopJobs];
  const onClose = (task: () => Promise<void>) => void closeTasks.push(task);
  const greet = createGreeting({
    config,
    limits,
    identity,
    log,
    rulesWarning: deps.rulesWarning,
    installationId: deps.installationId,
    notifier: () => server.notifier,
    introduced: reports.ofClients.introduced,
  });
  const server = createServer({
    clock,
    log,
    lanes,
    subscriptions,
    maxInFlight: () => limits.current().requestsInFlight,
    describeFault,
    firstRequestId: createFirstRequestId(randomBytes),
    createHandlers: (parts) =>
      createHandlers({
        ...parts,
        ...handlerDeps(deps),
        ...lifetimes.ofQueue,
        threads,
        defaultProvider,
        lifecycle,
        subscriptions,
        greet: reports.before(greet),
        onLeave: onDisconnect,
        onClose,
      }),
    ...reports.ofServer,
    onDisconnect(...gone) {
      for (const listener of disconnectListeners) listener(...gone);
    },
  });
  return {
    server,
    use,
    onDisconnect,
    onClose,
    runCloseTasks: () => Promise.all(closeTasks.map((task) => task())),
  };
}

/** The parts of the runtime that handlers use, as they name them. */
function handlerDeps({ host, config, identity, engine, store, machine, skills, hooks, mcp }: RuntimeDeps) {
  return {
    env: host.env,
    cwd: host.cwd,
    clock: host.clock,
    log: host.log,
    createId: host.createId,
    config,
    identity,
    home: config.home,
    engine,
    store: store.get,
    threadStore: async () => (await store.get()).threads,
    sandbox: machine.sandbox,
    commands: machine.commands.get,
    skills: skills.get,
    hooks: hooks.get,
    mcp: mcp.get,
  };
}
