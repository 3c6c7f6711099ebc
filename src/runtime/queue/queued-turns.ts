/** The queues of the threads that are loaded here: when they go on, and what their turns are started with. */

import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Lanes } from "../../base/lanes.ts";
import type { Logger } from "../../base/logger.ts";
import { inBackground, once } from "../../base/tasks.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Accepted } from "../../engine/state/accepted.ts";
import type { EmitFor, ThreadEvent } from "../../engine/state/events.ts";
import type { TurnOrigin } from "../../engine/state/turn-origin.ts";
import { createChecker } from "../../protocol/check.ts";
import { definitions, requestRows } from "../../protocol/generated/table.ts";
import type {
  QueueHold,
  ThreadQueueChangedNotification,
  Turn,
  TurnStartParams,
} from "../../protocol/generated/types.ts";
import { previewOf, type TurnEnd } from "../../store/queue-log.ts";
import type { Store } from "../../store/store.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import { configOutcome, orThrow } from "../configuration/thread-refusal.ts";
import { type LaneHeld, withLane } from "../threads/lane.ts";
import type { Turns } from "../threads/turns.ts";
import type { EndedTurn, QueueThreads } from "./dispatcher.ts";
import { toTurnError } from "./queue-entry.ts";
import type { FirstRow } from "./queue-hold.ts";
import { PUBLISHED } from "./queue-limits.ts";
import { createAskingWatch, createQueueNotices } from "./queue-notices.ts";
import { createRunningQueuedTurns, type RunningQueuedTurns } from "./running-queued-turns.ts";
import { createTurnQueue, type QueueSettings, type TurnQueue } from "./turn-queue.ts";

export interface QueuedTurns {
  readonly get: () => Promise<TurnQueue>;
  /** What clients are told of the queue of a loaded thread; null where nothing waits. */
  noticeOf(threadId: string): Promise<ThreadQueueChangedNotification | null>;
  /** What keeps the first row of a queue from starting; null where nothing does. */
  holdOf(threadId: string, first: FirstRow): Promise<QueueHold | null>;
  /** Whether a thread that is loaded may have rows. */
  mayHaveRows(threadId: string): boolean;
  /** Whether a turn of the queue runs in a thread whose questions nobody is to be asked while no client follows it. */
  deniesQuestions(threadId: string): boolean;
  onEvent(threadId: string, event: ThreadEvent): void;
  /** From now on what waits goes on waiting, for another server or for the next start of this one. */
  hold(): void;
  close(): Promise<void>;
}

export interface QueuedTurnsOptions {
  readonly lanes: Lanes;
  readonly engine: Pick<Engine, "find">;
  readonly threads: Pick<Turns, "startTurn">;
  readonly store: () => Promise<Store>;
  readonly config: ConfigSource;
  readonly emit: EmitFor;
  /** The queue of a thread has changed. */
  readonly onQueueChange: (threadId: string) => void;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
}

export function createQueuedTurns(options: QueuedTurnsOptions): QueuedTurns {
  const { lanes, engine, emit, clock, log } = options;
  const notices = createQueueNotices(options);
  const hasChangedAsking = createAskingWatch();
  let stopWatching = (): void => {};
  let isHeld = false;
  let opened: { readonly turns: TurnQueue; readonly store: Store } | null = null;
  const running = createRunningQueuedTurns(clock);
  const queue = once(async () => {
    const store = await options.store();
    const settings = createSettings(options);
    const threads = queueThreadsOf(store, { ...options, running, settings });
    const turns = createTurnQueue({
      ...options,
      queue: store.queue,
      threads: { ...threads, isFree: (threadId) => !isHeld && threads.isFree(threadId) },
      settings,
      publish(threadId, list) {
        emit(threadId, "thread/queue/changed", notices.of(threadId, list));
        options.onQueueChange(threadId);
      },
      onDue: (threadId) => scheduleDrain(threadId, (its, held) => its.drain(held)),
    });
    stopWatching = store.queue.watch((threadId) => {
      if (engine.find(threadId) !== undefined)
        scheduleDrain(threadId, (its, held) => its.changedElsewhere(held));
      else options.onQueueChange(threadId);
    });
    opened = { turns, store };
    return turns;
  });

  /** How the turns have ended after which nothing runs yet. */
  const ends = new Map<string, EndedTurn>();

  function record(threadId: string, turnId: string, end: TurnEnd): void {
    const fence = opened?.store.threads.journal(threadId)?.fence ?? null;
    if (opened === null || fence === null) return;
    inBackground(log, "recording the end of a queued turn", opened.store.queue.recordEnd(fence, turnId, end));
  }

  function scheduleDrain(
    threadId: string,
    step: (its: TurnQueue, held: LaneHeld) => Promise<Accepted<Turn> | null>,
  ): void {
    const done = withLane(lanes, threadId, async (held) => (await step(await queue.get(), held))?.begin());
    inBackground(log, "draining the queue of a thread", done);
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
    onEvent(threadId, event) {
      if (hasChangedAsking(threadId, event) && opened?.turns.mayHaveRows(threadId) === true)
        inBackground(log, "telling what holds a queue up", opened.turns.show(threadId));
      const ended = running.onEvent(threadId, event);
      if (ended !== null) record(threadId, ended.turnId, ended.end);
      if (event.type === "loaded") scheduleDrain(threadId, (its, held) => its.loaded(held));
      if (event.type === "turnEnded") ends.set(threadId, { turnId: event.turnId, how: event.outcome.kind });
      if (event.type === "idle") {
        const last = ends.get(threadId) ?? null;
        ends.delete(threadId);
        scheduleDrain(threadId, (its, held) => its.turnEnded(held, last));
      }
      if (event.type === "unloaded") {
        ends.delete(threadId);
        void queue.peek().then((its) => its?.forget(threadId));
      }
    },
    hold() {
      isHeld = true;
    },
    async close() {
      stopWatching();
      (await queue.peek())?.close();
    },
  };
}

