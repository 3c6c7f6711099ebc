// Loading threads: start, resume, fork.

import { OfferedTool } from "./dynamic-tool.ts";
import { TurnEnvironmentParams } from "./input.ts";
import { CollaborationMode, MultiAgentMode, Personality, ReasoningEffort } from "./mode.ts";
import { ApprovalsReviewer, AskForApproval, SandboxMode, SandboxPolicy } from "./policy.ts";
import { ResponseItem } from "./response-item.ts";
import { byThreadOrPath, free, notification, permissionProfile, request } from "./row.ts";
import {
  absolutePath,
  anyJson,
  array,
  boolean,
  choice,
  define,
  experimental,
  heddle,
  map,
  nullable,
  object,
  optional,
  path,
  pathUri,
  string,
  tagged,
  u32,
} from "./shape.ts";
import { SortDirection, Thread, ThreadHistoryMode, ThreadSource, TurnsPage } from "./thread-record.ts";
import { ActivePermissionProfile } from "./thread-settings.ts";
import { TurnItemsView } from "./turn-record.ts";

export const ThreadStartSource = define("ThreadStartSource", choice("startup", "clear"));
export const CapabilityRootLocation = define(
  "CapabilityRootLocation",
  tagged("type", { environment: { environmentId: string(), path: pathUri() } }),
);
export const SelectedCapabilityRoot = define(
  "SelectedCapabilityRoot",
  object({ id: string(), location: CapabilityRootLocation }),
);
export const ThreadStartParams = define(
  "ThreadStartParams",
  object({
    model: nullable(string()),
    modelProvider: nullable(string()),
    allowProviderModelFallback: experimental("thread/start.allowProviderModelFallback", optional(boolean())),
    serviceTier: nullable(string()),
    cwd: nullable(string()),
    runtimeWorkspaceRoots: experimental(
      "thread/start.runtimeWorkspaceRoots",
      nullable(array(absolutePath())),
    ),
    approvalPolicy: nullable(AskForApproval),
    approvalsReviewer: nullable(ApprovalsReviewer),
    sandbox: nullable(SandboxMode),
    permissions: experimental("thread/start.permissions", nullable(string())),
    config: nullable(map(anyJson())),
    serviceName: nullable(string()),
    baseInstructions: nullable(string()),
    developerInstructions: nullable(string()),
    personality: nullable(Personality),
    multiAgentMode: experimental("thread/start.multiAgentMode", nullable(MultiAgentMode)),
    ephemeral: nullable(boolean()),
    historyMode: experimental("thread/start.historyMode", nullable(ThreadHistoryMode)),
    sessionStartSource: nullable(ThreadStartSource),
    threadSource: nullable(ThreadSource),
    projectId: experimental("thread/start.projectId", nullable(string())),
    daybreakEnabled: experimental("thread/start.daybreakEnabled", nullable(boolean())),
    environments: experimental("thread/start.environments", nullable(array(TurnEnvironmentParams))),
    dynamicTools: experimental("thread/start.dynamicTools", nullable(array(OfferedTool))),
    selectedCapabilityRoots: experimental(
      "thread/start.selectedCapabilityRoots",
      nullable(array(SelectedCapabilityRoot)),
    ),
    mockExperimentalField: experimental("thread/start.mockExperimentalField", nullable(string())),
    experimentalRawEvents: experimental("thread/start.experimentalRawEvents", optional(boolean())),
  }),
);
export const ThreadStartResponse = define(
  "ThreadStartResponse",
  object({
    thread: Thread,
    model: string(),
    modelProvider: string(),
    serviceTier: nullable(string()),
    disabledPluginIds: array(string()),
    cwd: absolutePath(),
    runtimeWorkspaceRoots: experimental("thread/start.runtimeWorkspaceRoots", array(absolutePath())),
    instructionSources: array(string()),
    approvalPolicy: AskForApproval,
    approvalsReviewer: ApprovalsReviewer,
    sandbox: SandboxPolicy,
    activePermissionProfile: experimental(
      "thread/start.activePermissionProfile",
      nullable(ActivePermissionProfile),
    ),
    reasoningEffort: nullable(ReasoningEffort),
    multiAgentMode: experimental("thread/start.multiAgentMode", MultiAgentMode),
  }),
);
export const ThreadResumeInitialTurnsPageParams = define(
  "ThreadResumeInitialTurnsPageParams",
  object({
    limit: nullable(u32()),
    sortDirection: nullable(SortDirection),
    itemsView: nullable(TurnItemsView),
  }),
);
export const ThreadResumeParams = define(
  "ThreadResumeParams",
  object({
    threadId: string(),
    history: experimental("thread/resume.history", nullable(array(ResponseItem))),
    path: experimental("thread/resume.path", nullable(path())),
    model: nullable(string()),
    modelProvider: nullable(string()),
    serviceTier: nullable(string()),
    cwd: nullable(string()),
    runtimeWorkspaceRoots: experimental(
      "thread/resume.runtimeWorkspaceRoots",
      nullable(array(absolutePath())),
    ),
    approvalPolicy: nullable(AskForApproval),
    approvalsReviewer: nullable(ApprovalsReviewer),
    sandbox: nullable(SandboxMode),
    permissions: experimental("thread/resume.permissions", nullable(string())),
    config: nullable(map(anyJson())),
    baseInstructions: nullable(string()),
    developerInstructions: nullable(string()),
    personality: nullable(Personality),
    excludeTurns: optional(boolean()),
    initialTurnsPage: experimental(
      "thread/resume.initialTurnsPage",
      nullable(ThreadResumeInitialTurnsPageParams),
    ),
    afterSeq: heddle(
      "Send the durable events after this position, for clients with the capability `resumableEvents`.",
      optional(nullable(string())),
    ),
    takeOver: heddle("Take the thread from another process that has it open.", optional(boolean())),
  }),
);
export const ThreadResumeResponse = define(
  "ThreadResumeResponse",
  object({
    thread: Thread,
    model: string(),
    modelProvider: string(),
    serviceTier: nullable(string()),
    disabledPluginIds: array(string()),
    cwd: absolutePath(),
    runtimeWorkspaceRoots: experimental("thread/resume.runtimeWorkspaceRoots", array(absolutePath())),
    instructionSources: array(string()),
    approvalPolicy: AskForApproval,
    approvalsReviewer: ApprovalsReviewer,
    sandbox: SandboxPolicy,
    activePermissionProfile: experimental(
      "thread/resume.activePermissionProfile",
      nullable(ActivePermissionProfile),
    ),
    reasoningEffort: nullable(ReasoningEffort),
    collaborationMode: nullable(CollaborationMode),
    multiAgentMode: experimental("thread/resume.multiAgentMode", MultiAgentMode),
    initialTurnsPage: experimental("thread/resume.initialTurnsPage", nullable(TurnsPage)),
    turnsBackwardsCursor: nullable(string()),
    itemsBackwardsCursor: nullable(string()),
  }),
);
export const ThreadForkParams = define(
  "ThreadForkParams",
  object({
    threadId: string(),
    experimentalPredictionMode: experimental("thread/fork.experimentalPredictionMode", optional(boolean())),
    experimentalDisablePredictionMcp: experimental(
      "thread/fork.experimentalDisablePredictionMcp",
      optional(boolean()),
    ),
    lastTurnId: nullable(string()),
    beforeTurnId: experimental("thread/fork.beforeTurnId", nullable(string())),
    path: experimental("thread/fork.path", nullable(path())),
    model: nullable(string()),
    modelProvider: nullable(string()),
    serviceTier: nullable(string()),
    cwd: nullable(string()),
    runtimeWorkspaceRoots: experimental("thread/fork.runtimeWorkspaceRoots", nullable(array(absolutePath()))),
    approvalPolicy: nullable(AskForApproval),
    approvalsReviewer: nullable(ApprovalsReviewer),
    sandbox: nullable(SandboxMode),
    permissions: experimental("thread/fork.permissions", nullable(string())),
    config: nullable(map(anyJson())),
    baseInstructions: nullable(string()),
    developerInstructions: nullable(string()),
    ephemeral: optional(boolean()),
    attachToSource: experimental("thread/fork.attachToSource", optional(boolean())),
    threadSource: nullable(ThreadSource),
    excludeTurns: optional(boolean()),
    deferGoalContinuation: experimental("thread/fork.deferGoalContinuation", optional(boolean())),
  }),
);
export const ThreadForkResponse = define(
  "ThreadForkResponse",
  object({
    thread: Thread,
    model: string(),
    modelProvider: string(),
    serviceTier: nullable(string()),
    disabledPluginIds: array(string()),
    cwd: absolutePath(),
    runtimeWorkspaceRoots: experimental("thread/fork.runtimeWorkspaceRoots", array(absolutePath())),
    instructionSources: array(string()),
    approvalPolicy: AskForApproval,
    approvalsReviewer: ApprovalsReviewer,
    sandbox: SandboxPolicy,
    activePermissionProfile: experimental(
      "thread/fork.activePermissionProfile",
      nullable(ActivePermissionProfile),
    ),
    reasoningEffort: nullable(ReasoningEffort),
    multiAgentMode: experimental("thread/fork.multiAgentMode", MultiAgentMode),
  }),
);
export const ThreadStartedNotification = define("ThreadStartedNotification", object({ thread: Thread }));

export const threadStartRequests = {
  "thread/start": request({
    summary: "Creates a thread and subscribes the caller to it.",
    stability: "stable",
    scope: "operate",
    params: ThreadStartParams,
    result: ThreadStartResponse,
    order: free,
    removed: permissionProfile(),
  }),
  "thread/resume": request({
    summary: "Loads a stored thread, or joins a loaded one, and subscribes the caller to it.",
    stability: "stable",
    scope: "operate",
    params: ThreadResumeParams,
    result: ThreadResumeResponse,
    order: byThreadOrPath,
    removed: permissionProfile(),
  }),
  "thread/fork": request({
    summary: "Creates a thread whose history begins as a copy of another's.",
    stability: "stable",
    scope: "operate",
    params: ThreadForkParams,
    result: ThreadForkResponse,
    order: byThreadOrPath,
    removed: permissionProfile(),
  }),
};

export const threadStartNotifications = {
  "thread/started": notification({
    summary: "A thread was created.",
    stability: "stable",
    params: ThreadStartedNotification,
    audience: "all",
  }),
};
