import { randomBytes, randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { type Clock, systemClock } from "../base/clock.ts";
import { createLanes } from "../base/lanes.ts";
import type { Logger } from "../base/logger.ts";
import { closeAll } from "../base/tasks.ts";
import { createUuidSource } from "../base/uuid.ts";
import { createEngine } from "../engine/engine.ts";
import type { OnEngineEvent } from "../engine/state/events.ts";
import { createFirstRequestId } from "../jsonrpc/pending-requests.ts";
import type { CustomModel } from "../model/custom/custom-model.ts";
import type { SessionSource } from "../protocol/generated/types.ts";
import {
  type ConfigOrigin,
  type ConfigSource,
  openConfigSource,
} from "../runtime/configuration/config-source.ts";
import { createIdentity } from "../runtime/configuration/identity.ts";
import { createLimits, type Limits } from "../runtime/configuration/limits.ts";
import { createRetentionJob } from "../runtime/retention-job.ts";
import { createServices } from "../runtime/services.ts";
import {
  createProgramCheck,
  createProviderModels,
  type ProviderModels,
} from "../runtime/setup/provider-models.ts";
import { createThreadLifetimes } from "../runtime/thread-lifetimes.ts";
import { createThreadService } from "../runtime/thread-service.ts";
import { createReadStateKeeper } from "../runtime/threads/read-states.ts";
import type { RunningTurn } from "../runtime/threads/running-turn.ts";
import { parseStoreAddress } from "../store/open/store-address.ts";
import type { RefusedRequest } from "../transport/refusal.ts";
import type { Transport } from "../transport/transport.ts";
import { createGreeting } from "./connections/greeting.ts";
import { createServer, type ServerOptions } from "./connections/server.ts";
import { createSubscriptions } from "./connections/subscriptions.ts";
import { createHandlers } from "./handlers/handlers.ts";
import { createLifecycleSubscriptions } from "./lifecycle/lifecycle-subscriptions.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { createReports, type Reports } from "./reports.ts";
import { createUseReport } from "./use-report.ts";

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
  const { env, cwd, log, clock = systemClock } = options;
  const createId = createUuidSource(clock);
  const userHome = env["HOME"] || homedir();
  const config = await openConfigSource({ ...options, userHome, createId });

  const identity = createIdentity(env, options.source);
  const subscriptions = createSubscriptions((threadId) => lifetimes.subscribersChanged(threadId));
  const reports = createReports({ config, env, clock, log, parts: () => ({ engine, ...services }) });
  const models = createModels(options, { places: config.places, clock, ...reports.ofModels });
  const disconnectListeners: DisconnectListener[] = [reports.closed, subscriptions.drop];

  const emit = reports.hear((...notice) => server.notifier.ofThread(...notice));
  const lanes = createLanes();
  const lifecycle = createLifecycleSubscriptions(clock);
  const common = { config, identity, env, cwd, userHome, clock, createId, log, emit, lanes, lifecycle };
  const place = placeOfStore(options.store ?? config.home);
  const closeTasks = [createRetentionJob({ ...common, ...place }).close];
  const { listensOn, ...hidden } = createHiddenPaths(options.secretFiles);
  const forServices = { ...hidden, ...reports.ofStore, ...place, models, onFirstUse: options.onFirstUse };
  const services = createServices({ ...common, ...forServices, engine: () => engine });
  const readStates = createReadStateKeeper({ threadStore: services.threadStore, log });
  const engine = createEngine({
    ...common,
    createRevision: randomUUID,
    clients: { open: (...request) => lifetimes.askAttended(server.requests).open(...request) },
  });
  const { describeFault, ...use } = createUseReport(place.storeAddress, services);
  const limits = createLimits(config);
  const threads = createThreadService({ lanes, engine, operations: services.threads, log });
  const ofThreads = { ...services, engine, threads, subscriptions, limits: limits.current };
  const lifetimes = createThreadLifetimes({ ...common, ...ofThreads, operations: services.threads });
  const listeners = [reports.onEvent, lifetimes.onEvent, followThreadEvents(readStates, services)];
  for (const listener of listeners) threads.onEvent(listener);
  const notifier = () => server.notifier;
  const greet = createGreeting({ ...services, ...common, ...place, ...reports.ofClients, limits, notifier });
  const server = createServer({
    ...common,
    subscriptions,
    maxInFlight: () => limits.current().requestsInFlight,
    describeFault,
    firstRequestId: createFirstRequestId(randomBytes),
    createHandlers: (parts) =>
      createHandlers({
        ...parts,
        ...common,
        ...services,
        engine,
        ...lifetimes.ofQueue,
        subscriptions,
        home: config.home,
        greet: reports.before(greet),
        onLeave: (listener) => void disconnectListeners.push(listener),
        onClose: (task) => void closeTasks.push(task),
      }),
    ...reports.ofServer,
    onDisconnect(...gone) {
      for (const listener of disconnectListeners) listener(...gone);
    },
  });

  return {
    home: config.home,
    connect: server.connect,
    limits: limits.current,
    readLimits: limits.read,
    listensOn,
    onDisconnect: (listener) => void disconnectListeners.push(() => listener()),
    onClose: (task) => void closeTasks.push(task),
    ...lifetimes.own,
    ...use,
    ...reports.own,
    async close() {
      await lifetimes.close();
      const tasks = Promise.all(closeTasks.map((task) => task()));
      const work = [engine.close, lifecycle.settled, server.close, reports.close];
      await closeAll([...work, () => tasks, services.close, models.close]);
    },
  };
}

/** Throws in words where nothing can be kept there. */
function placeOfStore(storeAddress: string) {
  return { storeAddress, writesHome: parseStoreAddress(storeAddress).kind === "files" };
}

function createModels(
  { env, cwd, log, model }: HeddleOptions,
  ports: Pick<ConfigSource, "places"> & { readonly clock: Clock } & Reports["ofModels"],
): ProviderModels {
  const { places, ...others } = ports;
  const refuseProgram = createProgramCheck({ env, cwd, places });
  return createProviderModels({ ...others, env, random: Math.random, log, refuseProgram }, model);
}

type DisconnectListener = NonNullable<ServerOptions["onDisconnect"]>;

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

/** What follows from the events of threads for those who keep something for them. */
function followThreadEvents(
  readStates: ReturnType<typeof createReadStateKeeper>,
  services: Pick<ReturnType<typeof createServices>, "forget">,
): OnEngineEvent {
  return (threadId, event) => {
    if (event.type === "readStateChanged") void readStates.keep(threadId, event.readState);
    if (event.type === "unloaded") for (const each of [services, readStates]) each.forget(threadId);
  };
}
