/** The queues of loaded threads. They are drained by events of threads and by changes of other processes. */

import type { Clock } from "../../base/clock.ts";
import { inBackground, once } from "../../base/tasks.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Accepted } from "../../engine/state/accepted.ts";
import type { EmitFor, ThreadEvent } from "../../engine/state/events.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { QueueHold, ThreadQueueChangedNotification, Turn } from "../../protocol/generated/types.ts";
import type { RowList } from "../../store/queue.ts";
import type { QueuedTurnEnd } from "../../store/queue-log.ts";
import type { Store } from "../../store/store.ts";
import { toWaiting } from "../../store/waiting.ts";
import type { RuntimeDeps } from "../setup/runtime-deps.ts";
import type { LaneHeld, LaneHolder } from "../threads/lane.ts";
import type { Turns } from "../threads/turns.ts";
import type { FinishedTurn } from "./dispatcher.ts";
import { toQueuedTurn } from "./queue-entry.ts";
import { type FirstRow, holdReason, type ThreadState } from "./queue-hold.ts";
import { PUBLISHED } from "./queue-limits.ts";
import { createQueueSettings, createQueueThreads, type QueueThreadsOptions } from "./queue-threads.ts";
import { createRunningQueuedTurns } from "./running-queued-turns.ts";
import { createTurnQueue, type TurnQueue, type TurnQueueOptions } from "./turn-queue.ts";

export interface QueuedTurns {
  readonly get: () => Promise<TurnQueue>;
  /** The queue notification of a loaded thread; null if its queue is empty. */
  noticeOf(threadId: string): Promise<ThreadQueueChangedNotification | null>;
  /** Why the first row of a queue does not start; null if nothing prevents it. */
  holdOf(threadId: string, first: FirstRow): Promise<QueueHold | null>;
  /** Whether a loaded thread may have rows. */
  mayHaveRows(threadId: string): boolean;
  /** Whether a queued turn is running whose questions are denied while the thread has no subscriber. */
  deniesQuestions(threadId: string): boolean;
  onEvent(threadId: string, event: ThreadEvent): void;
  /** Starts no further row. Rows wait for another server, or for the next start of this one. */
  stop(): void;
  close(): Promise<void>;
}

export interface QueuedTurnsOptions {
  readonly threads: Pick<Turns, "startTurn"> & LaneHolder;
  readonly emit: EmitFor;
  /** Called when the queue of a thread has changed. */
  readonly onQueueChange: (threadId: string) => void;
  /** Called with the first rows of a queue when clients are notified of them. */
  readonly onPublished: (threadId: string, rows: RowList) => void;
}

export function createQueuedTurns(
  deps: RuntimeDeps,
  { threads, emit, onQueueChange, onPublished }: QueuedTurnsOptions,
): QueuedTurns {
  const { engine } = deps;
  const { clock, log } = deps.host;
  const notices = createQueueNotices({ engine, clock, store: deps.store.get });
  const hasChangedHold = createHoldWatch();
  let stopWatching = (): void => {};
  let isStopped = false;
  let opened: { readonly turns: TurnQueue; readonly store: Store } | null = null;
  const running = createRunningQueuedTurns(clock);
  const queue = once(async () => {
    const store = await deps.store.get();
    const turns = openTurnQueue(deps, store, {
      threads,
      running,
      isStopped: () => isStopped,
      publish(threadId, list) {
        emit(threadId, "thread/queue/changed", notices.of(threadId, list));
        onQueueChange(threadId);
        onPublished(threadId, list);
      },
      onDue: (threadId) => scheduleDrain(threadId, (its, held) => its.drain(held)),
    });
    stopWatching = store.queue.watch((threadId) => {
      if (engine.find(threadId) !== undefined)
        scheduleDrain(threadId, (its, held) => its.changedElsewhere(held));
      else onQueueChange(threadId);
    });
    opened = { turns, store };
    return turns;
  });

  /** The last turns of threads that are not idle yet. */
  const ends = new Map<string, FinishedTurn>();

  function scheduleDrain(
    threadId: string,
    step: (its: TurnQueue, held: LaneHeld) => Promise<Accepted<Turn> | null>,
  ): void {
    const done = threads.withLane(threadId, async (held) => (await step(await queue.get(), held))?.begin());
    inBackground(log, "draining the queue of a thread", done);
  }

  function onEvent(threadId: string, event: ThreadEvent): void {
    if (hasChangedHold(threadId, event) && opened?.turns.mayHaveRows(threadId) === true)
      inBackground(log, "notifying clients of the state of a queue", opened.turns.republish(threadId));
    const ended = running.onEvent(threadId, event);
    if (ended !== null && opened !== null)
      inBackground(log, "recording the end of a queued turn", recordEnd(opened.store, threadId, ended));
    if (needsRecovery(event, opened !== null)) scheduleDrain(threadId, (its, held) => its.loaded(held));
    if (event.type === "turnEnded") ends.set(threadId, { turnId: event.turnId, how: event.outcome.kind });
    if (event.type === "idle") {
      const last = ends.get(threadId) ?? null;
      ends.delete(threadId);
      // A row that is added from now on finds the thread idle, and starts by itself.
      if (opened?.turns.isKnownEmpty(threadId) === true) return;
      scheduleDrain(threadId, (its, held) => its.turnEnded(held, last));
    }
    if (event.type === "unloaded") {
      ends.delete(threadId);
      void queue.peek().then((its) => its?.forget(threadId));
    }
  }

  return {
    get: queue.get,
    async noticeOf(threadId) {
      if (opened?.turns.mayHaveRows(threadId) !== true) return null;
      const list = await opened.store.queue.list(threadId, PUBLISHED);
      return list.total === 0 ? null : notices.of(threadId, list);
    },
    holdOf: notices.holdOf,
    mayHaveRows: (threadId) => opened?.turns.mayHaveRows(threadId) ?? false,
    deniesQuestions: running.deniesQuestions,
    onEvent,
    stop() {
      isStopped = true;
    },
    async close() {
      stopWatching();
      (await queue.peek())?.close();
    },
  };
}

