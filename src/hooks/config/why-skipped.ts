/** Why a hook that is configured does not run. */
import type { ConfiguredHook } from "../configured-hook.ts";
import { hookEventOf } from "../events/index.ts";

export type HookSkip = "disabled" | "untrusted" | "modified";

/** Null for one that runs. */
export function whySkipped(hook: Omit<ConfiguredHook, "displayOrder">): HookSkip | null {
  const { enabled, isManaged, trustStatus, isTrustBypassed = false, refusal, onFailure } = hook;
  if (isManaged) return null;
  if (!enabled) return "disabled";
  // What must not fail does not vanish either: it is run, and that fails.
  if (refusal !== undefined) return onFailure === "open" && !isGuardLost(hook) ? "modified" : null;
  if (isTrustBypassed) return null;
  return trustStatus === "untrusted" || trustStatus === "modified" ? trustStatus : null;
}

/** Whether those whom a guard watches have kept it from running, as by writing to its script. */
function isGuardLost({ event, refusal }: Pick<ConfiguredHook, "event" | "refusal">): boolean {
  return refusal?.kind === "changed" && hookEventOf(event).whenLost !== undefined;
}
