/**
 * The interpretation of a hook's answer: run status, the final entry shown to the user, and the requested
 * effect.
 */
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

/** Without a reason no entry is shown. */
export function stopped(reason: string | null): Meaning {
  const entry = reason === null ? null : { kind: "stop" as const, text: reason };
  return { status: "stopped", entry, effect: { stop: { reason } } };
}

/** An answer of the right shape that is rejected. */
export function rejected(error: string): Meaning {
  return { status: "failed", entry: { kind: "error", text: error }, effect: {} };
}

/** Null for blank text. */
export function trimmed(text: string | null | undefined): string | null {
  const trimmedText = text?.trim() ?? "";
  return trimmedText === "" ? null : trimmedText;
}

export function blockWithoutReason(event: string): string {
  return `${event} hook returned decision:block without a non-empty reason`;
}
