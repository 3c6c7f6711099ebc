/** The hooks of a folder for display: each with its state and the files that its trust covers. */

import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import type { Configuration } from "../../config/configuration.ts";
import { describeHandler } from "../../hooks/config/skipped-hooks.ts";
import { type ConfigOptions, openConfigSource } from "../../runtime/configuration/config-source.ts";
import { createHooks } from "../../runtime/setup/hooks.ts";
import { type HookView, type ViewedHooks, viewHooks } from "../../runtime/workbench/view-hooks.ts";
import type { GlobalSettings } from "../command-line/options.ts";

export interface HookViews extends ViewedHooks {
  readonly cwd: string;
  readonly config: Configuration;
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
  return { ...(await viewHooks(hooks, cwd)), cwd, config: await source.get() };
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
