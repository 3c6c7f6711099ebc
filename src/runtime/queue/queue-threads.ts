/** The port of queues to threads: journals, turns and the queue configuration. */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Engine } from "../../engine/engine.ts";
import type { TurnOrigin } from "../../engine/state/turn-origin.ts";
import { createChecker } from "../../protocol/check.ts";
import { definitions, requestRows } from "../../protocol/generated/table.ts";
import type { Turn, TurnStartParams } from "../../protocol/generated/types.ts";
import { type QueuedTurnEnd, queuedPreview } from "../../store/queue-log.ts";
import type { Store } from "../../store/store.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import { configOutcome, orThrow } from "../configuration/thread-refusal.ts";
import type { Turns } from "../threads/turns.ts";
import type { QueueThreads } from "./dispatcher.ts";
import { toTurnError } from "./queue-entry.ts";
import type { QueueSettings } from "./queue-recovery.ts";
import type { RunningQueuedTurns } from "./running-queued-turns.ts";

/** Settings are cached this long: reading them takes longer than adding a row. */
const FRESH_MS = 1000;

export interface AllQueueSettings extends QueueSettings {
  readonly deniesQuestions: boolean;
}

export function createQueueSettings(config: ConfigSource, clock: Clock): () => Promise<AllQueueSettings> {
  let cached: { readonly settings: AllQueueSettings; readonly readAt: number } | null = null;
  return async () => {
    const now = clock.monotonic();
    if (cached !== null && now - cached.readAt < FRESH_MS) return cached.settings;
    const { queue } = orThrow(configOutcome(await (await config.get()).effective())).values;
    const settings = {
      maxRows: queue.max_per_thread,
      afterInterrupt: queue.after_interrupt,
      afterFailure: queue.after_failure,
      afterCrash: queue.after_crash,
      deniesQuestions: queue.unattended_questions === "deny",
    };
    cached = { settings, readAt: now };
    return settings;
  };
}

export interface QueueThreadsOptions {
  readonly store: Pick<Store, "threads">;
  readonly engine: Pick<Engine, "find">;
  readonly threads: Pick<Turns, "startTurn">;
  readonly running: RunningQueuedTurns;
  readonly settings: () => Promise<AllQueueSettings>;
  /** Once true, no row starts any more. */
  readonly isStopped: () => boolean;
}

const FROM_QUEUE: TurnOrigin = { kind: "queue", rootTurnId: null, parentTurnId: null };

export function createQueueThreads(options: QueueThreadsOptions): QueueThreads {
  const { engine, running, settings, isStopped } = options;
  const { threads: stored } = options.store;
  const checker = createChecker(definitions);
  return {
    fenceOf: (threadId) => stored.journal(threadId)?.fence ?? null,
    async persist(threadId) {
      const persisted = await stored.journal(threadId)?.persist();
      return persisted?.kind === "persisted" ? persisted.fence : null;
    },
    isFree: (threadId) => !isStopped() && engine.find(threadId)?.activeTurnId === null,
    async start(held, { rowId, params }, turnId) {
      const { threadId } = held;
      const failed = (message: string) => ({ kind: "failed" as const, error: toTurnError(message) });
      try {
        // The row may come from another version, or from a command without a server.
        const verdict = checker.check(requestRows["turn/start"].params ?? "", { ...params, threadId });
        if (!verdict.ok) return failed(`the params of the queued turn are not valid: ${verdict.message}`);
        const turnParams = params as unknown as TurnStartParams;
        const effects = [{ kind: "queueStarted", rowId, turnId, preview: queuedPreview(params) }] as const;
        const start = { turnId, effects, origin: FROM_QUEUE, whenBusy: "refuse" } as const;
        const { deniesQuestions } = await settings();
        const outcome = await options.threads.startTurn(held, turnParams, start);
        if (outcome.kind === "refused") return failed(outcome.message);
        running.add(threadId, turnId, deniesQuestions);
        return outcome;
      } catch (error) {
        return failed(messageOf(error));
      }
    },
    async lastTurns(threadId, limit) {
      const page = await stored.turns(threadId, { direction: "desc", limit, itemsView: "notLoaded" });
      const activeId = engine.find(threadId)?.activeTurnId ?? null;
      return page.kind === "page"
        ? page.data.map((turn) => ({ ...toEndedTurn(turn), isRunning: turn.id === activeId }))
        : null;
    },
  };
}

/** A turn without an end was interrupted by the death of its process. */
function toEndedTurn({ id: turnId, status, completedAt, startedAt, durationMs, error }: Turn) {
  const how: QueuedTurnEnd["how"] = status === "inProgress" ? "interrupted" : status;
  const end: QueuedTurnEnd = {
    how,
    atMs: (completedAt ?? startedAt ?? 0) * 1000,
    durationMs: durationMs ?? null,
    tokens: null,
    error: error?.message ?? null,
  };
  return { turnId, how, end };
}
