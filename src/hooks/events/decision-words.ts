/** What the loop would do with a decision, in words for those who try their hooks. */
import type { HookContext, HookStop } from "./finished-run.ts";

export interface DecisionWords {
  /** Whether something would be kept from being done, or from ending. */
  readonly isBlocked: boolean;
  /** A line each; none where nothing would change. */
  readonly lines: readonly string[];
}

export function words(isBlocked: boolean, lines: readonly string[]): DecisionWords {
  return { isBlocked, lines };
}

/** For events that hooks can only watch. */
export function describeWatched(): DecisionWords {
  return words(false, ["nothing would change: hooks only watch this event"]);
}

/** `says` what a stop would do. */
export function describeStop(
  says: string,
  stop: HookStop | null,
  contexts: readonly HookContext[] = [],
): DecisionWords {
  const end = stop === null ? [] : [`${says}${because(stop.reason)}`];
  return words(stop !== null, [...end, ...describeContexts(contexts)]);
}

export function describeContexts(contexts: readonly HookContext[]): string[] {
  return contexts.map(({ text }) => `the model would be told: ${text}`);
}

export function because(reason: string | null): string {
  return reason === null || reason === "" ? "" : `: ${reason}`;
}
