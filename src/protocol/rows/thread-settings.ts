// The settings that the turns of a thread start with.

import { CollaborationMode, MultiAgentMode, Personality, ReasoningEffort, ReasoningSummary } from "./mode.ts";
import { ApprovalsReviewer, AskForApproval, SandboxPolicy } from "./policy.ts";
import { byThread, emptyResult, notification, request } from "./row.ts";
import { absolutePath, array, define, experimental, nullable, object, path, string } from "./shape.ts";

export const ThreadSettingsUpdateParams = define(
  "ThreadSettingsUpdateParams",
  object({
    threadId: string(),
    disabledPluginIds: nullable(array(string())),
    cwd: nullable(path()),
    approvalPolicy: nullable(AskForApproval),
    approvalsReviewer: nullable(ApprovalsReviewer),
    sandboxPolicy: nullable(SandboxPolicy),
    permissions: nullable(string()),
    model: nullable(string()),
    serviceTier: nullable(string()),
    effort: nullable(ReasoningEffort),
    summary: nullable(ReasoningSummary),
    collaborationMode: nullable(CollaborationMode),
    multiAgentMode: nullable(MultiAgentMode),
    personality: nullable(Personality),
  }),
);
export const ActivePermissionProfile = define(
  "ActivePermissionProfile",
  object({ id: string(), extends: nullable(string()) }),
);
export const ThreadSettings = define(
  "ThreadSettings",
  object({
    disabledPluginIds: array(string()),
    cwd: absolutePath(),
    approvalPolicy: AskForApproval,
    approvalsReviewer: ApprovalsReviewer,
    sandboxPolicy: SandboxPolicy,
    activePermissionProfile: nullable(ActivePermissionProfile),
    model: string(),
    modelProvider: string(),
    serviceTier: nullable(string()),
    effort: nullable(ReasoningEffort),
    summary: nullable(ReasoningSummary),
    collaborationMode: CollaborationMode,
    multiAgentMode: experimental("thread/settings.multiAgentMode", MultiAgentMode),
    personality: nullable(Personality),
  }),
);
export const ThreadSettingsUpdatedNotification = define(
  "ThreadSettingsUpdatedNotification",
  object({ threadId: string(), threadSettings: ThreadSettings }),
);

export const threadSettingsRequests = {
  "thread/settings/update": request({
    summary: "Changes the settings that later turns of a thread start with.",
    stability: "experimental",
    scope: "operate",
    params: ThreadSettingsUpdateParams,
    result: emptyResult("ThreadSettingsUpdateResponse"),
    order: byThread,
    handlers: "thread-work",
    isAudited: true,
  }),
};

export const threadSettingsNotifications = {
  "thread/settings/updated": notification({
    summary: "The settings of a thread changed.",
    stability: "experimental",
    params: ThreadSettingsUpdatedNotification,
    audience: "thread",
  }),
};
