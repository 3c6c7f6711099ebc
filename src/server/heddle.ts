import { homedir } from "node:os";
import { type Clock, systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { closeAll } from "../base/tasks.ts";
import { createUuidSource } from "../base/uuid.ts";
import type { CustomModel } from "../model/custom/custom-model.ts";
import type { SessionSource } from "../protocol/generated/types.ts";
import {
  type ConfigOrigin,
  type ConfigSource,
  openConfigSource,
} from "../runtime/configuration/config-source.ts";
import type { Host } from "../runtime/configuration/host.ts";
import { createIdentity } from "../runtime/configuration/identity.ts";
import { createLimits, type Limits } from "../runtime/configuration/limits.ts";
import { createRuntime } from "../runtime/open-runtime.ts";
import {
  createProgramCheck,
  createProviderModels,
  type ProviderModels,
} from "../runtime/setup/provider-models.ts";
import { ancestorsOf } from "../runtime/threads/find-thread.ts";
import type { RunningTurn } from "../runtime/threads/running-turn.ts";
import type { RefusedRequest } from "../transport/refusal.ts";
import type { Transport } from "../transport/transport.ts";
import { createSubscriptions } from "./connections/subscriptions.ts";
import { openFront } from "./front.ts";
import { createLifecycleSubscriptions } from "./lifecycle/lifecycle-subscriptions.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { createReports, type Reports } from "./reports.ts";

/** What a server is started with. */
export interface HeddleOptions extends ConfigOrigin {
  readonly log: Logger;
  /** Files by which clients prove who they are; no confined command may read them. */
  readonly secretFiles?: readonly string[];
  /** Where its new threads are said to come from; lists for people leave out those of `exec`. */
  readonly source?: SessionSource;
  /** Answers instead of the configured provider. */
  readonly model?: CustomModel;
  /** Called once, before the first thread is looked for or made. */
  readonly onFirstUse?: () => void;
  /** The system's unless given. */
  readonly clock?: Clock;
  /** Where threads are kept: `memory`, which forgets them with the server, or the folder of a home; the home's own unless given. */
  readonly store?: string;
}

/** A whole server without its listeners: configuration, engine, store and the handling of connections. */
export interface Heddle {
  /** Tells of a caller that a listener has turned away. */
  refused(request: RefusedRequest): void;
  /** Begins to count what the server does. */
  openMetrics(): Promise<Metrics>;
  readonly home: string;
  readonly connect: (transport: Transport) => void;
  /** The bounds that hold now; the configured ones once the configuration has been read. */
  readonly limits: () => Limits;
  /** Reads the configuration, and says in the log what is wrong with it. */
  readonly readLimits: () => Promise<Limits>;
  /** Tells of a port, or a socket's file, on which clients are served, and confined commands are not to be. */
  listensOn(place: number | string): void;
  onDisconnect(listener: () => void): void;
  /** Adds what is to be closed together with the server. */
  onClose(task: () => Promise<void>): void;
  /**
   * From now on threads are loaded when their queued turns are due, also without a client, where the configuration
   * wants that; where it does not say, as the caller has it.
   */
  continueQueues(isDefault: boolean): Promise<void>;
  /** Starts no queued turn any more, and resolves at a moment when no turn runs. */
  drain(): Promise<void>;
  /** The turns that run. */
  running(): readonly RunningTurn[];
  /** In words, which model answers. */
  describeModel(): Promise<string>;
  /** Throws in words where no thread could be started or kept now. */
  checkUse(): Promise<void>;
  /** Resolves when the store has answered, whatever the configuration says. */
  checkStore(): Promise<void>;
  /** Interrupts running turns, then ends every connection. */
  close(): Promise<void>;
}

export async function openHeddle(options: HeddleOptions): Promise<Heddle> {
  const host = createHost(options);
  const { env, clock, log, createId } = host;
  const config = await openConfigSource({ ...options, userHome: host.userHome, createId });
  const identity = createIdentity(env, options.source);
  const limits = createLimits(config);
  const storeAddress = options.store ?? config.home;
  const lifecycle = createLifecycleSubscriptions(clock);
  const { listensOn, ...hidden } = createHiddenPaths(options.secretFiles);
  const subscriptions = createSubscriptions({
    onChange: (threadId) => runtime.lifetimes.subscribersChanged(threadId),
    ancestorsOf: (threadId) => ancestorsOf(runtime.deps.engine, threadId),
  });
  const reports = createReports({ config, env, clock, log, runtime: () => runtime.deps });
  const models = createModels(options, { places: config.places, clock, ...reports.ofModels });
  const runtime = createRuntime({
    host,
    config,
    identity,
    models,
    observers: lifecycle,
    storeAddress,
    hidden,
    limits: limits.current,
    emit: (...notification) => server.notifier.ofThread(...notification),
    clients: { open: (...request) => server.requests.open(...request) },
    subscribers: subscriptions,
    onEvent: reports.onEvent,
    observe: reports.ofStore.observe,
    onFirstUse: options.onFirstUse,
  });
  const front = openFront({ runtime, limits, storeAddress, subscriptions, lifecycle, reports });
  const { server } = front;
  const { deps, lifetimes } = runtime;

  return {
    home: config.home,
    connect: server.connect,
    limits: limits.current,
    readLimits: limits.read,
    listensOn,
    onDisconnect: (listener) => front.onDisconnect(() => listener()),
    onClose: front.onClose,
    ...lifetimes.own,
    ...front.use,
    ...reports.own,
    async close() {
      await lifetimes.close();
      const tasks = front.runCloseTasks();
      const work = [deps.engine.close, lifecycle.settled, server.close, reports.close];
      await closeAll([...work, () => tasks, runtime.close, models.close]);
    },
  };
}

function createHost({ env, cwd, log, clock = systemClock }: HeddleOptions): Host {
  const userHome = env["HOME"] || homedir();
  return { env, cwd, userHome, clock, log, createId: createUuidSource(clock) };
}

function createModels(
  { env, cwd, log, model }: HeddleOptions,
  ports: Pick<ConfigSource, "places"> & { readonly clock: Clock } & Reports["ofModels"],
): ProviderModels {
  const { places, ...others } = ports;
  const refuseProgram = createProgramCheck({ env, cwd, places });
  return createProviderModels({ ...others, env, random: Math.random, log, refuseProgram }, model);
}

/** What is not for confined commands: where clients are served, and by what they prove who they are. */
function createHiddenPaths(secrets: readonly string[] = []) {
  const ports: number[] = [];
  const secretFiles = [...secrets];
  function listensOn(place: number | string): void {
    if (typeof place === "number") ports.push(place);
    else secretFiles.push(place);
  }
  return { ports, secretFiles, listensOn };
}
