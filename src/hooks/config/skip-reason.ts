/** Why a configured hook does not run. */
import type { ConfiguredHook } from "../configured-hook.ts";
import { hookEventOf } from "../events/index.ts";

export type HookSkip = "disabled" | "untrusted" | "modified";

/** Null for a hook that runs. */
export function findSkipReason(hook: Omit<ConfiguredHook, "displayOrder">): HookSkip | null {
  const { enabled, isManaged, trustStatus, isTrustBypassed = false, refusal, onFailure } = hook;
  if (isManaged) return null;
  if (!enabled) return "disabled";
  // A fail-closed hook or a guard must not be skipped: its run fails and blocks.
  if (refusal !== undefined) return onFailure === "open" && !isGuardDisabled(hook) ? "modified" : null;
  if (isTrustBypassed) return null;
  return trustStatus === "untrusted" || trustStatus === "modified" ? trustStatus : null;
}

/** Whether a guard was disabled by the commands that it guards, for example by a write to its script. */
function isGuardDisabled({ event, refusal }: Pick<ConfiguredHook, "event" | "refusal">): boolean {
  return refusal?.kind === "changed" && hookEventOf(event).whenInconclusive !== undefined;
}
