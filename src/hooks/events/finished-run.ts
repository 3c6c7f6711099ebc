/** Folds shared by several events: contexts, blocks, stops and replacements, in display order. */
import type { ConfiguredHook } from "../configured-hook.ts";
import type { HookEffect, HookOutcome } from "../outcome.ts";
import { DEFAULT_HOOK_TEXT_LIMIT } from "../spill.ts";

export interface FinishedRun {
  /** The run id that prompts for the model refer to. */
  readonly runId: string;
  readonly hook: Pick<ConfiguredHook, "key" | "displayOrder" | "dialect" | "additionalContextLimit">;
  readonly outcome: HookOutcome;
}

/** A message for the model, truncated above `limit` tokens; 0 disables truncation. */
export interface HookContext {
  readonly text: string;
  readonly limit: number;
  /** Sent as a system reminder, as in Claude Code. */
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

/** The reasons of all runs that block or deny. */
export function blocksOf(runs: readonly FinishedRun[]): string[] {
  return runs
    .map(({ outcome: { effect } }) => effect.block ?? denialOf(effect))
    .filter((reason) => reason !== null);
}

function denialOf({ permission }: HookEffect): string | null {
  return permission?.behavior === "deny" ? (permission.reason ?? "denied by a hook") : null;
}

/** A stop of any run, with the first reason given. */
export function stopOf(runs: readonly FinishedRun[]): HookStop | null {
  const stops = runs.map(({ outcome }) => outcome.effect.stop).filter((stop) => stop !== null);
  if (stops.length === 0) return null;
  return { reason: stops.map(({ reason }) => reason).find((reason) => reason !== null) ?? null };
}

export interface Replacement {
  /** The replacement of the last hook in display order; undefined for none. */
  readonly value: unknown;
  /** Replacements that were overridden. */
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
