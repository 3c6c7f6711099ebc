/**
 * The durable events of a thread: the notifications that follow from its lines. One fold makes them for clients that
 * are connected, once the lines are durable, and for clients that come back, from what is stored. Its state is that of
 * the open turn, so that a read may begin with the first line of any turn. Files in the legacy format have none.
 */
import { numberMember, objectMember, textMember } from "../../base/json-members.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type {
  HookRunSummary,
  ServerNotifications,
  ThreadItem,
  Turn,
} from "../../protocol/generated/types.ts";
import { readCompletedItem } from "./history-step.ts";
import { readTokenCount, readTurnError } from "./turn-values.ts";

export type DurableMethod =
  | "turn/started"
  | "turn/completed"
  | "item/completed"
  | "hook/completed"
  | "thread/tokenUsage/updated"
  | "thread/reverted";

export type DurableEvent = {
  readonly [M in DurableMethod]: { readonly method: M; readonly params: ServerNotifications[M] };
}[DurableMethod];

/** The members of a line that events depend on, before it is written or after it was read. */
export interface EventLine {
  readonly type: string;
  readonly payload: JsonObject;
}

/** The open turn; null between turns. */
export type EventState = OpenTurn | null;

interface OpenTurn {
  readonly id: string;
  readonly rootTurnId: string | null;
  readonly startedAt: number | null;
  readonly hookRuns: readonly HookRunSummary[];
  /** The line of the last message of the agent. */
  readonly lastMessage: EventLine | null;
}

const NO_EVENTS: readonly DurableEvent[] = [];

/** The state after a line. */
export function nextEventState(state: EventState, line: EventLine): EventState {
  if (line.type === "world_state") {
    const ran = hookRunOf(line);
    return ran === null || state === null
      ? state
      : { ...state, hookRuns: withSummary(state.hookRuns, ran.run) };
  }
  if (line.type !== "event_msg") return state;
  switch (line.payload["type"]) {
    case "task_started":
    case "turn_started":
      return openTurn(line.payload);
    case "task_complete":
    case "turn_complete":
    case "turn_aborted":
      return null;
    case "item_completed":
      return state !== null && isAgentMessage(line) ? { ...state, lastMessage: line } : state;
    default:
      return state;
  }
}

/** The events of a line, given the state before it. */
export function eventsOf(threadId: string, state: EventState, line: EventLine): readonly DurableEvent[] {
  if (line.type === "world_state") {
    const ran = hookRunOf(line);
    return ran === null ? NO_EVENTS : [{ method: "hook/completed", params: { threadId, ...ran } }];
  }
  if (line.type !== "event_msg") return NO_EVENTS;
  const { payload } = line;
  switch (payload["type"]) {
    case "task_started":
    case "turn_started":
      return started(threadId, state, payload);
    case "task_complete":
    case "turn_complete":
      return [
        ended(threadId, state, payload, objectMember(payload, "error") === null ? "completed" : "failed"),
      ];
    case "turn_aborted":
      return [ended(threadId, state, payload, "interrupted")];
    case "item_completed":
      return completed(threadId, line);
    case "token_count":
      return used(threadId, state, payload);
    default:
      return NO_EVENTS;
  }
}

/** Identifies an event among those of its thread that wait to be sent. */
export function eventKey({ method, params }: { readonly method: string; readonly params: unknown }): string {
  const { item, run, turn } = params as {
    readonly item?: { readonly id: string };
    readonly run?: { readonly runId?: string; readonly id?: string };
    readonly turn?: { readonly id: string };
  };
  return `${method} ${item?.id ?? run?.runId ?? turn?.id ?? ""}`;
}

function openTurn(payload: JsonObject): OpenTurn | null {
  const id = textMember(payload, "turn_id");
  return id === null
    ? null
    : {
        id,
        rootTurnId: textMember(payload, "root_turn_id"),
        startedAt: numberMember(payload, "started_at"),
        hookRuns: [],
        lastMessage: null,
      };
}

