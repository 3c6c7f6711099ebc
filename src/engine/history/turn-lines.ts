// What the engine knows of a turn, as lines of its rollout.

import type { CompletedEvent } from "../../model/model.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { LineBody } from "../../store/lines/line.ts";
import { responseItem, threadSettingsApplied, turnContext } from "../../store/lines/thread-lines.ts";
import {
  taskComplete,
  taskStarted,
  tokenCount,
  tokenUsageRecord,
  turnAborted,
} from "../../store/lines/turn-lines.ts";
import type { ThreadSettings } from "../state/settings.ts";
import { toStoredContext, toStoredSettings } from "../state/stored-settings.ts";
import type { TurnOutcome, TurnState } from "../state/turn-state.ts";
import type { UsageCounter } from "./usage.ts";

export interface TurnOpening {
  readonly atMs: number;
  readonly modelContextWindow: number | null;
  readonly settings: ThreadSettings;
}

export function turnOpened(turnId: string, { atMs, modelContextWindow, settings }: TurnOpening): LineBody {
  const startedAt = toSeconds(atMs);
  return taskStarted({ turnId, startedAt, modelContextWindow, collaborationMode: settings.mode });
}

export function turnSettings(turnId: string, settings: ThreadSettings): LineBody {
  return turnContext({ turn_id: turnId, root_turn_id: turnId, ...toStoredContext(settings) });
}

export function settingsApplied(threadId: string, settings: ThreadSettings): LineBody {
  return threadSettingsApplied(threadId, toStoredSettings(settings));
}

export function toItemLines(items: readonly ResponseItem[]): LineBody[] {
  return items.map((item) => responseItem(item));
}

/** How much a response has used, and the thread so far. */
export function usageLines(
  threadId: string,
  turnId: string,
  { responseId, usage }: CompletedEvent,
  { counter, modelContextWindow }: { counter: UsageCounter; modelContextWindow: number | null },
): LineBody[] {
  if (usage === null) return [];
  const { total } = counter.read(modelContextWindow);
  return [
    tokenUsageRecord({
      threadId,
      sessionId: threadId,
      turnId,
      responseId,
      usage,
      turnUsage: usage,
      threadUsage: total,
    }),
    tokenCount(counter.read(modelContextWindow)),
  ];
}

export function turnClosed(
  { id: turnId, state }: { readonly id: string; readonly state: TurnState },
  outcome: TurnOutcome,
  atMs: number,
): LineBody {
  const startedAtMs = state.phase === "accepted" ? null : state.startedAtMs;
  const end = {
    turnId,
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
