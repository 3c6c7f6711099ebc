/** Runs the hooks of one event as the loop would, and tells everything that is known of each run. Nothing is kept. */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import type { ConfiguredHook, HookSet, JsonObject } from "../configured-hook.ts";
import { type ChangedFile, toClaudeCalls } from "../dialect/claude-calls.ts";
import { planRuns, withoutPartialAllowance } from "../dialect/plan-runs.ts";
import type { DecisionWords } from "../events/decision-words.ts";
import { decide, describeDecision, type HookDecision, hookEventOf, subjectsOf } from "../events/index.ts";
import { readOutcome } from "../events/read-outcome.ts";
import type { HookEventName } from "../hook-event.ts";
import type { HandlerResult, HookOutcome } from "../outcome.ts";
import { type HandlerCall, type RunHandler, runHooks } from "../run/run-hooks.ts";
import { type HookMatch, matchHooks } from "./match-hooks.ts";

export interface TriedEvent {
  readonly event: HookEventName;
  readonly input: JsonObject;
  /** Other names for what a tool event is about. */
  readonly aliases?: readonly string[];
  /** Those that a patch changes, in a folder. */
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

/** What a handler gave back, or why it could not be run; what it would have said is not known then. */
export type TriedResult = HandlerResult | { readonly kind: "notRun"; readonly reason: string };

export interface TriedRun {
  readonly hook: ConfiguredHook;
  readonly run: HookRunSummary;
  /** What the handler gave back; null where it was not asked. */
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
  /** Those that match, and could not be run. */
  readonly notRun: readonly NotRun[];
  /** Without hooks that nobody waits for, and those that could not be run. */
  readonly decision: HookDecision<HookEventName>;
  readonly would: DecisionWords;
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
    // Each with a call of its own, by which its result is found again.
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
    // One that says no without being asked has no result.
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

/** A no is one whatever others would have said; anything else is not known before all have spoken. */
function withUnknown(words: DecisionWords, missing: number): DecisionWords {
  if (missing === 0 || words.isBlocked) return words;
  const hooks = missing === 1 ? "a hook" : `${missing} hooks`;
  return { isBlocked: false, lines: [`what would come of it is not known: ${hooks} could not be run`] };
}
