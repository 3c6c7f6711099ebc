/** The hooks of a folder for display: each with its state and the files that its trust covers. */

import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import type { Configuration } from "../../config/configuration.ts";
import { findSkipReason, type HookSkip } from "../../hooks/config/skip-reason.ts";
import { describeHandler } from "../../hooks/config/skipped-hooks.ts";
import type { ConfiguredHook } from "../../hooks/configured-hook.ts";
import type { HookPins, PinnedContent } from "../../hooks/pinning/hook-pins.ts";
import { type ConfigOptions, openConfigSource } from "../../runtime/configuration/config-source.ts";
import { createHooks } from "../../runtime/setup/hooks.ts";
import type { GlobalSettings } from "../command-line/options.ts";

export interface HookView {
  readonly hook: ConfiguredHook;
  readonly content: PinnedContent;
  /** Null for a hook that runs. */
  readonly skipped: HookSkip | "refused" | null;
}

export interface HookViews {
  readonly cwd: string;
  readonly views: readonly HookView[];
  /** Warnings about the hook files. */
  readonly warnings: readonly string[];
  readonly config: Configuration;
  readonly pins: HookPins;
}

export function viewSettings(settings: GlobalSettings): ConfigOptions {
  return { ...settings, env: process.env, cwd: process.cwd(), userHome: homedir(), createId: randomUUID };
}

/** Throws where the configuration cannot be read. */
export async function openHookViews(settings: ConfigOptions, folder: string): Promise<HookViews> {
  const source = await openConfigSource(settings);
  const { env, cwd: start, userHome, createId } = settings;
  const host = { env, cwd: start, userHome, createId, clock: systemClock, log: silentLogger };
  const hooks = createHooks(host, source, { guardClaude() {} });
  const cwd = resolve(settings.cwd, folder);
  const found = await hooks.inFolder(cwd);
  if (!found.ok) throw new Error(found.error.message);
  const views: HookView[] = [];
  for (const hook of found.value.hooks) {
    const content = await hooks.pins.inspect(hook, hooks.execEnvFor(cwd));
    const skipped = findSkipReason(hook);
    views.push({ hook, content, skipped: skipped ?? (content.refusal === null ? null : "refused") });
  }
  const { warnings, requiredFailures } = found.value;
  return {
    cwd,
    views,
    warnings: [...requiredFailures, ...warnings],
    config: await source.get(),
    pins: hooks.pins,
  };
}

/** Whether the hook is skipped for lack of trust. */
export function needsTrust({ skipped }: HookView): boolean {
  return skipped === "untrusted" || skipped === "modified" || skipped === "refused";
}

/** The hook for `--json`. */
export function hookToJson({ hook, content, skipped }: HookView) {
  const { key, event, matcher, source, sourcePath, displayOrder, enabled, isManaged } = hook;
  return {
    key,
    event,
    matcher,
    type: hook.handler.type,
    runs: describeHandler(hook),
    source,
    sourcePath,
    displayOrder,
    enabled,
    isManaged,
    trustStatus: hook.trustStatus,
    currentHash: hook.currentHash,
    isRun: skipped === null,
    whyNot: skipped,
    refusal: content.refusal?.message ?? null,
    files: content.files,
    unpinnable: content.unpinnable,
  };
}
