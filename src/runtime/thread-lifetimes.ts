/** Loads and unloads threads without a request of a client: for due queues and schedules, and when they are idle. */

import { createObservers, type Observers } from "../base/observers.ts";
import { inBackground } from "../base/tasks.ts";
import type { Engine } from "../engine/engine.ts";
import type { Clients } from "../engine/permissions/questions.ts";
import type { EmitFor, OnEngineEvent, ThreadEvent } from "../engine/state/events.ts";
import type { Thread } from "../engine/thread-options.ts";
import type { Queue } from "../store/queue.ts";
import type { Store } from "../store/store.ts";
import { type BackgroundQueues, createBackgroundQueues } from "./background-queues.ts";
import type { Limits } from "./configuration/limits.ts";
import { createLateParts, type LateParts, readValues } from "./late-parts.ts";
import { createQueuedTurns, type QueuedTurns } from "./queue/queued-turns.ts";
import { keepsQuestions } from "./setup/keeps-questions.ts";
import type { RuntimeDeps } from "./setup/runtime-deps.ts";
import type { ThreadService } from "./thread-service.ts";
import type { RunningTurn } from "./threads/running-turn.ts";
import { createUnloading, type ThreadSubscribers } from "./unloading.ts";
import { findDueThreads } from "./waits/due-threads.ts";

export interface ThreadLifetimes {
  /** The parts that queue handlers use. */
  readonly queueHandlerParts: {
    readonly queue: QueuedTurns["get"];
    readonly holdOf: QueuedTurns["holdOf"];
    readonly queueNotice: QueuedTurns["noticeOf"];
    /** Calls back with each thread whose queue changes from now on; returns the function that ends it. */
    readonly onQueueChange: (listener: (threadId: string) => void) => () => void;
  };
  readonly schedules: LateParts["schedules"]["get"];
  readonly onEvent: OnEngineEvent;
  /** Called when subscribers were added to a thread or removed from it. */
  subscribersChanged(threadId: string): void;
  /**
   * Wraps `clients`: questions of a queued turn are denied at once if so configured and the thread has no
   * subscriber.
   */
  denyUnattended(clients: Clients): Clients;
  // The methods of `Heddle` with these names.
  continueQueues(isDefault: boolean): Promise<void>;
  drain(): Promise<void>;
  running(): RunningTurn[];
  close(): Promise<void>;
}

export interface ThreadLifetimesOptions {
  readonly threads: ThreadService;
  readonly emit: EmitFor;
  readonly subscribers: ThreadSubscribers;
  readonly limits: () => Pick<Limits, "idleThreadMs">;
}

/** The idle time after which a thread that was loaded only for its queue is unloaded. */
const DRAINED_MS = 10_000;

/** The same while other threads wait for its place. */
const DRAINED_WHEN_FULL_MS = 250;

/** Events after which a thread may be idle, or no longer. */
const MAY_END_IDLENESS: readonly ThreadEvent["type"][] = [
  "loaded",
  "statusChanged",
  "turnWaiting",
  "turnResumed",
];

/** No answer counts as a denial. */
const UNATTENDED = {
  id: "unattended",
  answer: Promise.resolve({
    kind: "unanswered" as const,
    reason: "no client follows the thread, and queue.unattended_questions is deny",
  }),
  withdraw() {},
};

