/** What an answer of a hook means: how the run ended, what the user is told last, what is asked for. */
import type { HookOutputEntry } from "../../protocol/generated/types.ts";
import type { HookEffect, HookOutcome } from "../outcome.ts";

export interface Meaning {
  readonly status: HookOutcome["status"];
  readonly entry: HookOutputEntry | null;
  readonly effect: Partial<HookEffect>;
}

export function completed(effect: Partial<HookEffect> = {}): Meaning {
  return { status: "completed", entry: null, effect };
}

export function blocked(reason: string): Meaning {
  return { status: "blocked", entry: { kind: "feedback", text: reason }, effect: { block: reason } };
}

/** Without a reason the user is told nothing. */
export function stopped(reason: string | null): Meaning {
  const entry = reason === null ? null : { kind: "stop" as const, text: reason };
  return { status: "stopped", entry, effect: { stop: { reason } } };
}

/** An answer of the right shape that is not taken. */
export function refused(error: string): Meaning {
  return { status: "failed", entry: { kind: "error", text: error }, effect: {} };
}

/** Null for text without a word. */
export function trimmed(text: string | null | undefined): string | null {
  const words = text?.trim() ?? "";
  return words === "" ? null : words;
}

export function blockWithoutReason(event: string): string {
  return `${event} hook returned decision:block without a non-empty reason`;
}
