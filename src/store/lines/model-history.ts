/** The model's history, folded from lines: the input of the next request, and its context. */

import {
  arrayMember,
  numberMember,
  objectMember,
  objectsMember,
  textMember,
} from "../../base/json-members.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { RolloutLine } from "./line.ts";
import { foldCalls, type SuspendedCalls } from "./suspended-calls.ts";

export interface StoredContextWindow {
  readonly number: number;
  readonly firstId: string | null;
  readonly previousId: string | null;
  readonly id: string | null;
}

/** Accepted input that has not entered the history. */
export interface SubmittedInput {
  readonly id: string;
  /** Items of the Responses API. */
  readonly items: readonly { readonly type: string }[];
  /** A user message that hooks may still block, as clients will see it; null if clients already see the input. */
  readonly awaitingHooks: { readonly type: string } | null;
}

export interface ModelHistory {
  /** Items of the Responses API. */
  items: JsonObject[];
  /** The environment as the model was last informed of it; null if the next request must describe it in full. */
  worldState: JsonObject | null;
  /** The context of the last turn; null after a compaction. */
  turnContext: JsonObject | null;
  window: StoredContextWindow;
  /** Accepted input that has not entered the items, in order of acceptance. */
  submitted: readonly SubmittedInput[];
  /** The calls of the last response, if one of them waited for an answer and their outputs are not in the items. */
  calls: SuspendedCalls | null;
  /** Snapshots at the beginning of turns of a legacy thread, for rollbacks. */
  readonly turnSnapshots: TurnSnapshot[];
}

interface TurnSnapshot {
  readonly items: readonly JsonObject[];
  readonly length: number;
  readonly worldState: JsonObject | null;
  readonly turnContext: JsonObject | null;
  readonly window: StoredContextWindow;
  hasUserMessage: boolean;
}

export function emptyModelHistory(): ModelHistory {
  return {
    items: [],
    worldState: null,
    turnContext: null,
    window: { number: 0, firstId: null, previousId: null, id: null },
    submitted: [],
    calls: null,
    turnSnapshots: [],
  };
}

/** Whether a compaction is complete, so that no earlier line needs to be read. */
export function isSelfContained({ type, payload }: RolloutLine): boolean {
  return (
    type === "compacted" &&
    Array.isArray(payload["replacement_history"]) &&
    numberMember(payload, "window_number") !== null &&
    textMember(payload, "first_window_id") !== null &&
    textMember(payload, "previous_window_id") !== null
  );
}

/** Folds a line into the history in place. Only legacy threads have rollbacks. */
export function foldModelHistory(
  history: ModelHistory,
  { type, payload }: RolloutLine,
  legacy: boolean,
): void {
  switch (type) {
    case "session_meta": {
      const id = textMember(objectMember(payload, "context_window") ?? {}, "window_id");
      if (id !== null && history.window.number === 0)
        history.window = { number: 0, firstId: id, previousId: null, id };
      return;
    }
    case "response_item":
      history.items.push(payload);
      if (history.calls !== null && history.calls.calls.has(textMember(payload, "call_id") ?? ""))
        history.calls = null;
      return;
    case "turn_context":
      history.calls = null;
      history.turnContext = payload;
      return;
    case "world_state":
      foldWorldState(history, payload);
      return;
    case "compacted":
      compact(history, payload);
      return;
    case "event_msg":
      if (legacy) foldLegacyEvent(history, payload);
      return;
    default:
  }
}

function foldWorldState(history: ModelHistory, payload: JsonObject): void {
  const submitted = objectMember(payload, "heddle_submitted");
  const settled = textMember(payload, "heddle_settled");
  if (submitted !== null) {
    const id = textMember(submitted, "id") ?? "";
    const items = objectsMember(submitted, "items") as { readonly type: string }[];
    const awaitingHooks = objectMember(submitted, "item") as { readonly type: string } | null;
    history.submitted = [...history.submitted, { id, items, awaitingHooks }];
    return;
  }
  if (settled !== null) {
    history.submitted = history.submitted.filter(({ id }) => id !== settled);
    return;
  }
  const calls = objectMember(payload, "heddle_calls");
  if (calls !== null) {
    history.calls = foldCalls(history.calls, calls);
    return;
  }
  const state = objectMember(payload, "state") ?? {};
  const isFull = payload["full"] === true || history.worldState === null;
  history.worldState = isFull ? state : mergePatch(history.worldState, state);
}

/** RFC 7396. */
function mergePatch(target: unknown, patch: JsonObject): JsonObject {
  const merged: { [key: string]: unknown } = { ...(isObject(target) ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = isObject(value) ? mergePatch(merged[key], value) : value;
  }
  return merged;
}

function compact(history: ModelHistory, payload: JsonObject): void {
  const replaced = Array.isArray(payload["replacement_history"]);
  const message = textMember(payload, "message") ?? "";
  history.items = replaced
    ? objectsMember(payload, "replacement_history")
    : [...history.items.filter(isUserMessage), userMessage(message)];
  history.worldState = null;
  history.turnContext = null;
  // Input that has not entered the history yet is submitted again after the compaction.
  history.submitted = [];
  history.calls = null;
  history.window = {
    number: numberMember(payload, "window_number") ?? history.window.number + 1,
    firstId: textMember(payload, "first_window_id") ?? history.window.firstId,
    previousId: textMember(payload, "previous_window_id") ?? history.window.id,
    id: textMember(payload, "window_id"),
  };
}

function userMessage(text: string): JsonObject {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}

const CONTEXT =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|skill|user_shell_command|subagent)|# AGENTS\.md)/;

/** Whether a person wrote the message, as opposed to context for the model. */
function isUserMessage(item: JsonObject): boolean {
  if (item["type"] !== "message" || item["role"] !== "user") return false;
  return arrayMember(item, "content").every(
    (part) => !isObject(part) || !CONTEXT.test(textMember(part, "text") ?? ""),
  );
}

function foldLegacyEvent(history: ModelHistory, event: JsonObject): void {
  const { turnSnapshots } = history;
  switch (textMember(event, "type")) {
    case "task_started":
    case "turn_started":
      turnSnapshots.push(snapshotOf(history));
      return;
    case "user_message": {
      const last = turnSnapshots.at(-1);
      // Outside of a turn, the message itself is the boundary; it directly precedes its event.
      if (last === undefined || last.hasUserMessage) turnSnapshots.push(snapshotOf(history, 1));
      const snapshot = turnSnapshots.at(-1);
      if (snapshot !== undefined) snapshot.hasUserMessage = true;
      return;
    }
    case "thread_rolled_back":
      rollBack(history, numberMember(event, "num_turns") ?? 0);
      return;
    default:
  }
}

function snapshotOf(history: ModelHistory, before = 0): TurnSnapshot {
  const { items, worldState, turnContext, window } = history;
  const length = Math.max(0, items.length - before);
  return { items, length, worldState, turnContext, window, hasUserMessage: false };
}

function rollBack(history: ModelHistory, turns: number): void {
  const { turnSnapshots } = history;
  let remaining = turns;
  let snapshot: TurnSnapshot | undefined;
  while (remaining > 0 && turnSnapshots.length > 0) {
    snapshot = turnSnapshots.pop();
    if (snapshot?.hasUserMessage === true) remaining -= 1;
  }
  if (snapshot === undefined) return;
  history.items = snapshot.items.slice(0, snapshot.length);
  history.worldState = snapshot.worldState;
  history.turnContext = snapshot.turnContext;
  history.window = snapshot.window;
  history.submitted = [];
}
