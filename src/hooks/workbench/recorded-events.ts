/** A recorded thread as the events that hooks would be told of, each with the runs of hooks that were recorded for it. */
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import type { JsonObject } from "../configured-hook.ts";
import { type HookEventName, wireNameOf } from "../hook-event.ts";
import type { InputPlace } from "./make-input.ts";
import { isNo } from "./recorded-differences.ts";

export interface RecordedTurn {
  readonly id: string;
  readonly status: "completed" | "interrupted" | "failed" | "inProgress";
  /** Why it failed. */
  readonly error: string | null;
  /** What it ran with, as far as that is recorded. */
  readonly place: RecordedPlace;
  /** What was said and done, in its order. */
  readonly items: readonly (
    | { readonly kind: "prompt" | "answer"; readonly text: string }
    | { readonly kind: "continuation" | "compaction" }
  )[];
  readonly calls: readonly RecordedCall[];
  /** What each answered request of the conversation took, as hooks are told it. */
  readonly requests: readonly JsonObject[];
  readonly runs: readonly HookRunSummary[];
}

export type RecordedPlace = Partial<Pick<InputPlace, "model" | "permissionMode">>;

export interface RecordedCall {
  readonly callId: string;
  /** As hooks know it. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly input: unknown;
  /** Null where nothing was done. */
  readonly response: unknown;
  /** Permission was asked for; null where it is not known to have been. */
  readonly asked: {
    /** With the model's own words, where it gave any. */
    readonly input: unknown;
    /** A hook gave the permission. */
    readonly isAllowedByHook: boolean;
  } | null;
}

export interface RecordedEvent {
  readonly turnId: string;
  readonly place: RecordedPlace;
  readonly event: HookEventName;
  /** What the event tells beyond what many tell. */
  readonly said: JsonObject;
  readonly aliases: readonly string[];
  /** What it is about, in a line. */
  readonly about: string;
  readonly recorded: readonly HookRunSummary[];
  /** A hook gave a permission, which no run says. */
  readonly wasAllowed: boolean;
}

/** What a record does not tell, and why; for whoever looks at what was rebuilt. */
export const NOT_REBUILT: readonly string[] = [
  "SessionStart of a resumed session in which no hook of it ran (nothing is recorded of it)",
  "PermissionRequest where neither a hook nor the decision is recorded",
  "requests to the model that were interrupted or tried again (only the last is recorded)",
  "prompts that a hook blocked (they are gone)",
  "SubagentStart and SubagentStop (there are no agents)",
];

