/** The runtime: the engine, the thread service, and everything that threads need. It has no clients. */
import { randomUUID } from "node:crypto";
import type { IdleStep } from "../base/idle-steps.ts";
import type { Lanes } from "../base/lanes.ts";
import { closeAll, type Once, once } from "../base/tasks.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import type { EventFollowers } from "../engine/history/durable-events.ts";
import type { Clients } from "../engine/permissions/questions.ts";
import type { EmitFor, OnEngineEvent } from "../engine/state/events.ts";
import type { ThreadWaiting } from "../protocol/generated/types.ts";
import type { Decisions } from "../store/decisions.ts";
import { parseStoreAddress } from "../store/open/store-address.ts";
import { LOCAL_SCOPE } from "../store/scope.ts";
import type { Store } from "../store/store.ts";
import type { ConfigSource } from "./configuration/config-source.ts";
import type { Host } from "./configuration/host.ts";
import type { Identity } from "./configuration/identity.ts";
import { readInstallationId } from "./configuration/installation-id.ts";
import type { Limits } from "./configuration/limits.ts";
import { createLockProgram } from "./configuration/lock-program.ts";
import { configOutcome, orThrow } from "./configuration/thread-refusal.ts";
import { createMachine, type HiddenFromCommands } from "./machine/machine.ts";
import { startHelper, stepsBeforeCommands, stepsBeforeThreads } from "./prefetch.ts";
import type { Inbox } from "./questions/inbox.ts";
import { observeQuestions } from "./questions/observe-questions.ts";
import { createRetentionJob } from "./retention-job.ts";
import { keepsQuestions } from "./setup/keeps-questions.ts";
import type { ProviderModels } from "./setup/provider-models.ts";
import type { LifecycleObservers, RuntimeDeps } from "./setup/runtime-deps.ts";
import { createThreadLifetimes, type ThreadLifetimes } from "./thread-lifetimes.ts";
import { createThreadService, type ThreadService } from "./thread-service.ts";
import { createReadStateKeeper } from "./threads/read-states.ts";
import { releaseThread } from "./threads/release-thread.ts";
import type { ThreadSubscribers } from "./unloading.ts";
import { findLimited } from "./waits/limited-threads.ts";
import { createAnnouncements } from "./webhooks/announcements.ts";
import type { AttemptKind } from "./webhooks/deliverer.ts";

/** Ports that the front provides, and options of the whole server. */
export interface RuntimeOptions {
  readonly host: Host;
  readonly config: ConfigSource;
  readonly identity: Identity;
  readonly models: ProviderModels;
  /** The lanes in which requests and background work wait. */
  readonly lanes: Lanes;
  readonly observers: LifecycleObservers;
  /** The address of the thread store, as `openStore` parses it. */
  readonly storeAddress: string;
  readonly hidden: HiddenFromCommands;
  readonly limits: () => Pick<Limits, "idleThreadMs">;
  /** Notifies the clients of a thread. */
  readonly emit: EmitFor;
  /** Sends durable events to the clients that follow a thread. */
  readonly followers: EventFollowers;
  /** Asks the clients of a thread. */
  readonly clients: Clients;
  readonly subscribers: ThreadSubscribers;
  readonly asksAfterRestart: boolean;
  readonly random: () => number;
  /** Called with every event of threads, before the runtime acts on it. */
  readonly onEvent: OnEngineEvent;
  /** Called after each attempt to deliver a webhook. */
  readonly onWebhookAttempt: (kind: AttemptKind) => void;
  /** Wraps the decisions of the store, to observe them. */
  readonly observe: (decisions: Decisions) => Decisions;
  /** Called once, when the store is first used. */
  readonly onFirstUse?: (() => void) | undefined;
}

