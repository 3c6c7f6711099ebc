/** Loads and unloads threads without a request of a client: for due queues and schedules, and when they are idle. */

import { randomUUID } from "node:crypto";
import { inBackground, type Once, once } from "../base/tasks.ts";
import type { Engine } from "../engine/engine.ts";
import type { Clients } from "../engine/permissions/questions.ts";
import type { EmitFor, OnEngineEvent } from "../engine/state/events.ts";
import { createBackgroundQueues } from "./background-queues.ts";
import type { Limits } from "./configuration/limits.ts";
import { createQueuedTurns, type QueuedTurns } from "./queue/queued-turns.ts";
import type { OpenSchedules } from "./schedules/open-schedules.ts";
import type { RuntimeDeps } from "./setup/runtime-deps.ts";
import type { ThreadService } from "./thread-service.ts";
import type { RunningTurn } from "./threads/running-turn.ts";
import { createUnloading, type ThreadSubscribers } from "./unloading.ts";
import type { WakeByHook } from "./wake/wake-by-hook.ts";

export interface ThreadLifetimes {
  /** The parts that queue handlers use. */
  readonly queueHandlerParts: {
    readonly queue: QueuedTurns["get"];
    readonly holdOf: QueuedTurns["holdOf"];
    readonly queueNotice: QueuedTurns["noticeOf"];
  };
  readonly schedules: () => Promise<OpenSchedules>;
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

  const queued = createQueuedTurns(deps, {
    threads,
    emit,
    onQueueChange(threadId) {
      unloading.changed(threadId);
      if (engine.find(threadId) === undefined) background.check();
    },
    onPublished: deps.announcements.queueChanged,
  });
  const { clock, log } = deps.host;
  const background = createBackgroundQueues({
    threads,
    store: deps.store.get,
    queue: async () => (await deps.store.get()).queue,
    isLoaded: (threadId) => engine.find(threadId) !== undefined,
    clock,
    log,
  });
  const unloading = createUnloading({
    engine,
    threads,
    subscriptions: subscribers,
    clock,
    log,
    idleMs: (threadId) => (background.isLoadedForQueue(threadId) ? DRAINED_MS : limits().idleThreadMs),
    isNeeded: (threadId) => !background.isOn() && queued.mayHaveRows(threadId),
  });

  const parts = { threads, emit, queue: queued.get };
  const schedules = createLateSchedules(deps, parts);
  const wakeByHook = createLateWakeByHook(deps, parts);

  return {
    schedules: schedules.get,
    queueHandlerParts: { queue: queued.get, holdOf: queued.holdOf, queueNotice: queued.noticeOf },
    onEvent(threadId, event) {
      queued.onEvent(threadId, event);
      if (event.type === "loaded" || event.type === "statusChanged") unloading.changed(threadId);
      if (event.type === "hookWoke")
        inBackground(log, "waking a thread by a hook", wakeByHook(threadId, event));
      if (event.type === "turnStarted") background.turnStarted(threadId);
      if (event.type !== "unloaded") return;
      unloading.changed(threadId);
      background.unloaded(threadId);
    },
    subscribersChanged(threadId) {
      if (subscribers.of(threadId).size > 0) background.joined(threadId);
      unloading.changed(threadId);
    },
    denyUnattended: (clients) => ({
      open: (threadId, ...request) =>
        queued.deniesQuestions(threadId) && subscribers.ofFamily(threadId).size === 0
          ? UNATTENDED
          : clients.open(threadId, ...request),
    }),
    async continueQueues(isDefault) {
      const effective = await (await config.get()).effective();
      // Ignored here: requests report an invalid configuration.
      if (!effective.ok || !(effective.value.values.queue.background ?? isDefault)) return;
      // Opens the queue, which then watches for rows of other processes.
      await queued.get();
      background.start();
      const started = schedules.get().then((its) => its.background.start());
      inBackground(log, "starting the schedules", started);
    },
    running: () => runningIn(engine),
    async drain() {
      queued.stop();
      (await schedules.peek())?.background.stop();
      await Promise.all([background.stop(), engine.whenIdle()]);
    },
    async close() {
      unloading.close();
      (await schedules.peek())?.background.stop();
      await background.stop();
      await queued.close();
    },
  };
}

type LateParts = Pick<ThreadLifetimesOptions, "threads" | "emit"> & { readonly queue: QueuedTurns["get"] };

/** Loaded on first use: most servers have no schedules. */
function createLateSchedules(deps: RuntimeDeps, parts: LateParts): Once<OpenSchedules> {
  return once(async () => (await import("./schedules/open-schedules.ts")).openSchedules(deps, parts));
}

/** Loaded on first use: few hooks wake threads. */
function createLateWakeByHook(
  { engine, store, host: { clock, createId, log } }: RuntimeDeps,
  { threads, queue }: LateParts,
): WakeByHook {
  const loaded = once(async () => {
    const { createWakeByHook } = await import("./wake/wake-by-hook.ts");
    const ports = { engine, threads, queue, store: store.get };
    return createWakeByHook({ ...ports, clock, log, createId, createNonce: randomUUID });
  });
  return async (...wake) => (await loaded.get())(...wake);
}

function runningIn({ find, loaded }: Pick<Engine, "find" | "loaded">): RunningTurn[] {
  return loaded().flatMap((threadId) => {
    const thread = find(threadId);
    const turnId = thread?.activeTurnId ?? null;
    if (thread === undefined || turnId === null) return [];
    const status = thread.status();
    return [{ threadId, turnId, isAsking: status.type === "active" && status.activeFlags.length > 0 }];
  });
}
