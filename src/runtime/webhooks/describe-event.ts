/** The events of webhooks, from what happens in threads and queues. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { TurnKind, TurnOutcome } from "../../engine/state/turn-state.ts";
import { serverRequestRows } from "../../protocol/generated/table.ts";
import type { ThreadWaiting } from "../../protocol/generated/types.ts";
import type { RowList } from "../../store/queue.ts";
import type { WebhookEvent } from "./webhook-events.ts";

export function describeTurnEnd(
  threadId: string,
  { id: turnId, kind }: { readonly id: string; readonly kind: TurnKind },
  outcome: TurnOutcome,
): WebhookEvent {
  // One id for the end of a turn, whatever it is, so that it is announced once.
  const end = { eventId: `evt_${turnId}_end`, threadId };
  if (outcome.kind === "failed") {
    const { message } = outcome.error;
    return { ...end, type: "turn.failed", reason: message, text: null, facts: { turnId, kind } };
  }
  const message = outcome.kind === "completed" ? outcome.lastMessage : null;
  return {
    ...end,
    type: "turn.ended",
    reason: null,
    text: message?.type === "agentMessage" ? message.text : null,
    facts: { turnId, kind, status: outcome.kind },
  };
}

interface OpenedQuestion {
  readonly method: string;
  readonly params: unknown;
  readonly eventId: string;
}

/** Null for a request that no person answers. */
export function describeQuestion(
  threadId: string,
  { method, params, eventId }: OpenedQuestion,
): WebhookEvent | null {
  const rows: Readonly<Record<string, { readonly raises?: string }>> = serverRequestRows;
  if (rows[method]?.raises === undefined || !isObject(params)) return null;
  const facts = { turnId: textOf(params["turnId"]), itemId: textOf(params["itemId"]), question: method };
  const reason = textOf(params["reason"]);
  return { type: "question.opened", eventId, threadId, reason, text: questionText(params), facts };
}

/** A command, the message of an MCP server, or the first question of the model. */
function questionText(params: JsonObject): string | null {
  const { questions } = params;
  const first: unknown = Array.isArray(questions) ? questions[0] : null;
  const question = isObject(first) ? textOf(first["question"]) : null;
  return textOf(params["command"]) ?? textOf(params["message"]) ?? question;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Null for a wait that is announced as a question. */
export function describeWait(threadId: string, waiting: ThreadWaiting): WebhookEvent | null {
  if (waiting.reason === "question") return null;
  const { turnId, attempt, message, until } = waiting;
  const facts = { turnId, until: new Date(until * 1000).toISOString() };
  // A later process announces the same wait again.
  const eventId = `evt_${turnId}_wait_${attempt}`;
  return { type: "thread.suspended", eventId, threadId, reason: message, text: null, facts };
}

/** Null for a queue that is empty or not blocked. */
export function describeQueue(threadId: string, { rows, total, pause }: RowList): WebhookEvent | null {
  const [first] = rows;
  if (first === undefined || total === 0) return null;
  const { rowId, updatedAtMs, state, failure } = first;
  const queuedTurnId = rowId;
  if (state === "failed") {
    const reason = textOf(failure?.["message"]);
    const facts = { blockedBy: "failedTurn", queuedTurnId } as const;
    const eventId = `evt_queue_${rowId}_${updatedAtMs}`;
    return { type: "queue.blocked", eventId, threadId, reason, text: null, facts };
  }
  if (pause === null) return null;
  const facts = { blockedBy: "pause", queuedTurnId } as const;
  // A queue is published more often than it is paused: the same turn behind a pause is one event.
  return {
    type: "queue.blocked",
    eventId: `evt_queue_${rowId}_pause`,
    threadId,
    reason: pause,
    text: null,
    facts,
  };
}
