import { workspaceRootsOf } from "../../engine/state/settings.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { ThreadStartResponse } from "../../protocol/generated/types.ts";

/** The settings of a thread, as they stand beside it in the answers that load it. */
export function describeSettings({
  settings,
  instructionSources,
}: Thread): Omit<ThreadStartResponse, "thread"> {
  return {
    model: settings.model,
    modelProvider: settings.modelProvider,
    serviceTier: settings.serviceTier,
    disabledPluginIds: [],
    cwd: settings.cwd,
    runtimeWorkspaceRoots: [...workspaceRootsOf(settings)],
    instructionSources: [...instructionSources],
    approvalPolicy: settings.approvalPolicy,
    approvalsReviewer: settings.approvalsReviewer,
    sandbox: settings.sandbox,
    activePermissionProfile: settings.permissionProfile,
    reasoningEffort: settings.effort,
    multiAgentMode: "explicitRequestOnly",
  };
}
