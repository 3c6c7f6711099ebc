// Lines about turns, created from engine values.

import { withoutNulls } from "../../base/json-members.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type {
  ThreadItem,
  ThreadTokenUsage,
  TokenUsageBreakdown,
  TurnError,
} from "../../protocol/generated/types.ts";
import type { LineBody } from "./line.ts";
import { toStoredItem } from "./stored-item.ts";
import { storeTurnError, storeUsage } from "./turn-values.ts";

export interface TurnIds {
  readonly turnId: string;
  /** The turn itself, unless a turn of another thread caused it. */
  readonly rootTurnId?: string | null;
}

export interface TurnStart extends TurnIds {
  /** In seconds. */
  readonly startedAt: number;
  readonly modelContextWindow: number | null;
  readonly collaborationMode: string;
}

export function taskStarted(turn: TurnStart): LineBody {
  return event("task_started", {
    ...ids(turn),
    started_at: turn.startedAt,
    model_context_window: turn.modelContextWindow,
    collaboration_mode_kind: turn.collaborationMode,
  });
}

export interface TurnEnd extends TurnIds {
  readonly startedAt: number | null;
  readonly completedAt: number;
  readonly durationMs: number;
}

export interface CompletedTurn extends TurnEnd {
  readonly lastAgentMessage: string | null;
  readonly error?: TurnError | null;
}

export function taskComplete(turn: CompletedTurn): LineBody {
  return event("task_complete", {
    ...ids(turn),
    ...ending(turn),
    error: turn.error == null ? null : storeTurnError(turn.error),
    last_agent_message: turn.lastAgentMessage,
  });
}

export function turnAborted(turn: TurnEnd & { readonly reason: string }): LineBody {
  return event("turn_aborted", { ...ids(turn), reason: turn.reason, ...ending(turn) });
}

/** A turn that a fork does not continue; turns of legacy files may have no id. */
export interface UnfinishedTurn {
  readonly turnId: string | null;
  readonly rootTurnId: string | null;
  readonly startedAt: number | null;
}

export function turnInterrupted({ turnId, rootTurnId, startedAt }: UnfinishedTurn): LineBody {
  return event("turn_aborted", {
    turn_id: turnId,
    root_turn_id: rootTurnId,
    reason: "interrupted",
    started_at: startedAt,
  });
}

export interface CompletedItem {
  readonly threadId: string;
  readonly turnId: string;
  readonly item: ThreadItem;
  readonly startedAtMs: number;
  readonly completedAtMs: number;
}

export function itemCompleted({
  threadId,
  turnId,
  item,
  startedAtMs,
  completedAtMs,
}: CompletedItem): LineBody {
  return event("item_completed", {
    thread_id: threadId,
    turn_id: turnId,
    item: toStoredItem(item),
    started_at_ms: startedAtMs,
    completed_at_ms: completedAtMs,
  });
}

export function tokenCount(usage: ThreadTokenUsage): LineBody {
  const info = {
    total_token_usage: storeUsage(usage.total),
    last_token_usage: storeUsage(usage.last),
    model_context_window: usage.modelContextWindow,
  };
  return { type: "event_msg", payload: { type: "token_count", info, rate_limits: null } };
}

export interface ResponseUsage extends TurnIds {
  readonly threadId: string;
  readonly sessionId: string;
  readonly responseId: string;
  readonly usage: TokenUsageBreakdown;
  readonly turnUsage: TokenUsageBreakdown;
  readonly threadUsage: TokenUsageBreakdown;
}

export function tokenUsageRecord(record: ResponseUsage): LineBody {
  const payload = {
    thread_id: record.threadId,
    ...ids(record),
    session_id: record.sessionId,
    response_id: record.responseId,
    usage: storeUsage(record.usage),
    turn_token_usage: storeUsage(record.turnUsage),
    thread_token_usage: storeUsage(record.threadUsage),
  };
  return { type: "token_usage_record", payload };
}

function ids({ turnId, rootTurnId }: TurnIds): JsonObject {
  return { turn_id: turnId, root_turn_id: rootTurnId ?? turnId };
}

function ending(turn: TurnEnd): JsonObject {
  return {
    started_at: turn.startedAt,
    completed_at: turn.completedAt,
    duration_ms: turn.durationMs,
  };
}

function event(type: string, members: JsonObject): LineBody {
  return { type: "event_msg", payload: withoutNulls(members, { type }) };
}