/** How long they count as they were read: reading takes longer than adding a row. */
const FRESH_MS = 1000;

interface AllSettings extends QueueSettings {
  readonly deniesQuestions: boolean;
}

function createSettings({ config, clock }: Pick<QueuedTurnsOptions, "config" | "clock">) {
  let known: { readonly settings: AllSettings; readonly readAt: number } | null = null;
  return async (): Promise<AllSettings> => {
    const now = clock.monotonic();
    if (known !== null && now - known.readAt < FRESH_MS) return known.settings;
    const { queue } = orThrow(configOutcome(await (await config.get()).effective())).values;
    const settings = {
      maxRows: queue.max_per_thread,
      afterInterrupt: queue.after_interrupt,
      afterFailure: queue.after_failure,
      deniesQuestions: queue.unattended_questions === "deny",
    };
    known = { settings, readAt: now };
    return settings;
  };
}

interface StartingParts extends Pick<QueuedTurnsOptions, "engine" | "threads"> {
  readonly running: RunningQueuedTurns;
  readonly settings: () => Promise<AllSettings>;
}

function queueThreadsOf(
  { threads }: Store,
  { engine, threads: turns, running, settings }: StartingParts,
): QueueThreads {
  const checker = createChecker(definitions);

  async function lastTurns(threadId: string, limit: number): Promise<readonly Turn[]> {
    const page = await threads.turns(threadId, { direction: "desc", limit, itemsView: "notLoaded" });
    return page.kind === "page" ? page.data : [];
  }

  return {
    fenceOf: async (threadId) => threads.journal(threadId)?.fence ?? null,
    async hold(threadId) {
      const persisted = await threads.journal(threadId)?.persist();
      return persisted?.kind === "persisted" ? persisted.fence : null;
    },
    isFree: (threadId) => engine.find(threadId)?.activeTurnId === null,
    async start(held, { rowId, params }, turnId) {
      const { threadId } = held;
      const failed = (message: string) => ({ kind: "failed" as const, error: toTurnError(message) });
      try {
        // It may have been kept by another version, or by no server at all.
        const verdict = checker.check(requestRows["turn/start"].params ?? "", { ...params, threadId });
        if (!verdict.ok) return failed(`what it was queued with is not valid: ${verdict.message}`);
        const wanted = params as unknown as TurnStartParams;
        const effects = [{ kind: "queueStarted", rowId, turnId, preview: previewOf(params) }] as const;
        const start = { turnId, effects, origin: FROM_QUEUE, whenBusy: "refuse" } as const;
        const { deniesQuestions } = await settings();
        const outcome = await turns.startTurn(held, wanted, start);
        if (outcome.kind === "refused") return failed(outcome.message);
        running.add(threadId, turnId, deniesQuestions);
        return outcome;
      } catch (error) {
        return failed(messageOf(error));
      }
    },
    hasTurn: async (threadId, turnId) => (await lastTurns(threadId, RECENT)).some(({ id }) => id === turnId),
    async lastTurn(threadId) {
      const [last] = await lastTurns(threadId, 1);
      return last === undefined ? null : { turnId: last.id, how: howEnded(last) };
    },
    async endOf(threadId, turnId) {
      const turn = (await lastTurns(threadId, RECENT)).find(({ id }) => id === turnId);
      if (turn === undefined) return null;
      const { completedAt, startedAt, durationMs, error } = turn;
      return {
        how: howEnded(turn),
        atMs: (completedAt ?? startedAt ?? 0) * 1000,
        durationMs: durationMs ?? null,
        tokens: null,
        error: error?.message ?? null,
      };
    },
  };
}

const FROM_QUEUE: TurnOrigin = { kind: "queue", rootTurnId: null, parentTurnId: null };

/** One without an end was cut off with its process. */
const howEnded = ({ status }: Turn): TurnEnd["how"] => (status === "inProgress" ? "interrupted" : status);

/** A turn that was claimed is one of the last. */
const RECENT = 50;
