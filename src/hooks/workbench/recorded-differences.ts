/** Compares the runs of a replay with the recorded ones. */
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import { isBlockedFailure } from "../events/fail-closed.ts";

/** Whether the run blocked or stopped something; a failed run does where it fails closed. */
export function isDenied(run: HookRunSummary): boolean {
  return run.status === "blocked" || run.status === "stopped" || isBlockedFailure(run);
}

/** Empty without a difference. */
export function differencesOf(
  recorded: readonly HookRunSummary[],
  current: readonly HookRunSummary[],
): string[] {
  const differences: string[] = [];
  const [before, after] = [recorded.some(isDenied), current.some(isDenied)];
  if (before && !after) differences.push(`was blocked (${reasonsOf(recorded).join("; ")}), would not be`);
  if (!before && after) differences.push(`was not blocked, would be: ${reasonsOf(current).join("; ")}`);
  if (before && after && !isSame(reasonsOf(recorded), reasonsOf(current)))
    differences.push(`would be blocked for another reason: ${reasonsOf(current).join("; ")}`);
  const contexts = [textsOf(recorded, ["context"]), textsOf(current, ["context"])] as const;
  if (!isSame(...contexts)) differences.push(`context: ${show(contexts[0])} -> ${show(contexts[1])}`);
  const failures = [recorded, current].map((runs) => runs.filter(({ status }) => status === "failed").length);
  if (failures[0] !== failures[1]) differences.push(`hooks that fail: ${failures[0]} -> ${failures[1]}`);
  return differences;
}

const NO = ["feedback", "stop"];

function reasonsOf(runs: readonly HookRunSummary[]): string[] {
  return [...textsOf(runs, NO), ...textsOf(runs.filter(isBlockedFailure), ["error"])];
}

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
