/** Rebuilds the hook events of a recorded thread, each with the recorded runs. */

import type { JsonObject } from "../../base/json-object.ts";
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import { type HookEventName, wireNameOf } from "../hook-event.ts";
import type { InputDefaults } from "./build-input.ts";
import { isDenied } from "./recorded-differences.ts";

export interface ReplayTurn {
  readonly id: string;
  readonly status: "completed" | "interrupted" | "failed" | "inProgress";
  /** Why the turn failed. */
  readonly error: string | null;
  /** The settings of the turn, as far as they are recorded. */
  readonly settings: RecordedSettings;
  /** Prompts, answers, compactions and continuations, in order. */
  readonly items: readonly (
    | { readonly kind: "prompt" | "answer"; readonly text: string }
    | { readonly kind: "continuation" | "compaction" }
  )[];
  readonly calls: readonly RecordedCall[];
  /** The token usage of each answered model request, as in hook input. */
  readonly requests: readonly JsonObject[];
  readonly runs: readonly HookRunSummary[];
}

export type RecordedSettings = Partial<Pick<InputDefaults, "model" | "permissionMode">>;

export interface RecordedCall {
  readonly callId: string;
  /** The tool name in hook input. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly input: unknown;
  /** Null where the call was not executed. */
  readonly response: unknown;
  /** A permission request; null where none is recorded. */
  readonly asked: {
    /** Includes the model's own justification, where there is one. */
    readonly input: unknown;
    /** A hook granted the permission. */
    readonly isAllowedByHook: boolean;
  } | null;
}

export interface RecordedEvent {
  readonly turnId: string;
  readonly settings: RecordedSettings;
  readonly event: HookEventName;
  /** The event-specific input members. */
  readonly members: JsonObject;
  readonly aliases: readonly string[];
  /** A one-line summary of the event's subject. */
  readonly about: string;
  readonly recorded: readonly HookRunSummary[];
  /** A hook granted a permission, which no run shows. */
  readonly wasAllowed: boolean;
}

/** Events that a record cannot reproduce, and why; shown with the rebuilt events. */
export const NOT_REBUILT: readonly string[] = [
  "SessionStart of a resumed session in which no hook of it ran (nothing is recorded of it)",
  "PermissionRequest where neither a hook nor the decision is recorded",
  "requests to the model that were interrupted or tried again (only the last is recorded)",
  "prompts that a hook blocked (they are gone)",
  "SubagentStart and SubagentStop (there are no agents)",
];

/** In recorded order, but grouped by kind within a turn. The end of the session is last. */
export function rebuildEvents(
  turns: readonly ReplayTurn[],
  { isFork = false }: { readonly isFork?: boolean } = {},
): RecordedEvent[] {
  let pending: string | null = isFork ? "fork" : "startup";
  const events = turns.flatMap((turn) => {
    const compactions = compactionsOf(turn);
    if (!startsSession(turn)) {
      if (turn.items.some(({ kind }) => kind === "compaction")) pending = "compact";
      return [...compactions, ...interruptsOf(turn, compactions)];
    }
    const starts = startsOf(turn, pending);
    pending = null;
    return [
      ...starts,
      ...promptsOf(turn),
      ...compactions,
      ...requestsOf(turn),
      ...callsOf(turn),
      ...stopsOf(turn),
      ...interruptsOf(turn, compactions),
    ];
  });
  const last = turns.at(-1);
  if (last === undefined) return events;
  // Runs at the end of a session belong to no turn, and are not recorded.
  const end = createEvent(last, "SessionEnd", {
    members: { reason: "other" },
    about: "the end of the session",
  });
  return [...events, end];
}

function createEvent(
  { id, settings }: ReplayTurn,
  event: HookEventName,
  more: Pick<RecordedEvent, "members" | "about"> & Partial<RecordedEvent>,
): RecordedEvent {
  return { turnId: id, settings, event, aliases: [], recorded: [], wasAllowed: false, ...more };
}

/** Whether a new session starts with this turn: not with one that only compacts. */
function startsSession({ items, runs }: ReplayTurn): boolean {
  const events: readonly HookEventName[] = ["SessionStart", "UserPromptSubmit"];
  return (
    items.some(({ kind }) => kind === "prompt") ||
    runs.some(({ eventName }) => events.some((event) => wireNameOf(event) === eventName))
  );
}

/** Recorded runs without any other sign of a session start show that the session was resumed. */
function startsOf(turn: ReplayTurn, pending: string | null): RecordedEvent[] {
  const passes = passesOf(turn.runs, "SessionStart");
  const compacted = turn.items.flatMap(({ kind }) => (kind === "compaction" ? ["compact"] : []));
  const isResumed = pending === null && passes.length > compacted.length;
  const first = isResumed ? ["resume"] : pending === null ? [] : [pending];
  return [...first, ...compacted].map((source, index) =>
    createEvent(turn, "SessionStart", { members: { source }, about: source, recorded: passes[index] ?? [] }),
  );
}

