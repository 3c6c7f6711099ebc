/** Which hooks would run at an event, and why each of the others would not. */

import { findSkipReason, type HookSkip } from "../config/skip-reason.ts";
import type { ConfiguredHook } from "../configured-hook.ts";
import type { HookEventName } from "../hook-event.ts";

export type MatchVerdict =
  | { readonly kind: "runs" }
  | { readonly kind: "otherEvent" }
  | { readonly kind: "matcher"; readonly subjects: readonly string[] }
  | { readonly kind: "skipped"; readonly reason: HookSkip }
  /** The content differs from what was trusted. */
  | { readonly kind: "refused"; readonly reason: string };

export interface HookMatch {
  readonly hook: ConfiguredHook;
  readonly verdict: MatchVerdict;
}

export interface MatchRequest {
  readonly event: HookEventName;
  /** All names of the subject that a matcher tests. */
  readonly subjects: readonly string[];
  /** Whether untrusted hooks run; disabled ones do not. */
  readonly runsUntrusted: boolean;
}

export function matchHooks(hooks: readonly ConfiguredHook[], request: MatchRequest): HookMatch[] {
  return hooks.map((hook) => ({ hook, verdict: judge(hook, request) }));
}

function judge(hook: ConfiguredHook, { event, subjects, runsUntrusted }: MatchRequest): MatchVerdict {
  if (hook.event !== event) return { kind: "otherEvent" };
  if (!hook.matches(subjects)) return { kind: "matcher", subjects };
  const skipped = findSkipReason(hook);
  if (skipped === null) return { kind: "runs" };
  if (skipped === "disabled") return { kind: "skipped", reason: skipped };
  if (runsUntrusted) return { kind: "runs" };
  return hook.refusal === undefined
    ? { kind: "skipped", reason: skipped }
    : { kind: "refused", reason: hook.refusal.message };
}

/** Whether it would run if the user trusted it in its current state. */
export function lacksTrust({ verdict }: HookMatch): boolean {
  return verdict.kind === "refused" || (verdict.kind === "skipped" && verdict.reason !== "disabled");
}

function describeSkip(reason: HookSkip, { sourcePath }: ConfiguredHook): string {
  switch (reason) {
    case "disabled":
      return "it is switched off";
    case "untrusted":
      return "it is not trusted";
    case "modified":
      return `its definition in ${sourcePath} has changed since it was trusted`;
  }
}

/** Null for a hook that runs. */
export function describeMismatch({ hook, verdict }: HookMatch): string | null {
  switch (verdict.kind) {
    case "runs":
      return null;
    case "otherEvent":
      return `it is about ${hook.event}`;
    case "matcher":
      return `its matcher ${JSON.stringify(hook.matcher)} does not match ${verdict.subjects.join(", ")}`;
    case "skipped":
      return describeSkip(verdict.reason, hook);
    case "refused":
      return verdict.reason;
  }
}