async function recordEnd(
  { threads, queue }: Pick<Store, "threads" | "queue">,
  threadId: string,
  { turnId, end }: { readonly turnId: string; readonly end: QueuedTurnEnd },
): Promise<void> {
  const fence = threads.journal(threadId)?.fence ?? null;
  if (fence !== null) await queue.recordEnd(fence, turnId, end);
}

type OpeningParts = Pick<QueueThreadsOptions, "threads" | "running" | "isStopped"> &
  Pick<TurnQueueOptions, "publish" | "onDue">;

function openTurnQueue(
  { engine, config, host: { clock, createId, log } }: RuntimeDeps,
  store: Store,
  { threads, running, isStopped, publish, onDue }: OpeningParts,
): TurnQueue {
  const settings = createQueueSettings(config, clock);
  return createTurnQueue({
    queue: store.queue,
    threads: createQueueThreads({ store, engine, threads, running, settings, isStopped }),
    settings,
    clock,
    createId,
    log,
    publish,
    onDue,
  });
}

/** Builds the notifications of a queue, with the reason why its first row does not start. */
interface QueueNotices {
  of(threadId: string, list: RowList): ThreadQueueChangedNotification;
  /** Why the first row does not start; null if nothing prevents it. */
  holdOf(threadId: string, first: FirstRow): Promise<QueueHold | null>;
}

interface QueueNoticesOptions {
  readonly engine: Pick<Engine, "find">;
  readonly store: () => Promise<Pick<Store, "isHeld" | "queue" | "waits">>;
  readonly clock: Clock;
}

function createQueueNotices({ engine, store, clock }: QueueNoticesOptions): QueueNotices {
  return {
    of(threadId, { rows, total, pause }) {
      const state = stateOf(engine.find(threadId));
      const hold = state === null ? null : holdReason({ row: rows[0], pause }, state, clock.now());
      return {
        threadId,
        queuedTurns: rows.map(toQueuedTurn),
        ...(rows.length < total && { nextCursor: String(rows.length) }),
        ...(pause !== null && { pauseReason: pause }),
        ...(hold !== null && { heldUpBy: hold }),
      };
    },
    async holdOf(threadId, first) {
      const here = stateOf(engine.find(threadId));
      return holdReason(first, here ?? (await stateElsewhere(threadId, await store())), clock.now());
    },
  };
}

/** Whether a turn has begun or ended to wait for the end of a usage limit. */
function isLimitChange(event: ThreadEvent): boolean {
  return event.type === "turnResumed" || (event.type === "turnWaiting" && event.reason !== "question");
}

/** Detects that a thread with a running turn starts or stops waiting for an answer, or for the end of a usage limit. */
function createHoldWatch(): (threadId: string, event: ThreadEvent) => boolean {
  const asking = new Set<string>();
  return (threadId, event) => {
    if (isLimitChange(event)) return true;
    if (event.type === "unloaded") asking.delete(threadId);
    if (event.type !== "statusChanged") return false;
    const { status } = event;
    const isAsking = status.type === "active" && status.activeFlags.length > 0;
    if (isAsking === asking.has(threadId)) return false;
    if (isAsking) asking.add(threadId);
    else asking.delete(threadId);
    return status.type === "active";
  };
}

function stateOf(thread: Thread | undefined): ThreadState | null {
  if (thread === undefined) return null;
  const status = thread.status();
  const isAsking = status.type === "active" && status.activeFlags.length > 0;
  return { kind: "loaded", turnId: thread.activeTurnId, isAsking, waiting: thread.waiting() };
}

async function stateElsewhere(
  threadId: string,
  { isHeld, queue, waits }: Pick<Store, "isHeld" | "queue" | "waits">,
): Promise<ThreadState> {
  const wait = await waits.find(threadId);
  if (wait !== null) return { kind: "limited", waiting: toWaiting(wait) };
  if (await isHeld(threadId)) return { kind: "elsewhere" };
  return { kind: (await queue.isAttended()) ? "attended" : "unattended" };
}

/** A new thread has no rows, but the first one opens the queue, which then watches for rows of other processes. */
function needsRecovery(event: ThreadEvent, isQueueOpen: boolean): boolean {
  return event.type === "loaded" && !(event.isNew && isQueueOpen);
}
