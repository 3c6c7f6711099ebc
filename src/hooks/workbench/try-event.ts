/**
 * Runs the hooks of one event as the agent loop would, and reports the details of each run. Nothing is
 * stored.
 */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import type { ConfiguredHook, HookSet } from "../configured-hook.ts";
import { type ChangedFile, toClaudeCalls } from "../dialect/claude-calls.ts";
import { planRuns, withoutPartialAllowance } from "../dialect/plan-runs.ts";
import type { DecisionSummary } from "../events/decision-summary.ts";
import { decide, describeDecision, type HookDecision, hookEventOf, subjectsOf } from "../events/index.ts";
import { readOutcome } from "../events/read-outcome.ts";
import type { HookEventName } from "../hook-event.ts";
import type { HandlerResult, HookOutcome } from "../outcome.ts";
import { type HandlerCall, type RunHandler, runHooks } from "../run/run-hooks.ts";
import { type HookMatch, matchHooks } from "./match-hooks.ts";

export interface TriedEvent {
  readonly event: HookEventName;
  readonly input: JsonObject;
  /** Alternative tool names of the event's subject. */
  readonly aliases?: readonly string[];
  /** The files that a patch changes, resolved against a folder. */
  readonly files?: (cwd: string) => readonly ChangedFile[] | null;
  readonly cwd: string;
  readonly runsUntrusted?: boolean;
}

export interface WorkbenchPorts {
  readonly clock: Clock;
  readonly createId: () => string;
  readonly runHandler: (...call: Parameters<RunHandler>) => Promise<TriedResult>;
  readonly signal: AbortSignal;
}

/** A handler result, or why the handler could not be run; its answer is then unknown. */
export type TriedResult = HandlerResult | { readonly kind: "notRun"; readonly reason: string };

export interface TriedRun {
  readonly hook: ConfiguredHook;
  readonly run: HookRunSummary;
  /** Null where the handler was not run. */
  readonly result: HandlerResult | null;
}

export interface NotRun {
  readonly hook: ConfiguredHook;
  readonly reason: string;
}

export interface EventReport {
  readonly event: HookEventName;
  readonly input: JsonObject;
  readonly matches: readonly HookMatch[];
  /** In display order. */
  readonly runs: readonly TriedRun[];
  /** Hooks that match and could not be run. */
  readonly notRun: readonly NotRun[];
  /** Without async hooks, and without those that could not be run. */
  readonly decision: HookDecision<HookEventName>;
  readonly would: DecisionSummary;
}

export async function tryEvent(
  { hooks }: HookSet,
  { event, input, aliases = [], files, cwd, runsUntrusted = false }: TriedEvent,
  { clock, createId, runHandler, signal }: WorkbenchPorts,
): Promise<EventReport> {
  const subjects = [...subjectsOf(event, input as never), ...aliases];
  const matches = matchHooks(hooks, { event, subjects, runsUntrusted });
  const running = matches.filter(({ verdict }) => verdict.kind === "runs").map(({ hook }) => hook);
  const results = new Map<HandlerCall, TriedResult>();
  const call = {
    event,
    scope: hookEventOf(event).scope,
    suffix: null,
    cwd,
    input,
    inputText: JSON.stringify(input),
    signal,
  };
  const facts = { aliases, files: files?.(cwd) ?? null, hasFailed: false };
  const planned = planRuns(running, {
    call,
    subjects,
    claudeCalls: () => toClaudeCalls(event, input, subjects, facts),
    // Each run gets its own call object, which is the key of its result.
  }).map((one) => ({ ...one, call: { ...one.call } }));
  const finished = await runHooks(planned, {
    clock,
    createId,
    async runHandler(hook, own) {
      const result = await runHandler(hook, own).catch(toNotRun);
      results.set(own, result);
      return result.kind === "notRun" ? { kind: "failed", message: result.reason } : result;
    },
    readOutcome: (hook, result) => readOutcome(event, result, hook),
    report: { started() {}, completed() {} },
  });
  const runs: TriedRun[] = [];
  const notRun: NotRun[] = [];
  const awaited: { runId: string; hook: ConfiguredHook; outcome: HookOutcome }[] = [];
  for (const [index, { hook, run, outcome }] of finished.entries()) {
    const own = planned[index]?.call;
    const result = own === undefined ? undefined : results.get(own);
    // A hook that denies without being run has no result.
    if (result?.kind === "notRun") {
      notRun.push({ hook, reason: result.reason });
      continue;
    }
    runs.push({ hook, run, result: result ?? null });
    if (!hook.isAsync) awaited.push({ runId: run.id, hook, outcome });
  }
  const decision = decide(event, withoutPartialAllowance(awaited));
  return {
    event,
    input,
    matches,
    runs,
    notRun,
    decision,
    would: withUnknown(describeDecision(event, decision), notRun.length),
  };
}

function toNotRun(error: unknown): TriedResult {
  return { kind: "notRun", reason: messageOf(error) };
}

/**
 * A denial holds whatever other hooks would answer; any other decision is unknown until all have answered.
 */
function withUnknown(summary: DecisionSummary, missing: number): DecisionSummary {
  if (missing === 0 || summary.isBlocked) return summary;
  const hooks = missing === 1 ? "a hook" : `${missing} hooks`;
  return { isBlocked: false, lines: [`what would come of it is not known: ${hooks} could not be run`] };
}