function promptsOf(turn: ReplayTurn): RecordedEvent[] {
  const event = "UserPromptSubmit";
  // A blocked prompt is not recorded, so that its runs belong to none of the recorded prompts.
  const passes = passesOf(turn.runs, event).filter((runs) => !runs.some(isDenied));
  const prompts = turn.items.flatMap((item) => (item.kind === "prompt" ? [item.text] : []));
  return prompts.map((prompt, index) =>
    createEvent(turn, event, { members: { prompt }, about: prompt, recorded: passes[index] ?? [] }),
  );
}

/** A compaction that a hook blocked has left only its runs. */
function compactionsOf(turn: ReplayTurn): RecordedEvent[] {
  const [before, after] = [passesOf(turn.runs, "PreCompact"), passesOf(turn.runs, "PostCompact")];
  const done = turn.items.filter(({ kind }) => kind === "compaction").length;
  const trigger = startsSession(turn) ? "auto" : "manual";
  const shared = { members: { trigger }, about: trigger };
  return Array.from({ length: Math.max(done, before.length) }, (_, index) => {
    const first = createEvent(turn, "PreCompact", { ...shared, recorded: before[index] ?? [] });
    if (index >= done) return [first];
    return [first, createEvent(turn, "PostCompact", { ...shared, recorded: after[index] ?? [] })];
  }).flat();
}

function requestsOf(turn: ReplayTurn): RecordedEvent[] {
  const [before, after] = [passesOf(turn.runs, "PreModelRequest"), passesOf(turn.runs, "PostModelRequest")];
  const answered = turn.requests.map((usage) => ({ status: "completed", error: null, token_usage: usage }));
  const failed = turn.status === "failed" ? [{ status: "failed", error: turn.error, token_usage: null }] : [];
  return [...answered, ...failed].flatMap((members, index) => {
    const about = `request ${index + 1}`;
    return [
      createEvent(turn, "PreModelRequest", { members: {}, about, recorded: before[index] ?? [] }),
      createEvent(turn, "PostModelRequest", { members, about, recorded: after[index] ?? [] }),
    ];
  });
}

function callsOf(turn: ReplayTurn): RecordedEvent[] {
  return turn.calls.flatMap(({ callId, name, aliases, input, response, asked }) => {
    const own = (event: HookEventName) =>
      turn.runs.filter(
        ({ eventName, id }) =>
          eventName === wireNameOf(event) && (id.endsWith(`:${callId}`) || id.endsWith(`:${callId}:retry`)),
      );
    const about = `${name} ${JSON.stringify(input)}`;
    const callEvent = (event: HookEventName, members: JsonObject, more: Partial<RecordedEvent> = {}) =>
      createEvent(turn, event, { members, about, aliases, recorded: own(event), ...more });
    const members = { tool_name: name, tool_input: input, tool_use_id: callId };
    const before = callEvent("PreToolUse", members);
    if (before.recorded.some(isDenied)) return [before];
    const permission = own("PermissionRequest");
    const question =
      asked === null && permission.length === 0
        ? []
        : [
            callEvent(
              "PermissionRequest",
              { tool_name: name, tool_input: asked?.input ?? input },
              { wasAllowed: asked?.isAllowedByHook ?? false },
            ),
          ];
    if (response === null || permission.some(isDenied)) return [before, ...question];
    return [before, ...question, callEvent("PostToolUse", { ...members, tool_response: response })];
  });
}

function stopsOf(turn: ReplayTurn): RecordedEvent[] {
  const passes = passesOf(turn.runs, "Stop");
  const stops: RecordedEvent[] = [];
  let last: string | null = null;
  const add = () =>
    stops.push(
      createEvent(turn, "Stop", {
        members: {
          stop_hook_active: stops.length > 0,
          stop_hook_continuations: stops.length,
          last_assistant_message: last,
        },
        about: last ?? "",
        recorded: passes[stops.length] ?? [],
      }),
    );
  for (const item of turn.items) {
    if (item.kind === "answer") last = item.text;
    if (item.kind === "continuation") add();
  }
  if (turn.status === "completed" && last !== null) add();
  return stops;
}

/** A compaction that a hook stopped ends its turn as interrupted, although no user interrupted it. */
function interruptsOf(turn: ReplayTurn, compactions: readonly RecordedEvent[]): RecordedEvent[] {
  const isStopped = compactions.some(({ recorded }) => recorded.some(isDenied));
  if (turn.status !== "interrupted" || isStopped) return [];
  const [recorded = []] = passesOf(turn.runs, "Interrupt");
  return [createEvent(turn, "Interrupt", { members: {}, about: "", recorded })];
}

/** Groups runs into passes: each further run of the same hook in a turn belongs to the next pass. */
function passesOf(runs: readonly HookRunSummary[], event: HookEventName): HookRunSummary[][] {
  const passes: HookRunSummary[][] = [];
  const seen = new Map<string, number>();
  for (const run of runs) {
    if (run.eventName !== wireNameOf(event)) continue;
    const pass = seen.get(run.id) ?? 0;
    seen.set(run.id, pass + 1);
    const own = passes[pass] ?? [];
    passes[pass] = [...own, run];
  }
  return passes;
}
