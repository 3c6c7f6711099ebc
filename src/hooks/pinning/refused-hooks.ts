/** Marks hooks whose content fails the pin check. */
import { createTimeSlices, SHORT_SLICES } from "../../base/time-slices.ts";
import { findSkipReason } from "../config/skip-reason.ts";
import type { ConfiguredHook, HookSet } from "../configured-hook.ts";
import type { CheckedHandler } from "./hook-pins.ts";
import { createProgramSearch, type LocateProgram } from "./locate-program.ts";

/** `check` is called only for hooks that would run, with a search for programs that only these calls share. */
export async function markRefused<S extends HookSet>(
  set: S,
  check: (hook: ConfiguredHook, locate: LocateProgram) => Promise<CheckedHandler>,
): Promise<S> {
  const locate = createProgramSearch();
  const slices = createTimeSlices(() => performance.now(), SHORT_SLICES);
  const hooks: ConfiguredHook[] = [];
  for (const hook of set.hooks) {
    await slices.pause();
    hooks.push(findSkipReason(hook) === null ? asChecked(hook, await check(hook, locate)) : hook);
  }
  return { ...set, hooks };
}

function asChecked(hook: ConfiguredHook, checked: CheckedHandler): ConfiguredHook {
  if (checked.kind === "runnable") return { ...hook, handler: checked.handler };
  const { refusal } = checked;
  // An administrator's rule must not vanish: the hook fails closed, which blocks the action that it guards.
  if (hook.isManaged) return { ...hook, refusal, onFailure: "closed" };
  // Renewed trust would change nothing where the command text does not determine what runs.
  return refusal.kind === "unpinnable" ? { ...hook, refusal } : { ...hook, refusal, trustStatus: "modified" };
}

/** Collects refusal messages, each reported once until it changes. */
export function createRefusalReporter() {
  const reported = new Map<string, string>();
  const pending: string[] = [];
  return {
    note({ hooks }: HookSet): void {
      for (const { key, refusal } of hooks) {
        if (refusal === undefined) reported.delete(key);
        else if (reported.get(key) !== refusal.message) {
          reported.set(key, refusal.message);
          pending.push(refusal.message);
        }
      }
    },
    /** Messages that have not been reported yet. */
    take: (): string[] => pending.splice(0),
  };
}
