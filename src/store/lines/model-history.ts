/** What the model has been told, as the lines say it: the input of the next request, and the context behind it. */

import {
  arrayMember,
  numberMember,
  objectMember,
  objectsMember,
  textMember,
} from "../../base/json-members.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { RolloutLine } from "./line.ts";

export interface ContextWindow {
  readonly number: number;
  readonly firstId: string | null;
  readonly previousId: string | null;
  readonly id: string | null;
}

/** Input on its way into the history. */
export interface SubmittedInput {
  readonly id: string;
  /** Items of the Responses API. */
  readonly items: readonly { readonly type: string }[];
  /** A message of the user that may still be blocked, as clients will see it; null for what they know of. */
  readonly awaitingHooks: { readonly type: string } | null;
}

export interface ModelHistory {
  /** Items of the Responses API. */
  items: JsonObject[];
  /** What the model knows of its surroundings; null when it has to be told everything. */
  worldState: JsonObject | null;
  /** What the last turn ran with; null when a compaction has made the model forget. */
  turnContext: JsonObject | null;
  window: ContextWindow;
  /** What was accepted and has not entered the items, in the order of its acceptance. */
  submitted: readonly SubmittedInput[];
  /** Where turns of a legacy thread began, for rollbacks. */
  readonly marks: Mark[];
}

interface Mark {
  readonly items: readonly JsonObject[];
  readonly length: number;
  readonly worldState: JsonObject | null;
  readonly turnContext: JsonObject | null;
  readonly window: ContextWindow;
  hasUserMessage: boolean;
}

export function emptyModelHistory(): ModelHistory {
  return {
    items: [],
    worldState: null,
    turnContext: null,
    window: { number: 0, firstId: null, previousId: null, id: null },
    submitted: [],
    marks: [],
  };
}

/** Whether a compaction says everything, so that nothing before it needs to be known. */
export function isSelfContained({ type, payload }: RolloutLine): boolean {
  return (
    type === "compacted" &&
    Array.isArray(payload["replacement_history"]) &&
    numberMember(payload, "window_number") !== null &&
    textMember(payload, "first_window_id") !== null &&
    textMember(payload, "previous_window_id") !== null
  );
}

/** Takes a line into the history, which it changes. Rollbacks are known in legacy threads only. */
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
      return;
    case "turn_context":
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
  // What has not entered yet is submitted again behind the compaction.
  history.submitted = [];
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

/** A message that a person wrote, not one that tells the model about its surroundings. */
function isUserMessage(item: JsonObject): boolean {
  if (item["type"] !== "message" || item["role"] !== "user") return false;
  return arrayMember(item, "content").every(
    (part) => !isObject(part) || !CONTEXT.test(textMember(part, "text") ?? ""),
  );
}

function foldLegacyEvent(history: ModelHistory, event: JsonObject): void {
  const { marks } = history;
  switch (textMember(event, "type")) {
    case "task_started":
    case "turn_started":
      marks.push(markOf(history));
      return;
    case "user_message": {
      const last = marks.at(-1);
      // Without a turn around it, the message itself is the border; it stands right before its event.
      if (last === undefined || last.hasUserMessage) marks.push(markOf(history, 1));
      const mark = marks.at(-1);
      if (mark !== undefined) mark.hasUserMessage = true;
      return;
    }
    case "thread_rolled_back":
      rollBack(history, numberMember(event, "num_turns") ?? 0);
      return;
    default:
  }
}

function markOf(history: ModelHistory, before = 0): Mark {
  const { items, worldState, turnContext, window } = history;
  const length = Math.max(0, items.length - before);
  return { items, length, worldState, turnContext, window, hasUserMessage: false };
}

function rollBack(history: ModelHistory, turns: number): void {
  const { marks } = history;
  let left = turns;
  let mark: Mark | undefined;
  while (left > 0 && marks.length > 0) {
    mark = marks.pop();
    if (mark?.hasUserMessage === true) left -= 1;
  }
  if (mark === undefined) return;
  history.items = mark.items.slice(0, mark.length);
  history.worldState = mark.worldState;
  history.turnContext = mark.turnContext;
  history.window = mark.window;
  history.submitted = [];
}