export interface Runtime {
  readonly deps: RuntimeDeps;
  readonly threads: ThreadService;
  readonly lifetimes: ThreadLifetimes;
  /** The questions of all threads. */
  readonly inbox: () => Promise<Inbox>;
  /** The threads, not loaded here, whose turns wait for answers; of one thread if it is named. */
  readonly waitingThreads: (threadId?: string) => Promise<ReadonlyMap<string, ThreadWaiting>>;
  /** Denies the open questions of threads that were archived or deleted. */
  readonly closeQuestions: (threadIds: readonly string[]) => Promise<void>;
  /** Steps for idle time: what is needed before the first thread, and what by a thread's commands. */
  readonly idleSteps: {
    readonly beforeThreads: readonly IdleStep[];
    readonly beforeCommands: readonly IdleStep[];
  };
  /** Starts the helper process that starts commands. */
  startHelper(): Promise<void>;
  /** Stops the periodic jobs. */
  stopJobs(): Promise<void>;
  /** Closes everything that was opened, dependents first. */
  close(): Promise<void>;
}

export function createRuntime(options: RuntimeOptions): Runtime {
  const { host, config, lanes } = options;
  const { clock, createId, log } = host;
  const engine: Engine = createEngine({
    clock,
    createId,
    log,
    createRevision: randomUUID,
    emit: options.emit,
    followers: options.followers,
    clients: { open: (...request) => lifetimes.denyUnattended(clients).open(...request) },
  });
  const onQuestion = (number: number) => void questions.inbox.peek().then((inbox) => inbox?.touch(number));
  const store = once(() => openObservedStore(options, onQuestion));
  const deps = createDeps(options, engine, withFirstUse(store, options.onFirstUse));
  const { announcements } = deps;
  const clients = announcements.announceQuestions(options.clients);
  const threads = createThreadService(deps, lanes);
  const lifetimes = createThreadLifetimes(deps, {
    threads,
    emit: options.emit,
    subscribers: options.subscribers,
    limits: options.limits,
  });
  const questions = createQuestionParts({ deps, store, threads });
  const readStates = createReadStateKeeper(deps);
  const retention = createRetentionJob(host, config, options.storeAddress);

  threads.onEvent(options.onEvent);
  threads.onEvent(lifetimes.onEvent);
  threads.onEvent(announcements.onEvent);
  threads.onEvent((threadId, event) => {
    if (event.type === "readStateChanged") void readStates.keep(threadId, event.readState);
    if (event.type !== "unloaded") return;
    releaseThread(deps, threadId);
    readStates.forget(threadId);
  });

  return {
    deps,
    threads,
    lifetimes,
    inbox: questions.inbox.get,
    waitingThreads: questions.waitingThreads,
    closeQuestions: questions.closeQuestions,
    idleSteps: {
      beforeThreads: stepsBeforeThreads(options.storeAddress, store.get),
      beforeCommands: stepsBeforeCommands(deps.machine),
    },
    startHelper: () => startHelper(deps.machine),
    stopJobs: () => closeAll([retention.close, announcements.close]),
    close: () =>
      closeAll([
        async () => (await questions.inbox.peek())?.close(),
        deps.machine.close,
        async () => (await deps.mcp.peek())?.close(),
        async () => (await deps.skills.peek())?.catalog.close(),
        async () => (await deps.store.peek())?.close(),
      ]),
  };
}

interface QuestionPartsOptions {
  readonly deps: RuntimeDeps;
  readonly store: Once<Store>;
  readonly threads: ThreadService;
}

/** Where questions end with the server, no list of threads reads any. */
function createQuestionParts({ deps, store, threads }: QuestionPartsOptions): Pick<
  Runtime,
  "waitingThreads" | "closeQuestions"
