/** What several runs of one event have in common ground: contexts, blocks, stops and replacements, in display order. */
import type { ConfiguredHook } from "../configured-hook.ts";
import type { HookEffect, HookOutcome } from "../outcome.ts";
import { DEFAULT_HOOK_TEXT_LIMIT } from "../spill.ts";

export interface FinishedRun {
  /** What a prompt for the model names. */
  readonly runId: string;
  readonly hook: Pick<ConfiguredHook, "key" | "displayOrder" | "dialect" | "additionalContextLimit">;
  readonly outcome: HookOutcome;
}

/** A message for the model, with the tokens above which it is cut; 0 for none. */
export interface HookContext {
  readonly text: string;
  readonly limit: number;
  /** It is told as a reminder of the system, as in Claude Code. */
  readonly isReminder?: boolean;
}

export interface HookStop {
  readonly reason: string | null;
}

export function inDisplayOrder(runs: readonly FinishedRun[]): FinishedRun[] {
  return [...runs].sort((one, other) => one.hook.displayOrder - other.hook.displayOrder);
}

export function contextsOf(runs: readonly FinishedRun[]): HookContext[] {
  return runs.flatMap(({ hook, outcome }) =>
    outcome.effect.contexts.map((text) => ({
      text,
      limit: hook.additionalContextLimit ?? DEFAULT_HOOK_TEXT_LIMIT,
      ...(hook.dialect === "claude" && { isReminder: true }),
    })),
  );
}

/** The reasons of all that say no. */
export function blocksOf(runs: readonly FinishedRun[]): string[] {
  return runs
    .map(({ outcome: { effect } }) => effect.block ?? denialOf(effect))
    .filter((reason) => reason !== null);
}

function denialOf({ permission }: HookEffect): string | null {
  return permission?.behavior === "deny" ? (permission.reason ?? "denied by a hook") : null;
}

/** Any stop, with the first reason that is given. */
export function stopOf(runs: readonly FinishedRun[]): HookStop | null {
  const stops = runs.map(({ outcome }) => outcome.effect.stop).filter((stop) => stop !== null);
  if (stops.length === 0) return null;
  return { reason: stops.map(({ reason }) => reason).find((reason) => reason !== null) ?? null };
}

export interface Replacement {
  /** That of the hook that is listed last; undefined where there is none. */
  readonly value: unknown;
  /** What was lost to it. */
  readonly conflicts: readonly string[];
}

export function replacementOf(
  runs: readonly FinishedRun[],
  member: "updatedInput" | "updatedOutput",
): Replacement {
  const replacing = runs.filter(({ outcome }) => outcome.effect[member] !== undefined);
  const last = replacing.at(-1);
  if (last === undefined) return { value: undefined, conflicts: [] };
  return {
    value: last.outcome.effect[member],
    conflicts: replacing
      .slice(0, -1)
      .map(({ hook }) => `hook ${hook.key}'s ${member} was replaced by hook ${last.hook.key}'s`),
  };
}
