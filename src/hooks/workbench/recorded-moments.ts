/** A recorded turn as the events that hooks would be told of, each with the runs of hooks that were recorded for it. */
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import type { JsonObject } from "../configured-hook.ts";
import { type HookEventName, wireNameOf } from "../hook-event.ts";

export interface RecordedTurn {
  readonly id: string;
  readonly isCompleted: boolean;
  /** What was said, in its order. */
  readonly items: readonly (
    | { readonly kind: "prompt" | "answer"; readonly text: string }
    | { readonly kind: "continuation" }
  )[];
  readonly calls: readonly RecordedCall[];
  readonly runs: readonly HookRunSummary[];
}

export interface RecordedCall {
  readonly callId: string;
  /** As hooks know it. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly input: unknown;
  /** Null where nothing was done. */
  readonly response: unknown;
}

export interface Moment {
  readonly turnId: string;
  readonly event: HookEventName;
  /** What the event tells beyond what many tell. */
  readonly said: JsonObject;
  readonly aliases: readonly string[];
  /** What it is about, in a line. */
  readonly about: string;
  readonly recorded: readonly HookRunSummary[];
}

export function momentsOf(turn: RecordedTurn): Moment[] {
  return [...promptsOf(turn), ...callsOf(turn), ...stopsOf(turn)];
}

function promptsOf(turn: RecordedTurn): Moment[] {
  const event = "UserPromptSubmit";
  // A prompt that was blocked is gone for good, so that its runs belong to none of those that are left.
  const passes = passesOf(turn.runs, event).filter((runs) => !runs.some(isNo));
  const prompts = turn.items.flatMap((item) => (item.kind === "prompt" ? [item.text] : []));
  return prompts.map((prompt, index) => ({
    turnId: turn.id,
    event,
    said: { prompt },
    aliases: [],
    about: prompt,
    recorded: passes[index] ?? [],
  }));
}

function callsOf({ id, calls, runs }: RecordedTurn): Moment[] {
  return calls.flatMap(({ callId, name, aliases, input, response }) => {
    const own = (event: HookEventName) =>
      runs.filter((run) => run.eventName === wireNameOf(event) && run.id.endsWith(`:${callId}`));
    const said = { tool_name: name, tool_input: input, tool_use_id: callId };
    const shared = { turnId: id, aliases, about: `${name} ${JSON.stringify(input)}` };
    const before: Moment = { ...shared, event: "PreToolUse", said, recorded: own("PreToolUse") };
    if (response === null || before.recorded.some(isNo)) return [before];
    const after = { ...said, tool_response: response };
    return [before, { ...shared, event: "PostToolUse", said: after, recorded: own("PostToolUse") }];
  });
}

function stopsOf(turn: RecordedTurn): Moment[] {
  const passes = passesOf(turn.runs, "Stop");
  const stops: Moment[] = [];
  let last: string | null = null;
  const add = () =>
    stops.push({
      turnId: turn.id,
      event: "Stop",
      said: {
        stop_hook_active: stops.length > 0,
        stop_hook_continuations: stops.length,
        last_assistant_message: last,
      },
      aliases: [],
      about: last ?? "",
      recorded: passes[stops.length] ?? [],
    });
  for (const item of turn.items) {
    if (item.kind === "answer") last = item.text;
    if (item.kind === "continuation") add();
  }
  if (turn.isCompleted && last !== null) add();
  return stops;
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

function isNo({ status }: HookRunSummary): boolean {
  return status === "blocked" || status === "stopped";
}

/** How what hooks say now differs from what was recorded; empty where it does not. */
export function differencesOf(
  recorded: readonly HookRunSummary[],
  current: readonly HookRunSummary[],
): string[] {
  const differences: string[] = [];
  const [before, after] = [recorded.some(isNo), current.some(isNo)];
  if (before && !after) differences.push(`was blocked (${textsOf(recorded, NO).join("; ")}), would not be`);
  if (!before && after) differences.push(`was not blocked, would be: ${textsOf(current, NO).join("; ")}`);
  if (before && after && !isSame(textsOf(recorded, NO), textsOf(current, NO)))
    differences.push(`would be blocked for another reason: ${textsOf(current, NO).join("; ")}`);
  const contexts = [textsOf(recorded, ["context"]), textsOf(current, ["context"])] as const;
  if (!isSame(...contexts)) differences.push(`context: ${show(contexts[0])} -> ${show(contexts[1])}`);
  const failures = [recorded, current].map((runs) => runs.filter(({ status }) => status === "failed").length);
  if (failures[0] !== failures[1]) differences.push(`hooks that fail: ${failures[0]} -> ${failures[1]}`);
  return differences;
}

const NO = ["feedback", "stop"];

function textsOf(runs: readonly HookRunSummary[], kinds: readonly string[]): string[] {
  return runs.flatMap(({ entries }) =>
    entries.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text),
  );
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function show(texts: readonly string[]): string {
  return texts.length === 0 ? "none" : texts.join("; ");
}
