/** Describes in text what the agent loop would do with a decision, for the hook workbench. */
import type { HookContext, HookStop } from "./finished-run.ts";

export interface DecisionSummary {
  /** Whether an action, or the end of a turn, would be prevented. */
  readonly isBlocked: boolean;
  /** One sentence each; empty where nothing would change. */
  readonly lines: readonly string[];
}

export function summarize(isBlocked: boolean, lines: readonly string[]): DecisionSummary {
  return { isBlocked, lines };
}

/** For events that hooks can only observe. */
export function describeWatched(): DecisionSummary {
  return summarize(false, ["nothing would change: hooks only watch this event"]);
}

/** `effect` describes the effect of a stop. */
export function describeStop(
  effect: string,
  stop: HookStop | null,
  contexts: readonly HookContext[] = [],
): DecisionSummary {
  const end = stop === null ? [] : [`${effect}${because(stop.reason)}`];
  return summarize(stop !== null, [...end, ...describeContexts(contexts)]);
}

export function describeContexts(contexts: readonly HookContext[]): string[] {
  return contexts.map(({ text }) => `the model would receive: ${text}`);
}

export function because(reason: string | null): string {
  return reason === null || reason === "" ? "" : `: ${reason}`;
}