export function createThreadLifetimes(
  deps: RuntimeDeps,
  { threads, emit, subscribers, limits }: ThreadLifetimesOptions,
): ThreadLifetimes {
  const { engine, config } = deps;
  const queueChanges = createObservers<[threadId: string]>();

  const queued = createQueuedTurns(deps, {
    threads,
    emit,
    onQueueChange(threadId) {
      unloading.changed(threadId);
      if (engine.find(threadId) === undefined) background.check();
      queueChanges.call(threadId);
    },
    onPublished: deps.announcements.queueChanged,
  });
  const { clock, log } = deps.host;
  const background = openBackgroundQueues(deps, threads);
  const unloading = createUnloading({
    engine,
    threads,
    clock,
    log,
    subscriptions: subscribers,
    idleMs: (threadId) => idleTime(threadId, background, limits()),
    mayLeaveTurn: (threadId) => background.isOn() && waitsForLimit(engine.find(threadId)),
    isNeeded: (threadId) => !background.isOn() && queued.mayHaveRows(threadId),
  });

  const { schedules, wakeByHook, watch } = createLateParts(deps, { threads, emit, queue: queued.get });
  const waits = async () => (await watch.get()).waits();
  const startSchedules = async () => (await schedules.get()).background.start();
  const stopLate = async () => {
    (await schedules.peek())?.background.stop();
    (await watch.peek())?.close();
  };

  return {
    schedules: schedules.get,
    queueHandlerParts: toHandlerParts(queued, queueChanges),
    onEvent(threadId, event) {
      queued.onEvent(threadId, event);
      if (MAY_END_IDLENESS.includes(event.type)) unloading.changed(threadId);
      if (event.type === "hookWoke") inBackground(log, "waking by a hook", wakeByHook(threadId, event));
      if (event.type === "turnWaiting" && event.reason === "question")
        inBackground(log, "watching for answers", waits());
      if (event.type === "statusChanged" && isAsking(engine.find(threadId))) background.check();
      if (event.type === "turnStarted") background.turnStarted(threadId);
      if (event.type !== "unloaded") return;
      unloading.changed(threadId);
      background.unloaded(threadId);
    },
    subscribersChanged(threadId) {
      if (subscribers.of(threadId).size > 0) background.joined(threadId);
      unloading.changed(threadId);
    },
    denyUnattended: createUnattendedDenial(queued, subscribers),
    async continueQueues(isDefault) {
      const values = await readValues(config);
      // Ignored here: requests report an invalid configuration.
      if (values === null) return;
      if (keepsQuestions(values, deps)) (await watch.get()).continueThreads();
      if (!(values.queue.background ?? isDefault)) return;
      // Opens the queue, which then watches for rows of other processes.
      await queued.get();
      background.start(values.queue.max_background_threads);
      inBackground(log, "starting the schedules", startSchedules());
    },
    running: () => runningIn(engine),
    async drain() {
      queued.stop();
      await stopLate();
      await Promise.all([background.stop(), engine.drain()]);
    },
    async close() {
      unloading.close();
      await stopLate();
      await background.stop();
      await queued.close();
    },
  };
}

function toHandlerParts(
  { get: queue, holdOf, noticeOf: queueNotice }: QueuedTurns,
  { add: onQueueChange }: Observers<[threadId: string]>,
): ThreadLifetimes["queueHandlerParts"] {
  return { queue, holdOf, queueNotice, onQueueChange };
}

function openBackgroundQueues({ store, engine, host: { clock, log } }: RuntimeDeps, threads: ThreadService) {
  return createBackgroundQueues({
    threads,
    store: store.get,
    queue: async () => withWaits(await store.get()),
    isLoaded: (threadId) => engine.find(threadId) !== undefined,
    isAsking: (threadId) => isAsking(engine.find(threadId)),
    clock,
    log,
  });
}

function createUnattendedDenial(
  { deniesQuestions }: Pick<QueuedTurns, "deniesQuestions">,
  subscribers: ThreadSubscribers,
): ThreadLifetimes["denyUnattended"] {
  return ({ open }) => ({
    open: (threadId, ...request) =>
      deniesQuestions(threadId) && subscribers.ofFamily(threadId).size === 0
        ? UNATTENDED
        : open(threadId, ...request),
  });
}

/** Waits that are over are due as queued turns are. */
function withWaits({
  queue,
  waits,
}: Pick<Store, "queue" | "waits">): Pick<Queue, "due" | "attend" | "leave"> {
  const { attend, leave } = queue;
  return { attend, leave, due: () => findDueThreads(queue, waits) };
}

function idleTime(
  threadId: string,
  { isLoadedForQueue, isFull }: BackgroundQueues,
  { idleThreadMs }: Pick<Limits, "idleThreadMs">,
): number {
  if (!isLoadedForQueue(threadId)) return idleThreadMs;
  return isFull() ? DRAINED_WHEN_FULL_MS : DRAINED_MS;
}

function isAsking(thread: Thread | undefined): boolean {
  const status = thread?.status();
  return status?.type === "active" && status.activeFlags.length > 0;
}

/** Such a turn is left to the process that loads the thread when the limit ends. */
function waitsForLimit(thread: Thread | undefined): boolean {
  return thread?.waiting()?.reason === "usageLimit";
}

function runningIn({ find, loaded }: Pick<Engine, "find" | "loaded">): RunningTurn[] {
  return loaded().flatMap((threadId) => {
    const thread = find(threadId);
    const turnId = thread?.activeTurnId ?? null;
    if (thread === undefined || turnId === null) return [];
    return [{ threadId, turnId, isAsking: isAsking(thread) }];
  });
}
