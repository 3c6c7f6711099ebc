/** Everything that requests after the handshake need: models, runtime and handlers. Loaded after `initialize`. */

import { createCpuShare } from "../base/cpu-share.ts";
import { type IdleStep, runOnceIdle, runWhenIdle } from "../base/idle-steps.ts";
import { closeAll, once } from "../base/tasks.ts";
import type { CustomModel } from "../model/custom/custom-model.ts";
import type { DeviceAccess } from "../runtime/access/device-access.ts";
import type { ConfigSource } from "../runtime/configuration/config-source.ts";
import type { Host } from "../runtime/configuration/host.ts";
import type { Identity } from "../runtime/configuration/identity.ts";
import type { LimitSource } from "../runtime/configuration/limits.ts";
import { createRuntime, type Runtime, type RuntimeOptions } from "../runtime/open-runtime.ts";
import {
  createProgramCheck,
  createProviderModels,
  type ProviderModels,
  readDefaultProvider,
} from "../runtime/setup/provider-models.ts";
import type { RuntimeDeps } from "../runtime/setup/runtime-deps.ts";
import { ancestorThreadIds } from "../runtime/threads/find-thread.ts";
import type { RecordAudit } from "./connections/audited.ts";
import type { ClientConnection } from "./connections/client-connection.ts";
import type { KnowsFolder } from "./connections/limited-rights.ts";
import type { OwnThreads } from "./connections/own-threads.ts";
import type { ServerParts } from "./connections/server.ts";
import type { ThreadSubscriptions } from "./connections/thread-subscriptions.ts";
import type { Front } from "./front.ts";
import { createHandlers } from "./handlers/handlers.ts";
import type { LateHandlers } from "./handlers/late-handlers.ts";
import type { EventLogs } from "./http/durable-stream/event-log.ts";
import {
  createAuditRecorder,
  createEventLogs,
  createFolderCheck,
  createLateAnswerWake,
  createLateDevices,
  createThreadAccess,
  openLateWorkbench,
  openSummaryFeed,
} from "./late-services.ts";
import type { LifecycleSubscriptions } from "./lifecycle/lifecycle-subscriptions.ts";
import { createReadinessChecks, type ReadinessChecks } from "./readiness.ts";
import type { Reports } from "./reports.ts";
import { createLiveNotices } from "./streams/live-notices.ts";
import type { AnswerWake } from "./wake/wake-request.ts";

export interface ServicesOptions extends Pick<RuntimeOptions, "storeAddress" | "hidden" | "onFirstUse"> {
  readonly host: Host;
  readonly config: ConfigSource;
  readonly identity: Identity;
  readonly limits: LimitSource;
  readonly lifecycle: LifecycleSubscriptions;
  readonly subscriptions: ThreadSubscriptions;
  readonly reports: Reports;
  readonly front: Front;
  readonly random: () => number;
  /** Whether open questions outlive the server where the configuration does not say. */
  readonly asksAfterRestart: boolean;
  /** Whether idle time is used to load what threads need. */
  readonly prefetches: boolean;
  /** The last of these steps. */
  readonly onPrefetched: () => void;
  /** Replaces the configured provider. */
  readonly model?: CustomModel | undefined;
}

export interface Services {
  readonly runtime: Runtime;
  /** The handlers of all methods except `initialize`. */
  createHandlers(parts: ServerParts): LateHandlers;
  /** From now on the connection is notified of summaries of threads. */
  followSummaries(connection: ClientConnection): Promise<void>;
  /** Answers a program that wakes a thread by HTTP. */
  readonly answerWake: AnswerWake;
  readonly checks: Omit<ReadinessChecks, "describeFault">;
  /** Describes a fault of the store or of a file of the home; null for any other error. */
  readonly describeFault: ReadinessChecks["describeFault"];
  ancestorThreadIds(threadId: string): readonly string[];
  readonly knowsFolder: KnowsFolder;
  readonly recordAudit: RecordAudit;
  readonly ownThreadsOf: (subject: string | null) => OwnThreads;
  /** Loaded on first use. */
  readonly devices: () => Promise<DeviceAccess>;
  /** The durable events of threads, for HTTP. */
  readonly eventLogs: EventLogs;
  /** Closes everything that was opened, dependents first. */
  close(): Promise<void>;
}

