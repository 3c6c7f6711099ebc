/** The hooks of a folder for display: each with its state and the files that its trust covers. */
import { findSkipReason, type HookSkip } from "../../hooks/config/skip-reason.ts";
import type { ConfiguredHook } from "../../hooks/configured-hook.ts";
import type { HookPins, PinnedContent } from "../../hooks/pinning/hook-pins.ts";
import type { Hooks } from "../setup/hooks.ts";

export interface HookView {
  readonly hook: ConfiguredHook;
  readonly content: PinnedContent;
  /** Null for a hook that runs. */
  readonly skipped: HookSkip | "refused" | null;
}

export interface ViewedHooks {
  readonly views: readonly HookView[];
  /** Warnings about the hook files. */
  readonly warnings: readonly string[];
  readonly pins: HookPins;
}

/** Throws where the configuration cannot be read. */
export async function viewHooks(hooks: Hooks, cwd: string): Promise<ViewedHooks> {
  const found = await hooks.inFolder(cwd);
  if (!found.ok) throw new Error(found.error.message);
  const views: HookView[] = [];
  for (const hook of found.value.hooks) {
    const content = await hooks.pins.inspect(hook, hooks.execEnvFor(cwd));
    const skipped = findSkipReason(hook);
    views.push({ hook, content, skipped: skipped ?? (content.refusal === null ? null : "refused") });
  }
  const { warnings, requiredFailures } = found.value;
  return { views, warnings: [...requiredFailures, ...warnings], pins: hooks.pins };
}

/** Whether the hook is skipped for lack of trust. */
export function needsTrust({ skipped }: HookView): boolean {
  return skipped === "untrusted" || skipped === "modified" || skipped === "refused";
}

/** Why the hook does not run, with the changed file where there is one. */
export function describeSkip({ hook, content, skipped }: HookView): string {
  switch (skipped) {
    case "disabled":
      return "it is switched off";
    case "modified":
      return `its definition in ${hook.sourcePath} has changed since it was trusted`;
    case "refused":
      return withoutName(content.refusal?.message ?? "", hook);
    default:
      return "it is not trusted";
  }
}

/** Removes the hook's key from a refusal that is shown beside the hook. */
export function withoutName(refusal: string, { key }: HookView["hook"]): string {
  return refusal.replace(`hook ${key} does not run: `, "");
}

/** The command that trusts a hook. */
export function trustCommand(key: string): string {
  const word = /^[\w./:@%+=,-]+$/u.test(key) ? key : `'${key.replaceAll("'", `'\\''`)}'`;
  return `heddle hooks trust ${word}`;
}
