/** Serves clients: wires connections, dispatch and handlers to a runtime. */
import { randomBytes } from "node:crypto";
import { describeOsFault } from "../base/describe-os-fault.ts";
import { AppError, messageOf } from "../base/errors.ts";
import { createFirstRequestId } from "../jsonrpc/pending-requests.ts";
import type { LimitSource } from "../runtime/configuration/limits.ts";
import { orThrow, type ThreadRefusal } from "../runtime/configuration/thread-refusal.ts";
import type { Runtime } from "../runtime/open-runtime.ts";
import type { ProviderChoice } from "../runtime/setup/provider-models.ts";
import { readDefaultProvider } from "../runtime/setup/provider-models.ts";
import type { RuntimeDeps } from "../runtime/setup/runtime-deps.ts";
import { describeStoreFault } from "../store/open/describe-store-fault.ts";
import type { Store } from "../store/store.ts";
import { createGreeting } from "./connections/greeting.ts";
import { createServer, type Server, type ServerOptions } from "./connections/server.ts";
import type { ThreadSubscriptions } from "./connections/thread-subscriptions.ts";
import { createHandlers } from "./handlers/handlers.ts";
import type { LifecycleSubscriptions } from "./lifecycle/lifecycle-subscriptions.ts";
import type { Reports } from "./reports.ts";

export interface FrontOptions {
  readonly runtime: Runtime;
  readonly limits: LimitSource;
  readonly storeAddress: string;
  readonly subscriptions: ThreadSubscriptions;
  readonly lifecycle: LifecycleSubscriptions;
  readonly reports: Reports;
}

export interface Front {
  readonly server: Server;
  readonly checks: Omit<ReadinessChecks, "describeFault">;
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
  const { describeFault, ...checks } = createReadinessChecks(storeAddress, {
    store: deps.store.get,
    defaultProvider,
  });
  const disconnectListeners: DisconnectListener[] = [reports.onDisconnect, subscriptions.drop];
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
    onInitialized: reports.onInitialized,
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
        ...lifetimes.queueHandlerParts,
        threads,
        defaultProvider,
        lifecycle,
        subscriptions,
        greet: reports.startTelemetryBefore(greet),
        onDisconnect,
        onClose,
      }),
    instrumentReply: reports.instrumentReply,
    onConnect: reports.onConnect,
    onDisconnect(...args) {
      for (const listener of disconnectListeners) listener(...args);
    },
  });
  return {
    server,
    checks,
    onDisconnect,
    onClose,
    runCloseTasks: () => Promise.all(closeTasks.map((task) => task())),
  };
}

/** The parts of the runtime that handlers use, under the names of `HandlerParts`. */
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

interface CheckedServices {
  readonly defaultProvider: () => Promise<ProviderChoice | ThreadRefusal>;
  readonly store: () => Promise<Store>;
}

interface ReadinessChecks {
  /** Describes a fault of the store or of a file of the home; null for any other error. */
  describeFault(error: unknown): string | null;
  describeModel(): Promise<string>;
  checkReady(): Promise<void>;
  checkStore(): Promise<void>;
}

function createReadinessChecks(
  storeAddress: string,
  { defaultProvider, store }: CheckedServices,
): ReadinessChecks {
  const describeFault = (error: unknown) => describeStoreFault(storeAddress, error) ?? describeOsFault(error);
  const choice = async () => orThrow(await defaultProvider());
  return {
    describeFault,
    describeModel: async () => describeModel(await choice()),
    async checkReady() {
      await choice();
      await store().catch((cause: unknown) => {
        const message = describeFault(cause) ?? messageOf(cause);
        throw new AppError("home.unusable", message, { cause });
      });
    },
    async checkStore() {
      await (await store()).ping();
    },
  };
}

function describeModel({ provider, model }: ProviderChoice): string {
  if (provider.baseUrl === null) return `${model} (the built-in demo model: no provider is configured)`;
  const fault = provider.fault === null ? "" : `: it cannot be used. ${provider.fault}`;
  return `${model} at ${provider.name} (${provider.baseUrl})${fault}`;
}