> & {
  readonly inbox: Once<Inbox>;
} {
  const { engine, config } = deps;
  const settings = once(async () => {
    const { values } = orThrow(configOutcome(await (await config.get()).effective()));
    return { isKept: keepsQuestions(values, deps), timeoutMs: values.approvals.timeout_sec * 1000 };
  });
  const mayKeep = async () => deps.asksAfterRestart || (await settings.get()).isKept;
  async function askedThreads(decisions: Store["decisions"], threadId?: string) {
    if (!(await mayKeep())) return [];
    const { findWaiting } = await import("./questions/waiting-threads.ts");
    return findWaiting(decisions, (await settings.get()).timeoutMs, threadId);
  }
  return {
    async closeQuestions(threadIds) {
      if (!(await mayKeep())) return;
      const { closeQuestions } = await import("./questions/waiting-threads.ts");
      await closeQuestions((await store.get()).decisions, threadIds);
    },
    async waitingThreads(threadId) {
      const { decisions, waits } = await store.get();
      const limited = await findLimited(waits, threadId);
      const asked = await askedThreads(decisions, threadId);
      return new Map([...asked, ...limited].filter(([id]) => engine.find(id) === undefined));
    },
    inbox: once(async () =>
      (await import("./questions/inbox.ts")).createInbox({
        store: store.get,
        engine,
        threads,
        clock: deps.host.clock,
        log: deps.host.log,
        keepsQuestions: async () => (await settings.get()).isKept,
      }),
    ),
  };
}

/** Slow modules are imported on first use. */
function createDeps(options: RuntimeOptions, engine: Engine, store: Once<Store>): RuntimeDeps {
  const { host, config, identity, models, observers, emit } = options;
  const machine = createMachine(host, config, options.hidden);
  return {
    host,
    config,
    identity,
    engine,
    models,
    machine,
    observers,
    announcements: createAnnouncements(
      { host, config, engine, store },
      { random: options.random, onAttempt: options.onWebhookAttempt },
    ),
    asksAfterRestart: options.asksAfterRestart,
    random: options.random,
    installationId: createInstallationId(options),
    store,
    skills: once(async () => (await import("./setup/skills.ts")).openSkills(host, config)),
    hooks: once(async () => (await import("./setup/hooks.ts")).createHooks(host, config, machine.guard)),
    mcp: once(async () =>
      (await import("./mcp/mcp-servers.ts")).openMcpServers(host, config, (status) =>
        emit(status.threadId, "mcpServer/startupStatus/updated", status),
      ),
    ),
    rulesWarning: once(async () => (await import("./setup/open-rules.ts")).findRulesWarning(host, config))
      .get,
  };
}

/** A store that was opened in advance has not been used. */
function withFirstUse({ get, peek }: Once<Store>, onFirstUse = () => {}): Once<Store> {
  let isUsed = false;
  return {
    get() {
      if (!isUsed) {
        isUsed = true;
        onFirstUse();
      }
      return get();
    },
    peek,
  };
}

/** The id is stored in the home only if threads are stored there as well. */
function createInstallationId({ config, storeAddress }: RuntimeOptions): () => string {
  const isInHome = parseStoreAddress(storeAddress).kind === "files";
  let id: string | null = null;
  return () => {
    id ??= isInHome ? readInstallationId(config.home) : randomUUID();
    return id;
  };
}

async function openObservedStore(
  { host, config, storeAddress, observe }: RuntimeOptions,
  onQuestion: (number: number) => void,
): Promise<Store> {
  const { openStore } = await import("../store/open/open-store.ts");
  const { clock, log, createId } = host;
  const { values } = orThrow(configOutcome(await (await config.get()).effective()));
  const files = { durability: values.durability, lockProgram: createLockProgram(host, config) };
  const opened = await openStore(storeAddress, { clock, log, createId, files });
  // Without authentication every client is the operator.
  const store = opened.forScope(LOCAL_SCOPE);
  const { node, signal } = store.membership;
  signal.addEventListener("abort", () =>
    log.error("the store lost its membership: other processes may take its threads", { node: node.id }),
  );
  return { ...store, decisions: observeQuestions(observe(store.decisions), onQuestion) };
}
