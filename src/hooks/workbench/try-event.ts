/** Runs the hooks of one event as the loop would, and tells everything that is known of each run. Nothing is kept. */
import type { Clock } from "../../base/clock.ts";
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import type { ConfiguredHook, HookSet, JsonObject } from "../configured-hook.ts";
import { type ChangedFile, toClaudeCalls } from "../dialect/claude-calls.ts";
import { planRuns, withoutPartialAllowance } from "../dialect/plan-runs.ts";
import { decide, type HookDecision, hookEventOf, subjectsOf } from "../events/index.ts";
import { readOutcome } from "../events/read-outcome.ts";
import type { HookEventName } from "../hook-event.ts";
import type { HandlerResult } from "../outcome.ts";
import { type HandlerCall, type RunHandler, runHooks } from "../run/run-hooks.ts";
import { type DecisionWords, describeDecision } from "./describe-decision.ts";
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
  readonly runHandler: RunHandler;
  readonly signal: AbortSignal;
}

export interface TriedRun {
  readonly hook: ConfiguredHook;
  readonly run: HookRunSummary;
  /** What the handler gave back; null where it threw. */
  readonly result: HandlerResult | null;
}

export interface EventReport {
  readonly event: HookEventName;
  readonly input: JsonObject;
  readonly matches: readonly HookMatch[];
  /** In display order. */
  readonly runs: readonly TriedRun[];
  /** Without hooks that nobody waits for. */
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
  const results = new Map<HandlerCall, HandlerResult>();
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
      const result = await runHandler(hook, own);
      results.set(own, result);
      return result;
    },
    readOutcome: (hook, result) => readOutcome(event, result, hook),
    report: { started() {}, completed() {} },
  });
  const awaited = finished
    .filter(({ hook }) => !hook.isAsync)
    .map(({ hook, run, outcome }) => ({ runId: run.id, hook, outcome }));
  const decision = decide(event, withoutPartialAllowance(awaited));
  return {
    event,
    input,
    matches,
    runs: finished.map(({ hook, run }, index) => {
      const own = planned[index]?.call;
      return { hook, run, result: (own === undefined ? null : results.get(own)) ?? null };
    }),
    decision,
    would: describeDecision(event, decision),
  };
}