/** In their order, but within a turn by their kinds. The end of the session comes last. */
export function momentsOf(
  turns: readonly RecordedTurn[],
  { isFork = false }: { readonly isFork?: boolean } = {},
): RecordedEvent[] {
  let pending: string | null = isFork ? "fork" : "startup";
  const moments = turns.flatMap((turn) => {
    const compactions = compactionsOf(turn);
    if (!isWorkedOn(turn)) {
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
  if (last === undefined) return moments;
  // What ran at the end belongs to no turn, and is not recorded.
  const end = momentOf(last, "SessionEnd", { said: { reason: "other" }, about: "the end of the session" });
  return [...moments, end];
}

function momentOf(
  { id, place }: RecordedTurn,
  event: HookEventName,
  more: Pick<RecordedEvent, "said" | "about"> & Partial<RecordedEvent>,
): RecordedEvent {
  return { turnId: id, place, event, aliases: [], recorded: [], wasAllowed: false, ...more };
}

/** Whether a session begins with the turn where it has not begun: not with one that only compacts. */
function isWorkedOn({ items, runs }: RecordedTurn): boolean {
  const events: readonly HookEventName[] = ["SessionStart", "UserPromptSubmit"];
  return (
    items.some(({ kind }) => kind === "prompt") ||
    runs.some(({ eventName }) => events.some((event) => wireNameOf(event) === eventName))
  );
}

/** Hooks that ran though nothing else says that a session began tell of one that was resumed. */
function startsOf(turn: RecordedTurn, pending: string | null): RecordedEvent[] {
  const passes = passesOf(turn.runs, "SessionStart");
  const compacted = turn.items.flatMap(({ kind }) => (kind === "compaction" ? ["compact"] : []));
  const isResumed = pending === null && passes.length > compacted.length;
  const first = isResumed ? ["resume"] : pending === null ? [] : [pending];
  return [...first, ...compacted].map((source, index) =>
    momentOf(turn, "SessionStart", { said: { source }, about: source, recorded: passes[index] ?? [] }),
  );
}

function promptsOf(turn: RecordedTurn): RecordedEvent[] {
  const event = "UserPromptSubmit";
  // A prompt that was blocked is gone for good, so that its runs belong to none of those that are left.
  const passes = passesOf(turn.runs, event).filter((runs) => !runs.some(isNo));
  const prompts = turn.items.flatMap((item) => (item.kind === "prompt" ? [item.text] : []));
  return prompts.map((prompt, index) =>
    momentOf(turn, event, { said: { prompt }, about: prompt, recorded: passes[index] ?? [] }),
  );
}

/** One that a hook kept from being done has left nothing but the runs. */
function compactionsOf(turn: RecordedTurn): RecordedEvent[] {
  const [before, after] = [passesOf(turn.runs, "PreCompact"), passesOf(turn.runs, "PostCompact")];
  const done = turn.items.filter(({ kind }) => kind === "compaction").length;
  const trigger = isWorkedOn(turn) ? "auto" : "manual";
  const shared = { said: { trigger }, about: trigger };
  return Array.from({ length: Math.max(done, before.length) }, (_, index) => {
    const first = momentOf(turn, "PreCompact", { ...shared, recorded: before[index] ?? [] });
    if (index >= done) return [first];
    return [first, momentOf(turn, "PostCompact", { ...shared, recorded: after[index] ?? [] })];
  }).flat();
}

function requestsOf(turn: RecordedTurn): RecordedEvent[] {
  const [before, after] = [passesOf(turn.runs, "PreModelRequest"), passesOf(turn.runs, "PostModelRequest")];
  const answered = turn.requests.map((usage) => ({ status: "completed", error: null, token_usage: usage }));
  const failed = turn.status === "failed" ? [{ status: "failed", error: turn.error, token_usage: null }] : [];
  return [...answered, ...failed].flatMap((said, index) => {
    const about = `request ${index + 1}`;
    return [
      momentOf(turn, "PreModelRequest", { said: {}, about, recorded: before[index] ?? [] }),
      momentOf(turn, "PostModelRequest", { said, about, recorded: after[index] ?? [] }),
    ];
  });
}

function callsOf(turn: RecordedTurn): RecordedEvent[] {
  return turn.calls.flatMap(({ callId, name, aliases, input, response, asked }) => {
    const own = (event: HookEventName) =>
      turn.runs.filter(
        ({ eventName, id }) =>
          eventName === wireNameOf(event) && (id.endsWith(`:${callId}`) || id.endsWith(`:${callId}:retry`)),
      );
    const about = `${name} ${JSON.stringify(input)}`;
    const moment = (event: HookEventName, said: JsonObject, more: Partial<RecordedEvent> = {}) =>
      momentOf(turn, event, { said, about, aliases, recorded: own(event), ...more });
    const said = { tool_name: name, tool_input: input, tool_use_id: callId };
    const before = moment("PreToolUse", said);
    if (before.recorded.some(isNo)) return [before];
    const permission = own("PermissionRequest");
    const question =
      asked === null && permission.length === 0
        ? []
        : [
            moment(
              "PermissionRequest",
              { tool_name: name, tool_input: asked?.input ?? input },
              { wasAllowed: asked?.isAllowedByHook ?? false },
            ),
          ];
    if (response === null || permission.some(isNo)) return [before, ...question];
    return [before, ...question, moment("PostToolUse", { ...said, tool_response: response })];
  });
}

function stopsOf(turn: RecordedTurn): RecordedEvent[] {
  const passes = passesOf(turn.runs, "Stop");
  const stops: RecordedEvent[] = [];
  let last: string | null = null;
  const add = () =>
    stops.push(
      momentOf(turn, "Stop", {
        said: {
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

/** A compaction that a hook stopped ends its turn as if it were interrupted, and nobody did that. */
function interruptsOf(turn: RecordedTurn, compactions: readonly RecordedEvent[]): RecordedEvent[] {
  const isStopped = compactions.some(({ recorded }) => recorded.some(isNo));
  if (turn.status !== "interrupted" || isStopped) return [];
  const [recorded = []] = passesOf(turn.runs, "Interrupt");
  return [momentOf(turn, "Interrupt", { said: {}, about: "", recorded })];
}

/** Each run of one hook in a turn is of another pass, in their order. */
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
