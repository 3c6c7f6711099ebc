/** Plans which hooks run at an event, how often, and with which input. */
import { toWellFormedJson } from "../../base/well-formed.ts";
import type { ConfiguredHook } from "../configured-hook.ts";
import type { FinishedRun } from "../events/finished-run.ts";
import { NO_EFFECT } from "../outcome.ts";
import type { EventCall } from "../run/run-hooks.ts";
import { type DialectCall, MAX_PATCH_FILES } from "./claude-calls.ts";

export interface PlannedRun {
  readonly hook: ConfiguredHook;
  readonly call: EventCall;
}

export interface EventPlan {
  /** The call that Codex hooks receive. */
  readonly call: EventCall;
  readonly subjects: readonly string[];
  /** Computed only where a Claude Code hook is configured. */
  readonly claudeCalls: () => readonly DialectCall[];
}

export function planRuns(hooks: readonly ConfiguredHook[], plan: EventPlan): readonly PlannedRun[] {
  const { call, subjects } = plan;
  let claudeCalls: readonly SerializedCall[] | null = null;
  return hooks.flatMap((hook) => {
    if (hook.dialect === "codex") return hook.matches(subjects) ? [{ hook, call }] : [];
    claudeCalls ??= plan
      .claudeCalls()
      .map((one) => ({ ...one, inputText: toWellFormedJson(JSON.stringify(one.input)) }));
    return callsFor(hook, claudeCalls, call).map((own) => ({ hook, call: own }));
  });
}

interface SerializedCall extends DialectCall {
  readonly inputText: string;
}

function callsFor(
  hook: ConfiguredHook,
  claudeCalls: readonly SerializedCall[],
  call: EventCall,
): readonly EventCall[] {
  const matching = claudeCalls.filter(
    ({ subjects, input }) =>
      hook.matches(subjects) && (hook.condition?.(subjects, input["tool_input"]) ?? true),
  );
  const first = matching.filter(({ isFallback = false }) => !isFallback);
  const chosen = first.length > 0 ? first : matching;
  const calls = chosen.map(({ input, inputText }, index): EventCall => {
    const suffix = index === 0 || call.suffix === null ? call.suffix : `${call.suffix}:${index + 1}`;
    return { ...call, input, inputText, suffix };
  });
  if (calls.length <= MAX_PATCH_FILES) return calls;
  return calls.slice(0, 1).map((one) => ({ ...one, refusal: TOO_MANY }));
}

const TOO_MANY = `the patch changes more than ${MAX_PATCH_FILES} files, and a hook has to look at each; make smaller patches`;

/** A hook that was called several times allows the action only if every call allows it. */
export function withoutPartialAllowance(runs: readonly FinishedRun[]): readonly FinishedRun[] {
  const partial = new Set(runs.filter((run) => !allows(run)).map(({ hook }) => hook.key));
  return runs.map((run) =>
    allows(run) && partial.has(run.hook.key)
      ? {
          ...run,
          outcome: {
            ...run.outcome,
            effect: { ...run.outcome.effect, permission: NO_EFFECT.permission },
          },
        }
      : run,
  );
}

function allows({ outcome }: FinishedRun): boolean {
  return outcome.effect.permission?.behavior === "allow";
}
