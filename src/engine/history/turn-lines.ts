// Converts turns, settings and usage to rollout lines.

import type { CompletedEvent } from "../../model/model.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { LineBody } from "../../store/lines/line.ts";
import { responseItem, threadSettingsApplied, turnContext } from "../../store/lines/thread-lines.ts";
import {
  type TurnIds,
  taskComplete,
  taskStarted,
  tokenCount,
  tokenUsageRecord,
  turnAborted,
} from "../../store/lines/turn-lines.ts";
import type { ThreadSettings } from "../state/settings.ts";
import { type StoredContext, toStoredSettings } from "../state/stored-settings.ts";
import { type OriginatedTurn, rootTurnIdOf } from "../state/turn-origin.ts";
import type { TurnOutcome, TurnState } from "../state/turn-state.ts";
import type { UsageCounter } from "./usage.ts";

export interface TurnOpening {
  readonly atMs: number;
  readonly modelContextWindow: number | null;
  readonly settings: ThreadSettings;
}

export function turnOpened(
  turn: OriginatedTurn,
  { atMs, modelContextWindow, settings }: TurnOpening,
): LineBody {
  const startedAt = toSeconds(atMs);
  return taskStarted({ ...idsOf(turn), startedAt, modelContextWindow, collaborationMode: settings.mode });
}

export function turnSettings(turn: OriginatedTurn, context: StoredContext): LineBody {
  return turnContext({ turn_id: turn.id, root_turn_id: rootTurnIdOf(turn), ...context });
}

function idsOf(turn: OriginatedTurn): TurnIds {
  return { turnId: turn.id, rootTurnId: rootTurnIdOf(turn) };
}

export function settingsApplied(threadId: string, settings: ThreadSettings): LineBody {
  return threadSettingsApplied(threadId, toStoredSettings(settings));
}

export function toItemLines(items: readonly ResponseItem[]): LineBody[] {
  return items.map((item) => responseItem(item));
}

/** The usage of a response, and the total of the thread. */
export function usageLines(
  { threadId, sessionId }: { readonly threadId: string; readonly sessionId: string },
  turn: OriginatedTurn,
  { responseId, usage }: CompletedEvent,
  { counter, modelContextWindow }: { counter: UsageCounter; modelContextWindow: number | null },
): LineBody[] {
  if (usage === null) return [];
  const { total } = counter.read(modelContextWindow);
  return [
    tokenUsageRecord({
      threadId,
      sessionId,
      ...idsOf(turn),
      responseId,
      usage,
      turnUsage: usage,
      threadUsage: total,
    }),
    tokenCount(counter.read(modelContextWindow)),
  ];
}

export function turnClosed(
  turn: OriginatedTurn & { readonly state: TurnState },
  outcome: TurnOutcome,
  atMs: number,
): LineBody {
  const { state } = turn;
  const startedAtMs = state.phase === "accepted" ? null : state.startedAtMs;
  const end = {
    ...idsOf(turn),
    startedAt: startedAtMs === null ? null : toSeconds(startedAtMs),
    completedAt: toSeconds(atMs),
    durationMs: startedAtMs === null ? 0 : atMs - startedAtMs,
  };
  switch (outcome.kind) {
    case "interrupted":
      return turnAborted({ ...end, reason: "interrupted" });
    case "failed":
      return taskComplete({ ...end, lastAgentMessage: null, error: outcome.error });
    case "completed": {
      const { lastMessage } = outcome;
      const text = lastMessage?.type === "agentMessage" ? lastMessage.text : null;
      return taskComplete({ ...end, lastAgentMessage: text });
    }
  }
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
