/** Hooks with what is wrong with their content. */
import { createTimeSlices, SHORT } from "../../base/time-slices.ts";
import { type ConfiguredHook, type HookSet, whySkipped } from "../configured-hook.ts";

/** `refusalOf` is asked for those that would run. */
export async function markRefused<S extends HookSet>(
  set: S,
  refusalOf: (hook: ConfiguredHook) => Promise<string | null>,
): Promise<S> {
  const slices = createTimeSlices(() => performance.now(), SHORT);
  const hooks: ConfiguredHook[] = [];
  for (const hook of set.hooks) {
    await slices.pause();
    const refusal = whySkipped(hook) === null ? await refusalOf(hook) : null;
    hooks.push(refusal === null ? hook : refused(hook, refusal));
  }
  return { ...set, hooks };
}

/** An administrator's rule must not vanish: such a hook fails, and what fails holds back what it was asked about. */
function refused(hook: ConfiguredHook, refusal: string): ConfiguredHook {
  if (hook.isManaged) return { ...hook, refusal, onFailure: "closed" };
  return { ...hook, refusal, trustStatus: "modified" };
}

/** Tells what has become of hooks, once for each thing that has. */
export function createRefusalNews() {
  const told = new Map<string, string>();
  const waiting: string[] = [];
  return {
    note({ hooks }: HookSet): void {
      for (const { key, refusal } of hooks) {
        if (refusal === undefined) told.delete(key);
        else if (told.get(key) !== refusal) {
          told.set(key, refusal);
          waiting.push(refusal);
        }
      }
    },
    /** What was not told yet. */
    take: (): string[] => waiting.splice(0),
  };
}
