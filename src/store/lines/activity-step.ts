/** Derives the activity of a thread from its lines: tokens that were spent, and runs of hooks. Pure. */
import { countMember, nameMember, objectMember, textMember } from "../../base/json-members.ts";
import type { HookRunSummary, TokenUsageBreakdown } from "../../protocol/generated/types.ts";
import type { RolloutLine } from "./line.ts";
import { readTokenCount } from "./turn-values.ts";

/** The facts that later lines depend on. */
export interface ActivityState {
  readonly cwd: string;
  readonly model: string;
  readonly turnId: string | null;
  /** The turn of the last response that was counted. */
  readonly countedTurnId: string | null;
  /** The total after the last response; a line repeats it where only rate limits have changed. */
  readonly total: number | null;
  /** Lines of a sub-agent before this ordinal are its parent's. */
  readonly ownStart: number;
}

export const noActivity: ActivityState = {
  cwd: "",
  model: "",
  turnId: null,
  countedTurnId: null,
  total: null,
  ownStart: 0,
};

/** The tokens of one response of a model. */
export interface SpentTokens {
  readonly kind: "spent";
  readonly turnId: string | null;
  readonly atMs: number;
  readonly cwd: string;
  readonly model: string;
  /** Whether it is the first one of its turn. */
  readonly isFirst: boolean;
  readonly tokens: TokenUsageBreakdown;
}

export interface HookRan {
  readonly kind: "hookRun";
  readonly turnId: string;
  readonly run: HookRunSummary;
}

export interface ActivityStep {
  readonly state: ActivityState;
  readonly change: SpentTokens | HookRan | null;
}

/** Names are keys of sums. */
const MAX_NAME = 1024;

export function stepActivity(state: ActivityState, line: RolloutLine): ActivityStep {
  const { type, payload } = line;
  if (type === "session_meta") return { state: fromMeta(state, line), change: null };
  if (line.ordinal !== undefined && line.ordinal < state.ownStart) return { state, change: null };
  switch (type) {
    case "turn_context": {
      const cwd = clip(nameMember(payload, "cwd") ?? state.cwd);
      const model = clip(nameMember(payload, "model") ?? state.model);
      return { state: { ...state, cwd, model }, change: null };
    }
    case "event_msg":
      return fromEvent(state, line);
    case "world_state":
      return { state, change: hookRunOf(line) };
    default:
      return { state, change: null };
  }
}

function fromMeta(state: ActivityState, { payload }: RolloutLine): ActivityState {
  return {
    ...state,
    cwd: clip(nameMember(payload, "cwd") ?? state.cwd),
    ownStart: countMember(payload, "subagent_history_start_ordinal"),
  };
}

function fromEvent(state: ActivityState, { payload, timestamp }: RolloutLine): ActivityStep {
  const kind = textMember(payload, "type");
  if (kind === "task_started" || kind === "turn_started")
    return { state: { ...state, turnId: nameMember(payload, "turn_id") }, change: null };
  const usage = kind === "token_count" ? readTokenCount(payload) : null;
  if (usage === null || usage.total.totalTokens === state.total) return { state, change: null };
  const { turnId, countedTurnId, cwd, model } = state;
  const atMs = Date.parse(timestamp);
  const next = { ...state, total: usage.total.totalTokens, countedTurnId: turnId };
  if (Number.isNaN(atMs)) return { state: next, change: null };
  const isFirst = turnId === null || turnId !== countedTurnId;
  return { state: next, change: { kind: "spent", turnId, atMs, cwd, model, isFirst, tokens: usage.last } };
}

function hookRunOf({ payload }: RolloutLine): HookRan | null {
  const ran = objectMember(payload, "heddle_hook_run");
  const turnId = ran === null ? null : textMember(ran, "turn_id");
  const run = ran === null ? null : objectMember(ran, "run");
  return turnId === null || run === null
    ? null
    : { kind: "hookRun", turnId, run: run as unknown as HookRunSummary };
}

function clip(name: string): string {
  return name.length <= MAX_NAME ? name : name.slice(0, MAX_NAME);
}