export function openServices(options: ServicesOptions): Services {
  const { host, config, identity, limits, lifecycle, subscriptions, reports, front } = options;
  const { server, lanes } = front;
  const models = createModels(options);
  const live = createLiveNotices();
  const runtime = createRuntime({
    host,
    config,
    identity,
    models,
    lanes,
    observers: lifecycle,
    storeAddress: options.storeAddress,
    hidden: options.hidden,
    asksAfterRestart: options.asksAfterRestart,
    random: options.random,
    limits: limits.current,
    emit: live.observe(server.notifier.ofThread),
    followers: server.followers,
    clients: server.requests,
    subscribers: subscriptions,
    onEvent: reports.onThreadEvent,
    observe: reports.observeDecisions,
    onWebhookAttempt: reports.onWebhookAttempt,
    onFirstUse: options.onFirstUse,
  });
  front.onClose(runtime.stopJobs);
  if (options.prefetches) front.onClose(prefetch(options, runtime));
  const { deps, threads, lifetimes } = runtime;
  const devices = createLateDevices(options, deps);
  const { ownThreadsOf, mayRead } = createThreadAccess(deps, limits);
  const defaultProvider = () => readDefaultProvider(config, host.env);
  const { queueHandlerParts } = lifetimes;
  const feed = once(() => openSummaryFeed(runtime, options));
  const { describeFault, ...checks } = createReadinessChecks(options.storeAddress, {
    store: deps.store.get,
    defaultProvider,
  });
  return {
    runtime,
    createHandlers: (parts) =>
      createHandlers({
        ...parts,
        ...handlerDeps(deps),
        ...queueHandlerParts,
        schedules: lifetimes.schedules,
        inbox: runtime.inbox,
        waitingThreads: runtime.waitingThreads,
        closeQuestions: runtime.closeQuestions,
        threads,
        defaultProvider,
        lifecycle,
        subscriptions,
        onRenamed: (threadId) => void feed.peek().then((opened) => opened?.touch(threadId)),
        metrics: reports.openMetrics,
        startedAtMs: reports.startedAtMs,
        openWorkbench: (wanted) => openLateWorkbench(deps, wanted),
        onDisconnect: front.onDisconnect,
        onClose: front.onClose,
        devices,
      }),
    devices,
    async followSummaries(connection) {
      // An open queue watches for changes of other processes.
      await queueHandlerParts.queue();
      const { add } = await feed.get();
      if (connection.handshake.phase === "ready") add(connection);
    },
    answerWake: createLateAnswerWake(runtime),
    checks,
    describeFault,
    ancestorThreadIds: (threadId) => ancestorThreadIds(deps.engine, threadId),
    knowsFolder: createFolderCheck(host.cwd, deps),
    ownThreadsOf,
    recordAudit: createAuditRecorder(deps),
    eventLogs: createEventLogs(deps, live, mayRead),
    close: () => closeAll([runtime.close, models.close]),
  };
}

/** Returns the function that stops it. */
function prefetch(
  { host, front, onPrefetched }: ServicesOptions,
  { idleSteps, startHelper, threads }: Runtime,
): () => Promise<void> {
  const isIdle = () => [...front.server.connections].every(({ inFlight }) => inFlight === 0);
  const run = (steps: readonly IdleStep[], quietMs: number) =>
    runWhenIdle(steps, { ...host, isIdle, busyShare: createCpuShare(host.clock), quietMs });
  const lists = [run([...idleSteps.beforeThreads, async () => onPrefetched()], 20)];
  let hasThread = false;
  const stopWaiting = threads.onEvent((_threadId, event) => {
    if (event.type === "loaded" && !hasThread) {
      hasThread = true;
      lists.push(run([startHelper, ...idleSteps.beforeCommands], 100));
    }
    // A new thread is used at once, and the client of a resumed one reads its history first.
    if ((event.type === "loaded" && event.isNew) || event.type === "turnStarted") {
      stopWaiting();
      lists.push(runOnceIdle(startHelper, { ...host, isIdle }));
    }
  });
  return async () => {
    stopWaiting();
    for (const list of lists) list.stop();
  };
}

function createModels({ host, config, reports, random, model }: ServicesOptions): ProviderModels {
  const { env, cwd, clock, log } = host;
  const refuseProgram = createProgramCheck({ env, cwd, writablePaths: config.writablePaths });
  const onRetry = reports.onModelRetry;
  return createProviderModels({ env, clock, log, onRetry, random, refuseProgram }, model);
}

/** The parts of the runtime that handlers use, under the names of `HandlerParts`. */
function handlerDeps(deps: RuntimeDeps) {
  const { host, config, identity, engine, store, machine, skills, hooks, mcp, announcements } = deps;
  return {
    env: host.env,
    cwd: host.cwd,
    clock: host.clock,
    log: host.log,
    createId: host.createId,
    config,
    identity,
    engine,
    announcements,
    store: store.get,
    threadStore: async () => (await store.get()).threads,
    sandbox: machine.sandbox,
    commands: machine.commands.get,
    skills: skills.get,
    hooks: hooks.get,
    mcp: mcp.get,
  };
}
