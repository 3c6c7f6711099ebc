/** Hooks with what is wrong with their content. */
import { createTimeSlices, SHORT_SLICES } from "../../base/time-slices.ts";
import { whySkipped } from "../config/why-skipped.ts";
import type { ConfiguredHook, HookSet } from "../configured-hook.ts";
import type { CheckedHandler } from "./hook-pins.ts";

/** `check` is asked for those that would run. */
export async function markRefused<S extends HookSet>(
  set: S,
  check: (hook: ConfiguredHook) => Promise<CheckedHandler>,
): Promise<S> {
  const slices = createTimeSlices(() => performance.now(), SHORT_SLICES);
  const hooks: ConfiguredHook[] = [];
  for (const hook of set.hooks) {
    await slices.pause();
    hooks.push(whySkipped(hook) === null ? asChecked(hook, await check(hook)) : hook);
  }
  return { ...set, hooks };
}

function asChecked(hook: ConfiguredHook, checked: CheckedHandler): ConfiguredHook {
  if (checked.kind === "runnable") return { ...hook, handler: checked.handler };
  const { refusal } = checked;
  // An administrator's rule must not vanish: such a hook fails, and what fails holds back what it was asked about.
  if (hook.isManaged) return { ...hook, refusal, onFailure: "closed" };
  // To trust it again changes nothing where its text does not tell what it runs.
  return refusal.kind === "unpinnable" ? { ...hook, refusal } : { ...hook, refusal, trustStatus: "modified" };
}

/** Tells what has become of hooks, once for each thing that has. */
export function createRefusalNews() {
  const told = new Map<string, string>();
  const waiting: string[] = [];
  return {
    note({ hooks }: HookSet): void {
      for (const { key, refusal } of hooks) {
        if (refusal === undefined) told.delete(key);
        else if (told.get(key) !== refusal.message) {
          told.set(key, refusal.message);
          waiting.push(refusal.message);
        }
      }
    },
    /** What was not told yet. */
    take: (): string[] => waiting.splice(0),
  };
}