/** A turn that another one follows without an end was cut off. */
function started(threadId: string, state: EventState, payload: JsonObject): readonly DurableEvent[] {
  const turn = openTurn(payload);
  if (turn === null) return NO_EVENTS;
  const event: DurableEvent = { method: "turn/started", params: { threadId, turn: viewOf(turn) } };
  return state === null || state.id === turn.id
    ? [event]
    : [ended(threadId, state, {}, "interrupted"), event];
}

function ended(
  threadId: string,
  state: EventState,
  payload: JsonObject,
  status: "completed" | "failed" | "interrupted",
): DurableEvent {
  const id = textMember(payload, "turn_id") ?? state?.id ?? "";
  const known =
    state?.id === id ? state : { id, rootTurnId: null, startedAt: null, hookRuns: [], lastMessage: null };
  const error = objectMember(payload, "error");
  const items = status === "completed" ? messageOf(known, payload) : [];
  const turn: Turn = {
    ...viewOf({
      ...known,
      rootTurnId: textMember(payload, "root_turn_id") ?? known.rootTurnId,
      startedAt: numberMember(payload, "started_at") ?? known.startedAt,
    }),
    items,
    itemsView: items.length === 0 ? "notLoaded" : "summary",
    status,
    error: error === null ? null : readTurnError(error),
    completedAt: numberMember(payload, "completed_at"),
    durationMs: numberMember(payload, "duration_ms"),
  };
  return { method: "turn/completed", params: { threadId, turn } };
}

/** The last message of the agent, if the end of the turn names it. */
function messageOf({ lastMessage }: OpenTurn, payload: JsonObject): ThreadItem[] {
  const item = lastMessage === null ? null : (readCompletedItem(lastMessage)?.item ?? null);
  const isNamed = item?.type === "agentMessage" && item.text === textMember(payload, "last_agent_message");
  return isNamed ? [item] : [];
}

function viewOf({ id, rootTurnId, startedAt, hookRuns }: OpenTurn): Turn {
  return {
    id,
    rootTurnId: rootTurnId ?? id,
    items: [],
    itemsView: "notLoaded",
    status: "inProgress",
    error: null,
    startedAt,
    completedAt: null,
    durationMs: null,
    hookRuns: [...hookRuns],
  };
}

function completed(threadId: string, line: EventLine): readonly DurableEvent[] {
  const change = readCompletedItem(line);
  if (change === null) return NO_EVENTS;
  const { item, turnId, completedAtMs } = change;
  return [
    { method: "item/completed", params: { threadId, turnId, item, completedAtMs: completedAtMs ?? 0 } },
  ];
}

function used(threadId: string, state: EventState, payload: JsonObject): readonly DurableEvent[] {
  const tokenUsage = readTokenCount(payload);
  if (tokenUsage === null || state === null) return NO_EVENTS;
  return [{ method: "thread/tokenUsage/updated", params: { threadId, turnId: state.id, tokenUsage } }];
}

function hookRunOf({ payload }: EventLine): { readonly turnId: string; readonly run: HookRunSummary } | null {
  const stored = objectMember(payload, "heddle_hook_run");
  const turnId = stored === null ? null : textMember(stored, "turn_id");
  const run = stored === null ? null : objectMember(stored, "run");
  return turnId === null || run === null ? null : { turnId, run: run as unknown as HookRunSummary };
}

/** Keeps runs in start order, which is the order of their ids: silent runs are added only when they have ended. */
export function withSummary(runs: readonly HookRunSummary[], run: HookRunSummary): readonly HookRunSummary[] {
  const at = runs.findLastIndex(({ runId }) => runId <= run.runId);
  return runs[at]?.runId === run.runId ? runs.with(at, run) : runs.toSpliced(at + 1, 0, run);
}

function isAgentMessage({ payload }: EventLine): boolean {
  const type = objectMember(payload, "item")?.["type"];
  return type === "AgentMessage" || type === "agentMessage";
}
