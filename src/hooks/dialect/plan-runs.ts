/** Which hooks run at an event, how often, and what each run is told. */
import { toWellFormedJson } from "../../base/well-formed.ts";
import type { ConfiguredHook } from "../configured-hook.ts";
import type { FinishedRun } from "../events/finished-run.ts";
import { NO_EFFECT } from "../outcome.ts";
import type { EventCall } from "../run/run-hooks.ts";
import { type DialectCall, MAX_ASKED_FILES } from "./claude-calls.ts";

export interface PlannedRun {
  readonly hook: ConfiguredHook;
  readonly call: EventCall;
}

export interface EventPlan {
  /** What a hook of Codex is told. */
  readonly call: EventCall;
  readonly subjects: readonly string[];
  /** What a hook of Claude Code is asked about; looked at where there is one. */
  readonly claudeCalls: () => readonly DialectCall[];
}

export function planRuns(hooks: readonly ConfiguredHook[], plan: EventPlan): readonly PlannedRun[] {
  const { call, subjects } = plan;
  let asked: readonly AskedCall[] | null = null;
  return hooks.flatMap((hook) => {
    if (hook.dialect === "codex") return hook.matches(subjects) ? [{ hook, call }] : [];
    asked ??= plan
      .claudeCalls()
      .map((one) => ({ ...one, inputText: toWellFormedJson(JSON.stringify(one.input)) }));
    return callsFor(hook, asked, call).map((own) => ({ hook, call: own }));
  });
}

interface AskedCall extends DialectCall {
  readonly inputText: string;
}

function callsFor(hook: ConfiguredHook, asked: readonly AskedCall[], call: EventCall): readonly EventCall[] {
  const meant = asked.filter(
    ({ subjects, input }) =>
      hook.matches(subjects) && (hook.condition?.(subjects, input["tool_input"]) ?? true),
  );
  const first = meant.filter(({ isOtherwise = false }) => !isOtherwise);
  const chosen = first.length > 0 ? first : meant;
  const calls = chosen.map(({ input, inputText }, index): EventCall => {
    const suffix = index === 0 || call.suffix === null ? call.suffix : `${call.suffix}:${index + 1}`;
    return { ...call, input, inputText, suffix };
  });
  if (calls.length <= MAX_ASKED_FILES) return calls;
  return calls.slice(0, 1).map((one) => ({ ...one, refusal: TOO_MANY }));
}

const TOO_MANY = `the patch changes more than ${MAX_ASKED_FILES} files, and a hook has to look at each; make smaller patches`;

/** A hook that was asked about several things allows the whole only if it allows each of them. */
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
