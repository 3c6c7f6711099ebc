import { homedir } from "node:os";
import { type Clock, systemClock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { closeAll, once } from "../base/tasks.ts";
import { createUuidSource } from "../base/uuid.ts";
import type { CustomModel } from "../model/custom/custom-model.ts";
import type { SessionSource } from "../protocol/generated/types.ts";
import type { DeviceAccess } from "../runtime/access/device-access.ts";
import { type ConfigOrigin, openConfigSource } from "../runtime/configuration/config-source.ts";
import type { Host } from "../runtime/configuration/host.ts";
import { createIdentity } from "../runtime/configuration/identity.ts";
import { createLimits, type Limits } from "../runtime/configuration/limits.ts";
import { findStoreAddress } from "../runtime/configuration/store-address.ts";
import type { RunningTurn } from "../runtime/threads/running-turn.ts";
import { describeStoreAddress } from "../store/open/store-address.ts";
import type { RefusedRequest } from "../transport/refusal.ts";
import type { Transport } from "../transport/transport.ts";
import { createThreadSubscriptions } from "./connections/thread-subscriptions.ts";
import { type Front, openFront } from "./front.ts";
import type { EventLogs } from "./http/durable-stream/event-log.ts";
import { createLifecycleSubscriptions } from "./lifecycle/lifecycle-subscriptions.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { createReports } from "./reports.ts";
import type { Services } from "./services.ts";
import type { AnswerWake } from "./wake/wake-request.ts";

export interface HeddleOptions extends ConfigOrigin {
  readonly log: Logger;
  /** Credential files of clients. Sandboxed commands may not read them. */
  readonly secretFiles?: readonly string[];
  /** The source of new threads. Interactive thread lists leave out those of `exec`. */
  readonly source?: SessionSource;
  /** Replaces the configured provider. */
  readonly model?: CustomModel;
  /** Loads in idle time what the first thread will need. For servers that live longer than one turn. */
  readonly prefetches?: boolean;
  /** Whether open questions outlive the server where the configuration does not say. Defaults to false. */
  readonly asksAfterRestart?: boolean;
  /** Called once, before the first thread is looked up or created. */
  readonly onFirstUse?: () => void;
  /** Called in idle time, after what the first thread needs was loaded. */
  readonly onPrefetched?: () => void;
  /** Defaults to the system clock. */
  readonly clock?: Clock;
  /**
   * The address of the thread store: `memory`, which is not persisted, a home folder, or the URL of a PostgreSQL
   * database. By default the one that the configuration names, else the server's home.
   */
  readonly store?: string;
}

/** A server without its listeners: configuration, engine, store and connection handling. */
export interface Heddle {
  /** Reports a request that a listener has refused. */
  onRefusedRequest(request: RefusedRequest): void;
  /** Starts to count events; earlier events are not counted. */
  openMetrics(): Promise<Metrics>;
  readonly home: string;
  /** The durable events of threads, for HTTP. */
  readonly eventLogs: EventLogs;
  /** Paired devices; loaded by the first call. */
  devices(): Promise<DeviceAccess>;
  readonly connect: (transport: Transport) => void;
  /** The current limits: the defaults until the configuration has been read. */
  readonly limits: () => Limits;
  /** Reads the configuration and logs its faults. */
  readonly readLimits: () => Promise<Limits>;
  /** Registers a port or a socket path on which clients are served, so that sandboxed commands cannot connect to it. */
  registerListener(address: number | string): void;
  onDisconnect(listener: () => void): void;
  /** Adds a task that runs when the server closes. */
  onClose(task: () => Promise<void>): void;
  /**
   * From now on threads are loaded when their queued turns are due, also without a client, if `queue.background` of the
   * configuration is set. `isDefault` applies where it is not.
   */
  continueQueues(isDefault: boolean): Promise<void>;
  /** Answers `POST /wake/<token>`, with which a program wakes a thread. */
  answerWake: AnswerWake;
  /** From now on events in the outbox are delivered to webhooks, also those of other servers on the home. */
  deliverWebhooks(): Promise<void>;
  /** Stops starting queued turns, and resolves when no turn is running. */
  drain(): Promise<void>;
  running(): readonly RunningTurn[];
  /** The default model and its provider, as a text for the operator. */
  describeModel(): Promise<string>;
  /** Where threads are kept, as a text for the operator, without passwords. */
  describeStore(): Promise<string>;
  /** Throws an error with a message for the operator if no thread could be started or stored now. */
  checkReady(): Promise<void>;
  /** Pings the store. Does not read the configuration. */
  checkStore(): Promise<void>;
  /** Interrupts running turns, then closes every connection. */
  close(): Promise<void>;
}

/**
 * Opens what answers `initialize`. Everything else is loaded by the first client, or by the first call that needs it:
 * it is three quarters of the code of a server.
 */
export async function openHeddle(options: HeddleOptions): Promise<Heddle> {
  const host = createHost(options);
  const { env, clock, log, createId } = host;
  const config = await openConfigSource({ ...options, userHome: host.userHome, createId });
  const identity = createIdentity(env, options.source);
  const shared = { host, random: Math.random, config, identity };
  const limits = createLimits(config);
  const lifecycle = createLifecycleSubscriptions(clock);
  const { registerListener, ...hidden } = createHiddenPaths(options.secretFiles);
  let opened: Services | null = null;
  const subscriptions = createThreadSubscriptions({
    onChange: (threadId) => opened?.runtime.lifetimes.subscribersChanged(threadId),
    eventsEnd: (threadId) => opened?.runtime.deps.engine.find(threadId)?.eventsEnd() ?? null,
    ancestorThreadIds: (threadId) => opened?.ancestorThreadIds(threadId) ?? [],
  });
  const address = once(async () => options.store ?? (await findStoreAddress(config)));
  const services = once(async () => {
    const { openServices } = await import("./services.ts");
    const { model, onFirstUse, prefetches = false, onPrefetched = () => {} } = options;
    const { asksAfterRestart = false } = options;
    const storeAddress = await address.get();
    const ports = { ...shared, limits, lifecycle, subscriptions, reports, front, hidden };
    opened = openServices({
      ...ports,
      model,
      storeAddress,
      onFirstUse,
      prefetches,
      onPrefetched,
      asksAfterRestart,
    });
    return opened;
  });
  const reports = createReports({
    config,
    env,
    clock,
    log,
    runtime: async () => (await services.get()).runtime.deps,
  });
  const front = openFront({
    ...shared,
    limits,
    subscriptions,
    reports,
    services: services.get,
    describeFault: (error) => opened?.describeFault(error) ?? null,
  });
  const { server } = front;

  return {
    home: config.home,
    devices: async () => (await services.get()).devices(),
    eventLogs: { open: async (...call) => (await services.get()).eventLogs.open(...call) },
    connect: server.connect,
    limits: limits.current,
    readLimits: limits.read,
    registerListener,
    onDisconnect: (listener) => front.onDisconnect(() => listener()),
    onClose: front.onClose,
    continueQueues: async (isDefault) => (await services.get()).runtime.lifetimes.continueQueues(isDefault),
    answerWake: async (request) => (await services.get()).answerWake(request),
    deliverWebhooks: async () => (await services.get()).runtime.deps.announcements.deliver(),
    drain: async () => (await services.get()).runtime.lifetimes.drain(),
    running: () => opened?.runtime.lifetimes.running() ?? [],
    describeModel: async () => (await services.get()).checks.describeModel(),
    describeStore: async () => describeStoreAddress(await address.get()),
    checkReady: async () => (await services.get()).checks.checkReady(),
    checkStore: async () => (await services.get()).checks.checkStore(),
    onRefusedRequest: reports.onRefusedRequest,
    openMetrics: reports.openMetrics,
    close: async () =>
      closeServer(await services.peek(), [lifecycle.drained, server.close, reports.close], front),
  };
}

/** Dependents first; `closers` run after the threads are closed. */
async function closeServer(
  loaded: Services | null,
  closers: readonly (() => unknown)[],
  front: Pick<Front, "runCloseTasks">,
): Promise<void> {
  await loaded?.runtime.lifetimes.close();
  const tasks = front.runCloseTasks();
  const closeThreads = () => loaded?.runtime.deps.engine.close();
  await closeAll([closeThreads, ...closers, () => tasks, () => loaded?.close()]);
}

function createHost({ env, cwd, log, clock = systemClock }: HeddleOptions): Host {
  const userHome = env["HOME"] || homedir();
  return { env, cwd, userHome, clock, log, createId: createUuidSource(clock) };
}

/** Ports and files that sandboxed commands must not reach: listeners, sockets and the credentials of clients. */
function createHiddenPaths(secrets: readonly string[] = []) {
  const ports: number[] = [];
  const secretFiles = [...secrets];
  function registerListener(address: number | string): void {
    if (typeof address === "number") ports.push(address);
    else secretFiles.push(address);
  }
  return { ports, secretFiles, registerListener };
}
