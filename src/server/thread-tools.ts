import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { Logger } from "../base/logger.ts";
import { refuseFileChange } from "../engine/file-policy.ts";
import type { ThreadSettings } from "../engine/settings.ts";
import type { ThreadOptions } from "../engine/thread.ts";
import type { ModelInfo } from "../model/catalog/model-info.ts";
import { createApplyPatchTool } from "../tools/apply-patch/apply-patch-tool.ts";
import { nodeFileSystem } from "../tools/apply-patch/patch-file-system.ts";
import { findDiffRoot } from "../tools/diff/diff-root.ts";

export interface ThreadToolsOptions {
  readonly env: Environment;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
}

/** What a thread's model can call, and what it may do with it. */
export async function openThreadTools(
  settings: ThreadSettings,
  info: ModelInfo,
  { env, clock, createId, log }: ThreadToolsOptions,
): Promise<Pick<ThreadOptions, "toolSet" | "approve" | "diffRoot">> {
  const applyPatch = createApplyPatchTool({
    fs: nodeFileSystem,
    now: () => clock.now(),
    id: createId,
    refuse: (paths, { cwd }) => refuseFileChange(paths, { ...settings, cwd, env }) ?? undefined,
  });
  return {
    toolSet: { tools: info.hasApplyPatch ? [applyPatch] : [], log },
    // A patch has passed the file policy before it comes here; nothing else can be approved.
    approve: async ({ kind }) =>
      kind === "fileChange"
        ? { kind: "approved" }
        : { kind: "declined", reason: "nobody can be asked for an approval" },
    diffRoot: await findDiffRoot(settings.cwd),
  };
}
