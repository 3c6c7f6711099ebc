import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import { refuseFileChange } from "../engine/file-policy.ts";
import type { ThreadSettings } from "../engine/settings.ts";
import type { TurnSetup } from "../engine/turn-setup.ts";
import type { ModelInfo } from "../model/catalog/model-info.ts";
import { createApplyPatchTool } from "../tools/apply-patch/apply-patch-tool.ts";
import { nodeFileSystem } from "../tools/apply-patch/patch-file-system.ts";
import type { PatchPorts } from "../tools/apply-patch/run-patch.ts";
import { findDiffRoot } from "../tools/diff/diff-root.ts";
import type { ApprovalDecision, ApprovalRequest, Tool } from "../tools/tool.ts";
import { type CommandTools, toExecSettings } from "./command-tools.ts";
import type { SetupBase } from "./thread-setup.ts";

export interface ThreadToolsOptions {
  readonly env: Environment;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly commands: () => Promise<CommandTools>;
}

export type ThreadTools = Pick<TurnSetup, "tools" | "approve" | "diffRoot" | "runUserShell">;

/** What a thread's model can call, and what it may do with it. */
export async function openThreadTools(
  settings: ThreadSettings,
  { info, values, threadId }: SetupBase & { readonly info: ModelInfo },
  { env, clock, createId, commands }: ThreadToolsOptions,
): Promise<ThreadTools> {
  const patchPorts: PatchPorts = {
    fs: nodeFileSystem,
    now: () => clock.now(),
    id: createId,
    refuse: (paths, { cwd }) => refuseFileChange(paths, { ...settings, cwd, env }) ?? undefined,
  };
  const openShell = async () => {
    const shell = await commands();
    shell.register(threadId, toExecSettings(values, info, threadId), patchPorts);
    return shell;
  };
  const shell = mayRunCommands(settings) ? await openShell() : null;
  const tools: Tool[] = [
    ...(shell?.tools ?? []),
    ...(info.hasApplyPatch ? [createApplyPatchTool(patchPorts)] : []),
  ];
  return {
    tools: async () => tools,
    approve: async (request) => decide(request, settings),
    diffRoot: await findDiffRoot(settings.cwd),
    runUserShell: async (command) => (shell ?? (await openShell())).runUserShell(command),
  };
}

/** Commands run only where no sandbox is asked for, because none can be enforced. */
function mayRunCommands({ sandbox, approvalPolicy }: ThreadSettings): boolean {
  const unconfined = sandbox.type === "dangerFullAccess" || sandbox.type === "externalSandbox";
  return unconfined && approvalPolicy !== "untrusted";
}

/** A patch has passed the file policy before it comes here; whatever else is not allowed outright is denied. */
function decide({ kind }: ApprovalRequest, settings: ThreadSettings): ApprovalDecision {
  if (kind === "fileChange" || mayRunCommands(settings)) return { kind: "approved" };
  return { kind: "declined", reason: "nobody can be asked for an approval" };
}
