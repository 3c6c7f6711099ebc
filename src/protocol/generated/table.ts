// Generated from src/protocol/rows by `npm run generate`. Do not edit.

import type { AccessScope, ClientRequests, ServerNotifications, ServerRequests } from "./types.ts";

/** The order of a request: requests with the same kind and key run one after the other. */
export type Order =
  | { readonly kind: "free" }
  | { readonly kind: "thread"; readonly orField?: string }
  | { readonly kind: "global"; readonly lane: string; readonly access: "shared" | "exclusive" }
  | { readonly kind: "connection"; readonly field: string };

export type Stability = "stable" | "experimental";

export interface RequestRow {
  readonly stability: Stability;
  /** The scope that a connection needs for it. */
  readonly scope: AccessScope;
  readonly order: Order;
  /** Whether the params may be absent. */
  readonly paramsOptional?: true;
  /** The definition of the params; null if there are none. */
  readonly params: string | null;
  /** A former member of the params that is now rejected, possibly within another member. */
  readonly removed?: { readonly name: string; readonly within?: string; readonly instead: string };
}

export interface ServerRequestRow {
  readonly stability: Stability;
  /** The definition of the result. */
  readonly result: string;
  /** The flag of the thread's status while the request is open. */
  readonly raises?: "approval" | "question";
}

export interface NotificationRow {
  readonly stability: Stability;
  readonly audience: "all" | "thread" | "family" | "connection";
  /** Whether it is a delta of the item that `itemId` names. */
  readonly isPiece?: true;
  /** Whether it follows from the lines of a thread. */
  readonly isDurable?: true;
  /** Whether the completed item contains it. */
  readonly isRepeatedLater?: true;
  /** With this `reason` it is sent only to clients with the experimental capability. */
  readonly experimentalReason?: string;
}

/** Requests that run in the lane of a thread. */
export type ThreadMethod =
  | "thread/resume"
  | "thread/fork"
  | "thread/archive"
  | "thread/unarchive"
  | "thread/delete"
  | "thread/unsubscribe"
  | "thread/name/set"
  | "thread/metadata/update"
  | "thread/memoryMode/set"
  | "thread/settings/update"
  | "thread/read"
  | "thread/readState/update"
  | "thread/revert"
  | "thread/inject_items"
  | "thread/subscribe"
  | "turn/start"
  | "turn/settings/update"
  | "turn/steer"
  | "turn/interrupt"
  | "review/start"
  | "thread/queue/add"
  | "thread/queue/list"
  | "thread/queue/update"
  | "thread/queue/delete"
  | "thread/queue/reorder"
  | "thread/queue/start"
  | "thread/queue/pause"
  | "thread/queue/resume"
  | "thread/submit"
  | "thread/wake"
  | "thread/wakeToken/create"
  | "thread/wakeToken/list"
  | "thread/wakeToken/revoke"
  | "thread/goal/set"
  | "thread/goal/get"
  | "thread/goal/clear"
  | "lifecycle/subscribe"
  | "thread/increment_elicitation"
  | "thread/decrement_elicitation"
  | "thread/compact/start"
  | "thread/shellCommand"
  | "thread/approveGuardianDeniedAction"
  | "thread/backgroundTerminals/clean"
  | "thread/backgroundTerminals/list"
  | "thread/backgroundTerminals/terminate"
  | "mcpServer/resource/read"
  | "mcpServer/tool/call";

export const requestRows: { readonly [Method in keyof ClientRequests]: RequestRow } = {
  "initialize": {"stability":"stable","scope":"read","order":{"kind":"free"},"params":"InitializeParams"},
  "server/diagnostics": {"stability":"experimental","scope":"read","order":{"kind":"free"},"params":"ServerDiagnosticsParams"},
  "thread/start": {"stability":"stable","scope":"operate","order":{"kind":"free"},"params":"ThreadStartParams","removed":{"name":"permissionProfile","instead":"use `permissions` with a named profile id instead"}},
  "thread/resume": {"stability":"stable","scope":"operate","order":{"kind":"thread","orField":"path"},"params":"ThreadResumeParams","removed":{"name":"permissionProfile","instead":"use `permissions` with a named profile id instead"}},
  "thread/fork": {"stability":"stable","scope":"operate","order":{"kind":"thread","orField":"path"},"params":"ThreadForkParams","removed":{"name":"permissionProfile","instead":"use `permissions` with a named profile id instead"}},
  "thread/archive": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"ThreadArchiveParams"},
  "thread/unarchive": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"ThreadUnarchiveParams"},
  "thread/delete": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"ThreadDeleteParams"},
  "thread/unsubscribe": {"stability":"stable","scope":"read","order":{"kind":"thread"},"params":"ThreadUnsubscribeParams"},
  "thread/name/set": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"ThreadSetNameParams"},
  "thread/metadata/update": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"ThreadMetadataUpdateParams"},
  "thread/memoryMode/set": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadMemoryModeSetParams"},
  "thread/settings/update": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadSettingsUpdateParams"},
  "thread/list": {"stability":"stable","scope":"read","order":{"kind":"free"},"params":"ThreadListParams"},
  "thread/loaded/list": {"stability":"stable","scope":"read","order":{"kind":"free"},"params":"ThreadLoadedListParams"},
  "thread/read": {"stability":"stable","scope":"read","order":{"kind":"thread"},"params":"ThreadReadParams"},
  "thread/readState/update": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadReadStateUpdateParams"},
  "thread/search": {"stability":"experimental","scope":"read","order":{"kind":"free"},"params":"ThreadSearchParams"},
  "thread/searchOccurrences": {"stability":"experimental","scope":"read","order":{"kind":"free"},"params":"ThreadSearchOccurrencesParams"},
  "thread/revert": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"ThreadRevertParams"},
  "thread/turns/list": {"stability":"stable","scope":"read","order":{"kind":"free"},"params":"ThreadTurnsListParams"},
  "thread/items/list": {"stability":"stable","scope":"read","order":{"kind":"free"},"params":"ThreadItemsListParams"},
  "thread/items/read": {"stability":"experimental","scope":"read","order":{"kind":"free"},"params":"ThreadItemsReadParams"},
  "thread/inject_items": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"ThreadInjectItemsParams"},
  "thread/timeline/list": {"stability":"experimental","scope":"read","order":{"kind":"free"},"params":"ThreadTimelineListParams"},
  "thread/subscribe": {"stability":"experimental","scope":"read","order":{"kind":"thread"},"params":"ThreadSubscribeParams"},
  "thread/events/list": {"stability":"experimental","scope":"read","order":{"kind":"free"},"params":"ThreadEventsListParams"},
  "turn/start": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"TurnStartParams","removed":{"name":"permissionProfile","instead":"use `permissions` with a named profile id instead"}},
  "turn/settings/update": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"TurnSettingsUpdateParams"},
  "turn/steer": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"TurnSteerParams"},
  "turn/interrupt": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"TurnInterruptParams"},
  "review/start": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"ReviewStartParams"},
  "thread/queue/add": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadQueueAddParams","removed":{"name":"permissionProfile","within":"turnStartParams","instead":"use `permissions` with a named profile id instead"}},
  "thread/queue/list": {"stability":"experimental","scope":"read","order":{"kind":"thread"},"params":"ThreadQueueListParams"},
  "thread/queue/update": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadQueueUpdateParams"},
  "thread/queue/delete": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadQueueDeleteParams"},
  "thread/queue/reorder": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadQueueReorderParams"},
  "thread/queue/start": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadQueueStartParams"},
  "thread/queue/pause": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadQueuePauseParams"},
  "thread/queue/resume": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadQueueResumeParams"},
  "thread/submit": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"TurnStartParams","removed":{"name":"permissionProfile","instead":"use `permissions` with a named profile id instead"}},
  "schedule/create": {"stability":"experimental","scope":"operate","order":{"kind":"global","lane":"schedules","access":"exclusive"},"params":"ScheduleCreateParams"},
  "schedule/list": {"stability":"experimental","scope":"read","order":{"kind":"free"},"params":"ScheduleListParams"},
  "schedule/update": {"stability":"experimental","scope":"operate","order":{"kind":"global","lane":"schedules","access":"exclusive"},"params":"ScheduleUpdateParams"},
  "schedule/delete": {"stability":"experimental","scope":"operate","order":{"kind":"global","lane":"schedules","access":"exclusive"},"params":"ScheduleDeleteParams"},
  "schedule/runNow": {"stability":"experimental","scope":"operate","order":{"kind":"free"},"params":"ScheduleRunNowParams"},
  "thread/wake": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadWakeParams"},
  "thread/wakeToken/create": {"stability":"experimental","scope":"admin","order":{"kind":"thread"},"params":"ThreadWakeTokenCreateParams"},
  "thread/wakeToken/list": {"stability":"experimental","scope":"read","order":{"kind":"thread"},"params":"ThreadWakeTokenListParams"},
  "thread/wakeToken/revoke": {"stability":"experimental","scope":"admin","order":{"kind":"thread"},"params":"ThreadWakeTokenRevokeParams"},
  "webhook/list": {"stability":"experimental","scope":"read","order":{"kind":"free"},"params":"WebhookListParams"},
  "webhook/retry": {"stability":"experimental","scope":"admin","order":{"kind":"free"},"params":"WebhookRetryParams"},
  "webhook/test": {"stability":"experimental","scope":"admin","order":{"kind":"free"},"params":"WebhookTestParams"},
  "thread/goal/set": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"ThreadGoalSetParams"},
  "thread/goal/get": {"stability":"stable","scope":"read","order":{"kind":"thread"},"params":"ThreadGoalGetParams"},
  "thread/goal/clear": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"ThreadGoalClearParams"},
  "hooks/list": {"stability":"stable","scope":"read","order":{"kind":"global","lane":"config","access":"shared"},"params":"HooksListParams"},
  "lifecycle/subscribe": {"stability":"experimental","scope":"read","order":{"kind":"thread"},"params":"LifecycleSubscribeParams"},
  "lifecycle/unsubscribe": {"stability":"experimental","scope":"read","order":{"kind":"connection","field":"subscriptionId"},"params":"LifecycleUnsubscribeParams"},
  "approval/list": {"stability":"experimental","scope":"read","order":{"kind":"free"},"params":"ApprovalListParams"},
  "approval/answer": {"stability":"experimental","scope":"answer","order":{"kind":"free"},"params":"ApprovalAnswerParams"},
  "thread/increment_elicitation": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadIncrementElicitationParams"},
  "thread/decrement_elicitation": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadDecrementElicitationParams"},
  "thread/compact/start": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"ThreadCompactStartParams"},
  "thread/shellCommand": {"stability":"stable","scope":"admin","order":{"kind":"thread"},"params":"ThreadShellCommandParams"},
  "thread/approveGuardianDeniedAction": {"stability":"stable","scope":"answer","order":{"kind":"thread"},"params":"ThreadApproveGuardianDeniedActionParams"},
  "thread/backgroundTerminals/clean": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadBackgroundTerminalsCleanParams"},
  "thread/backgroundTerminals/list": {"stability":"experimental","scope":"read","order":{"kind":"thread"},"params":"ThreadBackgroundTerminalsListParams"},
  "thread/backgroundTerminals/terminate": {"stability":"experimental","scope":"operate","order":{"kind":"thread"},"params":"ThreadBackgroundTerminalsTerminateParams"},
  "fs/readFile": {"stability":"stable","scope":"admin","order":{"kind":"free"},"params":"FsReadFileParams"},
  "fs/writeFile": {"stability":"stable","scope":"admin","order":{"kind":"free"},"params":"FsWriteFileParams"},
  "fs/createDirectory": {"stability":"stable","scope":"admin","order":{"kind":"free"},"params":"FsCreateDirectoryParams"},
  "fs/getMetadata": {"stability":"stable","scope":"admin","order":{"kind":"free"},"params":"FsGetMetadataParams"},
  "fs/readDirectory": {"stability":"stable","scope":"admin","order":{"kind":"free"},"params":"FsReadDirectoryParams"},
  "fs/remove": {"stability":"stable","scope":"admin","order":{"kind":"free"},"params":"FsRemoveParams"},
  "fs/copy": {"stability":"stable","scope":"admin","order":{"kind":"free"},"params":"FsCopyParams"},
  "fs/watch": {"stability":"stable","scope":"admin","order":{"kind":"connection","field":"watchId"},"params":"FsWatchParams"},
  "fs/unwatch": {"stability":"stable","scope":"admin","order":{"kind":"connection","field":"watchId"},"params":"FsUnwatchParams"},
  "fuzzyFileSearch": {"stability":"stable","scope":"operate","order":{"kind":"free"},"params":"FuzzyFileSearchParams"},
  "fuzzyFileSearch/sessionStart": {"stability":"experimental","scope":"operate","order":{"kind":"connection","field":"sessionId"},"params":"FuzzyFileSearchSessionStartParams"},
  "fuzzyFileSearch/sessionUpdate": {"stability":"experimental","scope":"operate","order":{"kind":"connection","field":"sessionId"},"params":"FuzzyFileSearchSessionUpdateParams"},
  "fuzzyFileSearch/sessionStop": {"stability":"experimental","scope":"operate","order":{"kind":"connection","field":"sessionId"},"params":"FuzzyFileSearchSessionStopParams"},
  "command/exec": {"stability":"stable","scope":"admin","order":{"kind":"free"},"params":"CommandExecParams"},
  "command/exec/write": {"stability":"stable","scope":"admin","order":{"kind":"connection","field":"processId"},"params":"CommandExecWriteParams"},
  "command/exec/terminate": {"stability":"stable","scope":"admin","order":{"kind":"connection","field":"processId"},"params":"CommandExecTerminateParams"},
  "command/exec/resize": {"stability":"stable","scope":"admin","order":{"kind":"connection","field":"processId"},"params":"CommandExecResizeParams"},
  "process/spawn": {"stability":"experimental","scope":"admin","order":{"kind":"connection","field":"processHandle"},"params":"ProcessSpawnParams"},
  "process/writeStdin": {"stability":"experimental","scope":"admin","order":{"kind":"connection","field":"processHandle"},"params":"ProcessWriteStdinParams"},
  "process/kill": {"stability":"experimental","scope":"admin","order":{"kind":"connection","field":"processHandle"},"params":"ProcessKillParams"},
  "process/resizePty": {"stability":"experimental","scope":"admin","order":{"kind":"connection","field":"processHandle"},"params":"ProcessResizePtyParams"},
  "config/read": {"stability":"stable","scope":"admin","order":{"kind":"global","lane":"config","access":"shared"},"params":"ConfigReadParams"},
  "config/value/write": {"stability":"stable","scope":"admin","order":{"kind":"global","lane":"config","access":"exclusive"},"params":"ConfigValueWriteParams"},
  "config/batchWrite": {"stability":"stable","scope":"admin","order":{"kind":"global","lane":"config","access":"exclusive"},"params":"ConfigBatchWriteParams"},
  "configRequirements/read": {"stability":"stable","scope":"read","order":{"kind":"global","lane":"config","access":"shared"},"paramsOptional":true,"params":null},
  "permissionProfile/list": {"stability":"stable","scope":"read","order":{"kind":"global","lane":"config","access":"shared"},"params":"PermissionProfileListParams"},
  "experimentalFeature/list": {"stability":"stable","scope":"read","order":{"kind":"global","lane":"config","access":"exclusive"},"params":"ExperimentalFeatureListParams"},
  "experimentalFeature/enablement/set": {"stability":"stable","scope":"admin","order":{"kind":"global","lane":"config","access":"exclusive"},"params":"ExperimentalFeatureEnablementSetParams"},
  "model/list": {"stability":"stable","scope":"read","order":{"kind":"free"},"params":"ModelListParams"},
  "modelProvider/capabilities/read": {"stability":"stable","scope":"read","order":{"kind":"free"},"params":"ModelProviderCapabilitiesReadParams"},
  "collaborationMode/list": {"stability":"experimental","scope":"read","order":{"kind":"free"},"params":"CollaborationModeListParams"},
  "mcpServer/oauth/login": {"stability":"stable","scope":"admin","order":{"kind":"global","lane":"mcp-oauth","access":"exclusive"},"params":"McpServerOauthLoginParams"},
  "config/mcpServer/reload": {"stability":"stable","scope":"admin","order":{"kind":"global","lane":"mcp-registry","access":"exclusive"},"paramsOptional":true,"params":null},
  "mcpServerStatus/list": {"stability":"stable","scope":"read","order":{"kind":"global","lane":"mcp-registry","access":"exclusive"},"params":"ListMcpServerStatusParams"},
  "mcpServer/resource/read": {"stability":"stable","scope":"operate","order":{"kind":"thread"},"params":"McpResourceReadParams"},
  "mcpServer/tool/call": {"stability":"stable","scope":"admin","order":{"kind":"thread"},"params":"McpServerToolCallParams"},
  "skills/list": {"stability":"stable","scope":"read","order":{"kind":"global","lane":"config","access":"shared"},"params":"SkillsListParams"},
  "skills/extraRoots/set": {"stability":"stable","scope":"admin","order":{"kind":"global","lane":"config","access":"exclusive"},"params":"SkillsExtraRootsSetParams"},
  "skills/config/write": {"stability":"stable","scope":"admin","order":{"kind":"global","lane":"config","access":"exclusive"},"params":"SkillsConfigWriteParams"},
  "plugin/list": {"stability":"stable","scope":"read","order":{"kind":"free"},"params":"PluginListParams"},
  "app/list": {"stability":"stable","scope":"read","order":{"kind":"free"},"params":"AppsListParams"},
  "environment/info": {"stability":"experimental","scope":"read","order":{"kind":"global","lane":"environment","access":"shared"},"params":"EnvironmentInfoParams"},
  "account/login/start": {"stability":"stable","scope":"admin","order":{"kind":"global","lane":"account-auth","access":"exclusive"},"params":"LoginAccountParams"},
  "account/login/cancel": {"stability":"stable","scope":"admin","order":{"kind":"global","lane":"account-auth","access":"exclusive"},"params":"CancelLoginAccountParams"},
  "account/logout": {"stability":"stable","scope":"admin","order":{"kind":"global","lane":"account-auth","access":"exclusive"},"paramsOptional":true,"params":null},
  "account/read": {"stability":"stable","scope":"read","order":{"kind":"global","lane":"account-auth","access":"exclusive"},"params":"GetAccountParams"},
  "getAuthStatus": {"stability":"stable","scope":"admin","order":{"kind":"global","lane":"account-auth","access":"exclusive"},"params":"GetAuthStatusParams"},
  "account/rateLimits/read": {"stability":"stable","scope":"read","order":{"kind":"free"},"paramsOptional":true,"params":"GetAccountRateLimitsParams"},
  "device/list": {"stability":"experimental","scope":"admin","order":{"kind":"free"},"params":"DeviceListParams"},
  "device/pair": {"stability":"experimental","scope":"admin","order":{"kind":"free"},"params":"DevicePairParams"},
  "device/revoke": {"stability":"experimental","scope":"admin","order":{"kind":"free"},"params":"DeviceRevokeParams"},
  "getConversationSummary": {"stability":"stable","scope":"operate","order":{"kind":"free"},"params":"GetConversationSummaryParams"},
  "gitDiffToRemote": {"stability":"stable","scope":"operate","order":{"kind":"free"},"params":"GitDiffToRemoteParams"},
};

/** Requests by their handler file, for files that are loaded on first use. */
export const lazyRequests = {
  "thread-upkeep": ["thread/archive","thread/unarchive","thread/delete"],
  "thread-details": ["thread/name/set","thread/metadata/update","thread/memoryMode/set","thread/readState/update"],
  "thread-work": ["thread/settings/update","thread/inject_items","review/start","thread/compact/start","thread/shellCommand"],
  "thread-lists": ["thread/list","thread/read","thread/search","getConversationSummary"],
  "thread-pages": ["thread/searchOccurrences","thread/turns/list","thread/items/list","thread/items/read","thread/timeline/list"],
  "thread-revert": ["thread/revert"],
  "thread-subscribe": ["thread/subscribe","thread/events/list"],
  "queue": ["thread/queue/add","thread/queue/list","thread/queue/update","thread/queue/delete","thread/queue/reorder","thread/queue/start","thread/queue/pause","thread/queue/resume","thread/submit"],
  "schedules": ["schedule/create","schedule/list","schedule/update","schedule/delete","schedule/runNow"],
  "wake": ["thread/wake","thread/wakeToken/create","thread/wakeToken/list","thread/wakeToken/revoke"],
  "webhooks": ["webhook/list","webhook/retry","webhook/test"],
  "thread-goals": ["thread/goal/set","thread/goal/get","thread/goal/clear"],
  "hooks": ["hooks/list"],
  "lifecycle": ["lifecycle/subscribe","lifecycle/unsubscribe"],
  "approvals": ["approval/list","approval/answer"],
  "background-terminals": ["thread/backgroundTerminals/clean","thread/backgroundTerminals/list","thread/backgroundTerminals/terminate"],
  "files": ["fs/readFile","fs/writeFile","fs/createDirectory","fs/getMetadata","fs/readDirectory","fs/remove","fs/copy"],
  "watches": ["fs/watch","fs/unwatch"],
  "fuzzy-search": ["fuzzyFileSearch","fuzzyFileSearch/sessionStart","fuzzyFileSearch/sessionUpdate","fuzzyFileSearch/sessionStop"],
  "commands": ["command/exec","command/exec/write","command/exec/terminate","command/exec/resize"],
  "processes": ["process/spawn","process/writeStdin","process/kill","process/resizePty"],
  "features": ["experimentalFeature/list","experimentalFeature/enablement/set"],
  "models": ["model/list","modelProvider/capabilities/read"],
  "mcp": ["mcpServer/oauth/login","config/mcpServer/reload","mcpServerStatus/list","mcpServer/resource/read","mcpServer/tool/call"],
  "skills": ["skills/list","skills/extraRoots/set","skills/config/write"],
  "devices": ["device/list","device/pair","device/revoke"],
} as const satisfies Readonly<Record<string, readonly (keyof ClientRequests)[]>>;

export const serverRequestRows: { readonly [Method in keyof ServerRequests]: ServerRequestRow } = {
  "item/commandExecution/requestApproval": {"stability":"stable","result":"CommandExecutionRequestApprovalResponse","raises":"approval"},
  "item/fileChange/requestApproval": {"stability":"stable","result":"FileChangeRequestApprovalResponse","raises":"approval"},
  "item/permissions/requestApproval": {"stability":"stable","result":"PermissionsRequestApprovalResponse","raises":"approval"},
  "applyPatchApproval": {"stability":"stable","result":"ApplyPatchApprovalResponse"},
  "execCommandApproval": {"stability":"stable","result":"ExecCommandApprovalResponse"},
  "item/tool/requestUserInput": {"stability":"stable","result":"ToolRequestUserInputResponse","raises":"question"},
  "attestation/generate": {"stability":"stable","result":"AttestationGenerateResponse"},
  "currentTime/read": {"stability":"experimental","result":"CurrentTimeReadResponse"},
  "item/tool/call": {"stability":"stable","result":"DynamicToolCallResponse"},
  "mcpServer/elicitation/request": {"stability":"stable","result":"McpServerElicitationRequestResponse","raises":"approval"},
  "account/chatgptAuthTokens/refresh": {"stability":"stable","result":"ChatgptAuthTokensRefreshResponse"},
};

export const notificationRows: { readonly [Method in keyof ServerNotifications]: NotificationRow } = {
  "remoteControl/status/changed": {"stability":"stable","audience":"all"},
  "warning": {"stability":"stable","audience":"thread"},
  "deprecationNotice": {"stability":"stable","audience":"connection"},
  "thread/started": {"stability":"stable","audience":"all"},
  "thread/status/changed": {"stability":"stable","audience":"all"},
  "thread/archived": {"stability":"stable","audience":"all"},
  "thread/deleted": {"stability":"stable","audience":"all"},
  "thread/unarchived": {"stability":"stable","audience":"all"},
  "thread/closed": {"stability":"stable","audience":"all"},
  "thread/name/updated": {"stability":"stable","audience":"all"},
  "thread/settings/updated": {"stability":"experimental","audience":"thread"},
  "thread/tokenUsage/updated": {"stability":"stable","audience":"thread","isDurable":true},
  "thread/readState/changed": {"stability":"experimental","audience":"thread"},
  "thread/reverted": {"stability":"experimental","audience":"all","isDurable":true},
  "thread/synced": {"stability":"experimental","audience":"connection"},
  "thread/resync": {"stability":"experimental","audience":"connection"},
  "error": {"stability":"stable","audience":"thread"},
  "turn/started": {"stability":"stable","audience":"thread","isDurable":true},
  "turn/completed": {"stability":"stable","audience":"thread","isDurable":true},
  "turn/diff/updated": {"stability":"stable","audience":"thread"},
  "turn/plan/updated": {"stability":"stable","audience":"thread"},
  "turn/moderationMetadata": {"stability":"experimental","audience":"thread"},
  "item/started": {"stability":"stable","audience":"thread"},
  "item/completed": {"stability":"stable","audience":"thread","isDurable":true},
  "rawResponseItem/completed": {"stability":"stable","audience":"thread"},
  "rawResponse/completed": {"stability":"stable","audience":"thread"},
  "item/agentMessage/delta": {"stability":"stable","audience":"thread","isPiece":true},
  "item/plan/delta": {"stability":"stable","audience":"thread","isPiece":true},
  "item/commandExecution/outputDelta": {"stability":"stable","audience":"thread","isPiece":true,"isRepeatedLater":true},
  "item/commandExecution/terminalInteraction": {"stability":"stable","audience":"thread","isPiece":true},
  "item/fileChange/outputDelta": {"stability":"stable","audience":"thread","isPiece":true},
  "item/fileChange/patchUpdated": {"stability":"stable","audience":"thread","isPiece":true},
  "item/mcpToolCall/progress": {"stability":"stable","audience":"thread","isPiece":true},
  "item/reasoning/summaryTextDelta": {"stability":"stable","audience":"thread","isPiece":true},
  "item/reasoning/summaryPartAdded": {"stability":"stable","audience":"thread","isPiece":true},
  "item/reasoning/textDelta": {"stability":"stable","audience":"thread","isPiece":true},
  "thread/queue/changed": {"stability":"experimental","audience":"thread"},
  "schedule/changed": {"stability":"experimental","audience":"all"},
  "thread/goal/updated": {"stability":"stable","audience":"all"},
  "thread/goal/cleared": {"stability":"stable","audience":"all"},
  "hook/started": {"stability":"stable","audience":"thread"},
  "hook/completed": {"stability":"stable","audience":"thread","isDurable":true},
  "lifecycle/event": {"stability":"experimental","audience":"connection"},
  "serverRequest/resolved": {"stability":"stable","audience":"family"},
  "approval/changed": {"stability":"experimental","audience":"connection"},
  "item/autoApprovalReview/started": {"stability":"stable","audience":"thread"},
  "item/autoApprovalReview/completed": {"stability":"stable","audience":"thread"},
  "autoApprovalReview/strictReviewRequired": {"stability":"experimental","audience":"thread"},
  "guardianWarning": {"stability":"stable","audience":"thread"},
  "thread/compacted": {"stability":"stable","audience":"thread"},
  "fs/changed": {"stability":"stable","audience":"connection"},
  "fuzzyFileSearch/sessionUpdated": {"stability":"stable","audience":"connection"},
  "fuzzyFileSearch/sessionCompleted": {"stability":"stable","audience":"connection"},
  "command/exec/outputDelta": {"stability":"stable","audience":"connection"},
  "process/outputDelta": {"stability":"experimental","audience":"connection"},
  "process/exited": {"stability":"experimental","audience":"connection"},
  "configWarning": {"stability":"stable","audience":"connection"},
  "model/rerouted": {"stability":"stable","audience":"thread","experimentalReason":"providerUnavailable"},
  "model/verification": {"stability":"stable","audience":"thread"},
  "modelProvider/authRecoveryStarted": {"stability":"stable","audience":"thread"},
  "modelProvider/authRecoveryCompleted": {"stability":"stable","audience":"thread"},
  "model/safetyBuffering/updated": {"stability":"stable","audience":"thread"},
  "mcpServer/oauthLogin/completed": {"stability":"stable","audience":"all"},
  "mcpServer/startupStatus/updated": {"stability":"stable","audience":"thread"},
  "skills/changed": {"stability":"stable","audience":"all"},
  "app/list/updated": {"stability":"stable","audience":"all"},
  "account/updated": {"stability":"stable","audience":"all"},
  "account/login/completed": {"stability":"stable","audience":"all"},
  "account/rateLimits/updated": {"stability":"stable","audience":"thread"},
  "device/changed": {"stability":"experimental","audience":"connection"},
};

/** JSON Schema of everything that a client can send, by name. */
export const definitions: Readonly<Record<string, string>> = {
  "AccessScope": '{"enum":["read","answer","operate","admin"],"type":"string"}',
  "AdditionalContextEntry": '{"type":"object","properties":{"value":{"type":"string"},"kind":{"$ref":"AdditionalContextKind"},"name":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["value","kind"]}',
  "AdditionalContextKind": '{"enum":["untrusted","application"],"type":"string"}',
  "AdditionalFileSystemPermissions": '{"type":"object","properties":{"read":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},"write":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},"globScanMaxDepth":{"anyOf":[{"type":"integer","format":"uint","minimum":0,"maximum":18446744073709552000},{"type":"null"}]},"entries":{"anyOf":[{"type":"array","items":{"$ref":"FileSystemSandboxEntry"}},{"type":"null"}]}}}',
  "AdditionalNetworkPermissions": '{"type":"object","properties":{"enabled":{"anyOf":[{"type":"boolean"},{"type":"null"}]}}}',
  "AgentMessageInputContent": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"input_text"},"text":{"type":"string"}},"required":["type","text"]},{"type":"object","properties":{"type":{"type":"string","const":"encrypted_content"},"encrypted_content":{"type":"string"}},"required":["type","encrypted_content"]}]}',
  "ApplyPatchApprovalResponse": '{"type":"object","properties":{"decision":{"$ref":"ReviewDecision"}},"required":["decision"]}',
  "ApprovalAnswerParams": '{"type":"object","properties":{"id":{"type":"string"},"decision":{}},"required":["id","decision"]}',
  "ApprovalListParams": '{"type":"object","properties":{"status":{"anyOf":[{"enum":["open","closed","all"],"type":"string"},{"type":"null"}]},"threadId":{"anyOf":[{"type":"string"},{"type":"null"}]},"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]},"subscribe":{"anyOf":[{"type":"boolean"},{"type":"null"}]}}}',
  "ApprovalsReviewer": '{"enum":["user","auto_review","guardian_subagent"],"type":"string"}',
  "AppsListParams": '{"type":"object","properties":{"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]},"threadId":{"anyOf":[{"type":"string"},{"type":"null"}]},"forceRefetch":{"type":"boolean"}}}',
  "AskForApproval": '{"x-variants":["untrusted","on-request","granular","never"],"anyOf":[{"enum":["untrusted","on-request","never"],"type":"string"},{"type":"object","properties":{"granular":{"type":"object","x-experimental":"askForApproval.granular","properties":{"sandbox_approval":{"type":"boolean"},"rules":{"type":"boolean"},"skill_approval":{"type":"boolean"},"request_permissions":{"type":"boolean"},"mcp_elicitations":{"type":"boolean"}},"required":["sandbox_approval","rules","mcp_elicitations"]}},"required":["granular"],"additionalProperties":false}]}',
  "AttestationGenerateResponse": '{"type":"object","properties":{"token":{"type":"string"}},"required":["token"]}',
  "ByteRange": '{"type":"object","properties":{"start":{"type":"integer","format":"uint","minimum":0,"maximum":18446744073709552000},"end":{"type":"integer","format":"uint","minimum":0,"maximum":18446744073709552000}},"required":["start","end"]}',
  "CancelLoginAccountParams": '{"type":"object","properties":{"loginId":{"type":"string"}},"required":["loginId"]}',
  "CapabilityRootLocation": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"environment"},"environmentId":{"type":"string"},"path":{"type":"string","format":"path-uri"}},"required":["type","environmentId","path"]}]}',
  "ChatgptAuthTokensRefreshResponse": '{"type":"object","properties":{"accessToken":{"type":"string"},"chatgptAccountId":{"type":"string"},"chatgptPlanType":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["accessToken","chatgptAccountId"]}',
  "ClientInfo": '{"type":"object","properties":{"name":{"type":"string"},"title":{"anyOf":[{"type":"string"},{"type":"null"}]},"version":{"type":"string"}},"required":["name","version"]}',
  "CollaborationMode": '{"type":"object","properties":{"mode":{"$ref":"ModeKind"},"settings":{"$ref":"Settings"}},"required":["mode","settings"]}',
  "CollaborationModeListParams": '{"type":"object"}',
  "CommandExecParams": '{"type":"object","properties":{"command":{"type":"array","items":{"type":"string"}},"processId":{"anyOf":[{"type":"string"},{"type":"null"}]},"tty":{"type":"boolean"},"streamStdin":{"type":"boolean"},"streamStdoutStderr":{"type":"boolean"},"outputBytesCap":{"anyOf":[{"type":"integer","format":"uint","minimum":0,"maximum":18446744073709552000},{"type":"null"}]},"disableOutputCap":{"type":"boolean"},"disableTimeout":{"type":"boolean"},"timeoutMs":{"anyOf":[{"type":"integer","format":"int64","minimum":-9223372036854776000,"maximum":9223372036854776000},{"type":"null"}]},"cwd":{"anyOf":[{"type":"string","format":"path"},{"type":"null"}]},"env":{"anyOf":[{"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"type":"null"}]}},{"type":"null"}]},"size":{"anyOf":[{"$ref":"CommandExecTerminalSize"},{"type":"null"}]},"sandboxPolicy":{"anyOf":[{"$ref":"SandboxPolicy"},{"type":"null"}]},"permissionProfile":{"x-experimental":"command/exec.permissionProfile","anyOf":[{"type":"string"},{"type":"null"}]}},"required":["command"]}',
  "CommandExecResizeParams": '{"type":"object","properties":{"processId":{"type":"string"},"size":{"$ref":"CommandExecTerminalSize"}},"required":["processId","size"]}',
  "CommandExecTerminalSize": '{"type":"object","properties":{"rows":{"type":"integer","format":"uint16","minimum":0,"maximum":65535},"cols":{"type":"integer","format":"uint16","minimum":0,"maximum":65535}},"required":["rows","cols"]}',
  "CommandExecTerminateParams": '{"type":"object","properties":{"processId":{"type":"string"}},"required":["processId"]}',
  "CommandExecWriteParams": '{"type":"object","properties":{"processId":{"type":"string"},"deltaBase64":{"anyOf":[{"type":"string"},{"type":"null"}]},"closeStdin":{"type":"boolean"}},"required":["processId"]}',
  "CommandExecutionApprovalDecision": '{"x-variants":["accept","acceptForSession","acceptWithExecpolicyAmendment","applyNetworkPolicyAmendment","decline","cancel"],"anyOf":[{"enum":["accept","acceptForSession","decline","cancel"],"type":"string"},{"type":"object","properties":{"acceptWithExecpolicyAmendment":{"type":"object","properties":{"execpolicy_amendment":{"$ref":"ExecPolicyAmendment"}},"required":["execpolicy_amendment"]}},"required":["acceptWithExecpolicyAmendment"],"additionalProperties":false},{"type":"object","properties":{"applyNetworkPolicyAmendment":{"type":"object","properties":{"network_policy_amendment":{"$ref":"NetworkPolicyAmendment"}},"required":["network_policy_amendment"]}},"required":["applyNetworkPolicyAmendment"],"additionalProperties":false}]}',
  "CommandExecutionRequestApprovalResponse": '{"type":"object","properties":{"decision":{"$ref":"CommandExecutionApprovalDecision"}},"required":["decision"]}',
  "ConfigBatchWriteParams": '{"type":"object","properties":{"edits":{"type":"array","items":{"$ref":"ConfigEdit"}},"filePath":{"anyOf":[{"type":"string"},{"type":"null"}]},"expectedVersion":{"anyOf":[{"type":"string"},{"type":"null"}]},"reloadUserConfig":{"type":"boolean"}},"required":["edits"]}',
  "ConfigEdit": '{"type":"object","properties":{"keyPath":{"type":"string"},"value":{},"mergeStrategy":{"$ref":"MergeStrategy"}},"required":["keyPath","value","mergeStrategy"]}',
  "ConfigReadParams": '{"type":"object","properties":{"includeLayers":{"type":"boolean"},"cwd":{"anyOf":[{"type":"string"},{"type":"null"}]}}}',
  "ConfigValueWriteParams": '{"type":"object","properties":{"keyPath":{"type":"string"},"value":{},"mergeStrategy":{"$ref":"MergeStrategy"},"filePath":{"anyOf":[{"type":"string"},{"type":"null"}]},"expectedVersion":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["keyPath","value","mergeStrategy"]}',
  "ConfigurationReasoning": '{"type":"object","properties":{"effort":{"$ref":"ReasoningEffort"}},"required":["effort"]}',
  "ContentItem": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"input_text"},"text":{"type":"string"}},"required":["type","text"]},{"type":"object","x-either":"ImageReference","properties":{"type":{"type":"string","const":"input_image"},"detail":{"anyOf":[{"$ref":"ImageDetail"},{"type":"null"}]},"image_url":{"type":"string"}},"required":["type","image_url"]},{"type":"object","x-either":"ImageReference","properties":{"type":{"type":"string","const":"input_image"},"detail":{"anyOf":[{"$ref":"ImageDetail"},{"type":"null"}]},"file_id":{"type":"string"}},"required":["type","file_id"]},{"type":"object","properties":{"type":{"type":"string","const":"input_audio"},"audio_url":{"type":"string"}},"required":["type","audio_url"]},{"type":"object","properties":{"type":{"type":"string","const":"output_text"},"text":{"type":"string"},"annotations":{"anyOf":[{"type":"array","items":{}},{"type":"null"}]},"logprobs":{"anyOf":[{"type":"array","items":{}},{"type":"null"}]}},"required":["type","text"]}]}',
  "CurrentTimeReadResponse": '{"type":"object","properties":{"currentTimeAt":{"type":"integer","format":"int64","minimum":-9223372036854776000,"maximum":9223372036854776000}},"required":["currentTimeAt"]}',
  "CyberAccessProgram": '{"enum":["standard","daybreakBlue","daybreakRed"],"type":"string"}',
  "DeviceListParams": '{"type":"object"}',
  "DevicePairParams": '{"type":"object","properties":{"name":{"anyOf":[{"type":"string"},{"type":"null"}]},"subject":{"anyOf":[{"type":"string"},{"type":"null"}]},"scopes":{"anyOf":[{"type":"array","items":{"$ref":"AccessScope"}},{"type":"null"}]},"expiresInSeconds":{"anyOf":[{"type":"integer","format":"int64","minimum":-9223372036854776000,"maximum":9223372036854776000},{"type":"null"}]}}}',
  "DeviceRevokeParams": '{"type":"object","properties":{"deviceId":{"type":"string"}},"required":["deviceId"]}',
  "DynamicToolCallOutputContentItem": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"inputText"},"text":{"type":"string"}},"required":["type","text"]},{"type":"object","properties":{"type":{"type":"string","const":"inputImage"},"imageUrl":{"type":"string"}},"required":["type","imageUrl"]},{"type":"object","properties":{"type":{"type":"string","const":"inputAudio"},"audioUrl":{"type":"string"}},"required":["type","audioUrl"]}]}',
  "DynamicToolCallResponse": '{"type":"object","properties":{"contentItems":{"type":"array","items":{"$ref":"DynamicToolCallOutputContentItem"}},"success":{"type":"boolean"}},"required":["contentItems","success"]}',
  "DynamicToolNamespaceTool": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"function"},"name":{"type":"string"},"description":{"type":"string"},"inputSchema":{},"deferLoading":{"type":"boolean"}},"required":["type","name","description","inputSchema"]}]}',
  "DynamicToolSpec": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"function"},"name":{"type":"string"},"description":{"type":"string"},"inputSchema":{},"deferLoading":{"type":"boolean"}},"required":["type","name","description","inputSchema"]},{"type":"object","properties":{"type":{"type":"string","const":"namespace"},"name":{"type":"string"},"description":{"type":"string"},"tools":{"type":"array","items":{"$ref":"DynamicToolNamespaceTool"}}},"required":["type","name","description","tools"]}]}',
  "EnvironmentInfoParams": '{"type":"object","properties":{"environmentId":{"type":"string"}},"required":["environmentId"]}',
  "ExecCommandApprovalResponse": '{"type":"object","properties":{"decision":{"$ref":"ReviewDecision"}},"required":["decision"]}',
  "ExecPolicyAmendment": '{"type":"array","items":{"type":"string"}}',
  "ExperimentalFeatureEnablementSetParams": '{"type":"object","properties":{"enablement":{"type":"object","additionalProperties":{"type":"boolean"}}},"required":["enablement"]}',
  "ExperimentalFeatureListParams": '{"type":"object","properties":{"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]},"threadId":{"anyOf":[{"type":"string"},{"type":"null"}]}}}',
  "FileChangeApprovalDecision": '{"enum":["accept","acceptForSession","decline","cancel"],"type":"string"}',
  "FileChangeRequestApprovalResponse": '{"type":"object","properties":{"decision":{"$ref":"FileChangeApprovalDecision"}},"required":["decision"]}',
  "FileSystemAccessMode": '{"enum":["read","write","deny"],"type":"string"}',
  "FileSystemPath": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"path"},"path":{"type":"string"}},"required":["type","path"]},{"type":"object","properties":{"type":{"type":"string","const":"glob_pattern"},"pattern":{"type":"string"}},"required":["type","pattern"]},{"type":"object","properties":{"type":{"type":"string","const":"special"},"value":{"$ref":"FileSystemSpecialPath"}},"required":["type","value"]}]}',
  "FileSystemSandboxEntry": '{"type":"object","properties":{"path":{"$ref":"FileSystemPath"},"access":{"$ref":"FileSystemAccessMode"}},"required":["path","access"]}',
  "FileSystemSpecialPath": '{"discriminator":{"propertyName":"kind"},"anyOf":[{"type":"object","properties":{"kind":{"type":"string","const":"root"}},"required":["kind"]},{"type":"object","properties":{"kind":{"type":"string","const":"minimal"}},"required":["kind"]},{"type":"object","properties":{"kind":{"type":"string","const":"project_roots"},"subpath":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["kind"]},{"type":"object","properties":{"kind":{"type":"string","const":"tmpdir"}},"required":["kind"]},{"type":"object","properties":{"kind":{"type":"string","const":"slash_tmp"}},"required":["kind"]},{"type":"object","properties":{"kind":{"type":"string","const":"unknown"},"path":{"type":"string"},"subpath":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["kind","path"]}]}',
  "FsCopyParams": '{"type":"object","properties":{"sourcePath":{"type":"string","format":"absolute-path"},"destinationPath":{"type":"string","format":"absolute-path"},"recursive":{"type":"boolean"}},"required":["sourcePath","destinationPath"]}',
  "FsCreateDirectoryParams": '{"type":"object","properties":{"path":{"type":"string","format":"absolute-path"},"recursive":{"anyOf":[{"type":"boolean"},{"type":"null"}]}},"required":["path"]}',
  "FsGetMetadataParams": '{"type":"object","properties":{"path":{"type":"string","format":"absolute-path"}},"required":["path"]}',
  "FsReadDirectoryParams": '{"type":"object","properties":{"path":{"type":"string","format":"absolute-path"}},"required":["path"]}',
  "FsReadFileParams": '{"type":"object","properties":{"path":{"type":"string","format":"absolute-path"}},"required":["path"]}',
  "FsRemoveParams": '{"type":"object","properties":{"path":{"type":"string","format":"absolute-path"},"recursive":{"anyOf":[{"type":"boolean"},{"type":"null"}]},"force":{"anyOf":[{"type":"boolean"},{"type":"null"}]}},"required":["path"]}',
  "FsUnwatchParams": '{"type":"object","properties":{"watchId":{"type":"string"}},"required":["watchId"]}',
  "FsWatchParams": '{"type":"object","properties":{"watchId":{"type":"string"},"path":{"type":"string","format":"absolute-path"}},"required":["watchId","path"]}',
  "FsWriteFileParams": '{"type":"object","properties":{"path":{"type":"string","format":"absolute-path"},"dataBase64":{"type":"string"}},"required":["path","dataBase64"]}',
  "FunctionCallOutputBody": '{"anyOf":[{"type":"string"},{"type":"array","items":{"$ref":"FunctionCallOutputContentItem"}}]}',
  "FunctionCallOutputContentItem": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"input_text"},"text":{"type":"string"}},"required":["type","text"]},{"type":"object","x-either":"ImageReference","properties":{"type":{"type":"string","const":"input_image"},"detail":{"anyOf":[{"$ref":"ImageDetail"},{"type":"null"}]},"image_url":{"type":"string"}},"required":["type","image_url"]},{"type":"object","x-either":"ImageReference","properties":{"type":{"type":"string","const":"input_image"},"detail":{"anyOf":[{"$ref":"ImageDetail"},{"type":"null"}]},"file_id":{"type":"string"}},"required":["type","file_id"]},{"type":"object","properties":{"type":{"type":"string","const":"input_audio"},"audio_url":{"type":"string"}},"required":["type","audio_url"]},{"type":"object","properties":{"type":{"type":"string","const":"encrypted_content"},"encrypted_content":{"type":"string"}},"required":["type","encrypted_content"]}]}',
  "FuzzyFileSearchParams": '{"type":"object","properties":{"query":{"type":"string"},"roots":{"type":"array","items":{"type":"string"}},"cancellationToken":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["query","roots"]}',
  "FuzzyFileSearchSessionStartParams": '{"type":"object","properties":{"sessionId":{"type":"string"},"roots":{"type":"array","items":{"type":"string"}}},"required":["sessionId","roots"]}',
  "FuzzyFileSearchSessionStopParams": '{"type":"object","properties":{"sessionId":{"type":"string"}},"required":["sessionId"]}',
  "FuzzyFileSearchSessionUpdateParams": '{"type":"object","properties":{"sessionId":{"type":"string"},"query":{"type":"string"}},"required":["sessionId","query"]}',
  "GetAccountParams": '{"type":"object","properties":{"refreshToken":{"type":"boolean"}}}',
  "GetAccountRateLimitsParams": '{"type":"object","properties":{"supportsLunaReserve":{"type":"boolean"},"excludeResetCreditDetails":{"type":"boolean"}}}',
  "GetAuthStatusParams": '{"type":"object","properties":{"includeToken":{"anyOf":[{"type":"boolean"},{"type":"null"}]},"refreshToken":{"anyOf":[{"type":"boolean"},{"type":"null"}]}}}',
  "GetConversationSummaryParams": '{"anyOf":[{"type":"object","properties":{"rolloutPath":{"type":"string"}},"required":["rolloutPath"]},{"type":"object","properties":{"conversationId":{"type":"string","format":"thread-id"}},"required":["conversationId"]}]}',
  "GitDiffToRemoteParams": '{"type":"object","properties":{"cwd":{"type":"string","format":"path"}},"required":["cwd"]}',
  "GrantedPermissionProfile": '{"type":"object","properties":{"network":{"anyOf":[{"$ref":"AdditionalNetworkPermissions"},{"type":"null"}]},"fileSystem":{"anyOf":[{"$ref":"AdditionalFileSystemPermissions"},{"type":"null"}]}}}',
  "HooksListParams": '{"type":"object","properties":{"cwds":{"type":"array","items":{"type":"string","format":"path"}},"threadId":{"anyOf":[{"type":"string"},{"type":"null"}]}}}',
  "ImageDetail": '{"enum":["auto","low","high","original"],"type":"string"}',
  "InitializeCapabilities": '{"type":"object","properties":{"explicitGatewayOauth":{"type":"boolean"},"experimentalApi":{"type":"boolean"},"requestAttestation":{"type":"boolean"},"mcpServerOpenaiFormElicitation":{"type":"boolean"},"optOutNotificationMethods":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},"extensions":{"anyOf":[{"type":"object","additionalProperties":{}},{"type":"null"}]},"resumableEvents":{"type":"boolean","x-heddle":true},"legacyApprovals":{"type":"boolean","x-heddle":true}}}',
  "InitializeParams": '{"type":"object","properties":{"clientInfo":{"$ref":"ClientInfo"},"capabilities":{"anyOf":[{"$ref":"InitializeCapabilities"},{"type":"null"}]}},"required":["clientInfo"]}',
  "InternalChatMessageMetadataPassthrough": '{"type":"object","properties":{"turn_id":{"anyOf":[{"type":"string"},{"type":"null"}]}}}',
  "LegacyDynamicToolSpec": '{"type":"object","not":{"required":["type"]},"properties":{"namespace":{"anyOf":[{"type":"string"},{"type":"null"}]},"name":{"type":"string"},"description":{"type":"string"},"inputSchema":{},"deferLoading":{"anyOf":[{"type":"boolean"},{"type":"null"}]},"exposeToContext":{"anyOf":[{"type":"boolean"},{"type":"null"}]}},"required":["name","description","inputSchema"]}',
  "LegacyExecPolicyAmendment": '{"type":"array","items":{"type":"string"}}',
  "LegacyNetworkPolicyAmendment": '{"type":"object","properties":{"host":{"type":"string"},"action":{"$ref":"LegacyNetworkPolicyRuleAction"}},"required":["host","action"]}',
  "LegacyNetworkPolicyRuleAction": '{"enum":["allow","deny"],"type":"string"}',
  "LifecycleSubscribeParams": '{"type":"object","properties":{"threadId":{"type":"string"},"events":{"type":"array","items":{"type":"string"}}},"required":["threadId"]}',
  "LifecycleUnsubscribeParams": '{"type":"object","properties":{"subscriptionId":{"type":"string"}},"required":["subscriptionId"]}',
  "ListMcpServerStatusParams": '{"type":"object","properties":{"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]},"detail":{"anyOf":[{"$ref":"McpServerStatusDetail"},{"type":"null"}]},"threadId":{"anyOf":[{"type":"string"},{"type":"null"}]},"serverName":{"anyOf":[{"type":"string"},{"type":"null"}]}}}',
  "LocalShellAction": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"exec"},"command":{"type":"array","items":{"type":"string"}},"timeout_ms":{"anyOf":[{"type":"integer","format":"uint64","minimum":0,"maximum":18446744073709552000},{"type":"null"}]},"working_directory":{"anyOf":[{"type":"string"},{"type":"null"}]},"env":{"anyOf":[{"type":"object","additionalProperties":{"type":"string"}},{"type":"null"}]},"user":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["type","command"]}]}',
  "LocalShellStatus": '{"enum":["completed","in_progress","incomplete"],"type":"string"}',
  "LoginAccountParams": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"apiKey"},"apiKey":{"type":"string"}},"required":["type","apiKey"]},{"type":"object","properties":{"type":{"type":"string","const":"chatgpt"},"codexStreamlinedLogin":{"type":"boolean"},"useHostedLoginSuccessPage":{"type":"boolean"},"appBrand":{"anyOf":[{"$ref":"LoginAppBrand"},{"type":"null"}]}},"required":["type"]},{"type":"object","properties":{"type":{"type":"string","const":"chatgptDeviceCode"}},"required":["type"]},{"type":"object","x-experimental":"account/login/start.chatgptAuthTokens","properties":{"type":{"type":"string","const":"chatgptAuthTokens"},"accessToken":{"type":"string"},"chatgptAccountId":{"type":"string"},"chatgptPlanType":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["type","accessToken","chatgptAccountId"]},{"type":"object","x-experimental":"account/login/start.amazonBedrock","properties":{"type":{"type":"string","const":"amazonBedrock"},"apiKey":{"type":"string"},"region":{"type":"string"}},"required":["type","apiKey","region"]},{"type":"object","x-experimental":"account/login/start.amazonBedrockAccessKeys","properties":{"type":{"type":"string","const":"amazonBedrockAccessKeys"},"accessKeyId":{"type":"string"},"secretAccessKey":{"type":"string"},"sessionToken":{"anyOf":[{"type":"string"},{"type":"null"}]},"region":{"type":"string"}},"required":["type","accessKeyId","secretAccessKey","region"]}]}',
  "LoginAppBrand": '{"enum":["codex","chatgpt"],"type":"string"}',
  "McpResourceReadParams": '{"type":"object","properties":{"threadId":{"anyOf":[{"type":"string"},{"type":"null"}]},"originCallId":{"anyOf":[{"type":"string"},{"type":"null"}]},"server":{"type":"string"},"uri":{"type":"string"},"connectorId":{"anyOf":[{"type":"string"},{"type":"null"}]},"target":{"anyOf":[{"$ref":"McpResourceReadTarget"},{"type":"null"}]}},"required":["server","uri"]}',
  "McpResourceReadTarget": '{"type":"object","properties":{"connectorId":{"type":"string"},"linkId":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["connectorId","linkId"]}',
  "McpServerElicitationAction": '{"enum":["accept","decline","cancel"],"type":"string"}',
  "McpServerElicitationRequestResponse": '{"type":"object","properties":{"action":{"$ref":"McpServerElicitationAction"},"content":{"anyOf":[{},{"type":"null"}]},"_meta":{"anyOf":[{},{"type":"null"}]}},"required":["action"]}',
  "McpServerOauthClientRegistration": '{"enum":["auto","cimd","dcr"],"type":"string"}',
  "McpServerOauthLoginParams": '{"type":"object","properties":{"name":{"type":"string"},"threadId":{"anyOf":[{"type":"string"},{"type":"null"}]},"clientRegistration":{"anyOf":[{"$ref":"McpServerOauthClientRegistration"},{"type":"null"}]},"scopes":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},"timeoutSecs":{"anyOf":[{"type":"integer","format":"int64","minimum":-9223372036854776000,"maximum":9223372036854776000},{"type":"null"}]}},"required":["name"]}',
  "McpServerStatusDetail": '{"enum":["full","toolsAndAuthOnly"],"type":"string"}',
  "McpServerToolCallParams": '{"type":"object","properties":{"threadId":{"type":"string"},"server":{"type":"string"},"tool":{"type":"string"},"arguments":{},"_meta":{}},"required":["threadId","server","tool"]}',
  "MergeStrategy": '{"enum":["replace","upsert"],"type":"string"}',
  "MessagePhase": '{"enum":["commentary","partial_answer","final_answer"],"type":"string"}',
  "MissedRuns": '{"enum":["skip","once","all"],"type":"string"}',
  "ModeKind": '{"enum":["plan","code","custom","default","execute","pair_programming"],"type":"string"}',
  "ModelListParams": '{"type":"object","properties":{"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]},"includeHidden":{"anyOf":[{"type":"boolean"},{"type":"null"}]}}}',
  "ModelProviderCapabilitiesReadParams": '{"type":"object"}',
  "MultiAgentMode": '{"x-variants":["none","custom","explicitRequestOnly","proactive"],"anyOf":[{"enum":["none","explicitRequestOnly","proactive"],"type":"string"},{"type":"object","properties":{"custom":{"type":"string"}},"required":["custom"],"additionalProperties":false}]}',
  "NetworkAccess": '{"enum":["restricted","enabled"],"type":"string"}',
  "NetworkPolicyAmendment": '{"type":"object","properties":{"host":{"type":"string"},"action":{"$ref":"NetworkPolicyRuleAction"}},"required":["host","action"]}',
  "NetworkPolicyRuleAction": '{"enum":["allow","deny"],"type":"string"}',
  "PermissionGrantScope": '{"enum":["turn","session"],"type":"string"}',
  "PermissionProfileListParams": '{"type":"object","properties":{"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]},"cwd":{"anyOf":[{"type":"string"},{"type":"null"}]}}}',
  "PermissionsRequestApprovalResponse": '{"type":"object","properties":{"permissions":{"$ref":"GrantedPermissionProfile"},"scope":{"$ref":"PermissionGrantScope"},"strictAutoReview":{"anyOf":[{"type":"boolean"},{"type":"null"}]}},"required":["permissions"]}',
  "Personality": '{"enum":["none","friendly","pragmatic"],"type":"string"}',
  "PluginListMarketplaceKind": '{"enum":["local","vertical","workspace-directory","shared-with-me","created-by-me-remote"],"type":"string"}',
  "PluginListParams": '{"type":"object","properties":{"cwds":{"anyOf":[{"type":"array","items":{"type":"string","format":"absolute-path"}},{"type":"null"}]},"marketplaceKinds":{"anyOf":[{"type":"array","items":{"$ref":"PluginListMarketplaceKind"}},{"type":"null"}]},"forceRefetch":{"type":"boolean"}}}',
  "ProcessKillParams": '{"type":"object","properties":{"processHandle":{"type":"string"}},"required":["processHandle"]}',
  "ProcessResizePtyParams": '{"type":"object","properties":{"processHandle":{"type":"string"},"size":{"$ref":"ProcessTerminalSize"}},"required":["processHandle","size"]}',
  "ProcessSpawnParams": '{"type":"object","properties":{"command":{"type":"array","items":{"type":"string"}},"processHandle":{"type":"string"},"cwd":{"type":"string","format":"absolute-path"},"tty":{"type":"boolean"},"streamStdin":{"type":"boolean"},"streamStdoutStderr":{"type":"boolean"},"outputBytesCap":{"anyOf":[{"type":"integer","format":"uint","minimum":0,"maximum":18446744073709552000},{"type":"null"}]},"timeoutMs":{"anyOf":[{"type":"integer","format":"int64","minimum":-9223372036854776000,"maximum":9223372036854776000},{"type":"null"}]},"env":{"anyOf":[{"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"type":"null"}]}},{"type":"null"}]},"size":{"anyOf":[{"$ref":"ProcessTerminalSize"},{"type":"null"}]}},"required":["command","processHandle","cwd"]}',
  "ProcessTerminalSize": '{"type":"object","properties":{"rows":{"type":"integer","format":"uint16","minimum":0,"maximum":65535},"cols":{"type":"integer","format":"uint16","minimum":0,"maximum":65535}},"required":["rows","cols"]}',
  "ProcessWriteStdinParams": '{"type":"object","properties":{"processHandle":{"type":"string"},"deltaBase64":{"anyOf":[{"type":"string"},{"type":"null"}]},"closeStdin":{"type":"boolean"}},"required":["processHandle"]}',
  "ReasoningEffort": '{"type":"string","format":"reasoning-effort","minLength":1}',
  "ReasoningItemContent": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"reasoning_text"},"text":{"type":"string"}},"required":["type","text"]},{"type":"object","properties":{"type":{"type":"string","const":"text"},"text":{"type":"string"}},"required":["type","text"]}]}',
  "ReasoningItemReasoningSummary": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"summary_text"},"text":{"type":"string"}},"required":["type","text"]}]}',
  "ReasoningSummary": '{"enum":["auto","concise","detailed","none"],"type":"string"}',
  "ResponseItem": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"additional_tools"},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"role":{"type":"string"},"tools":{"type":"array","items":{}}},"required":["type","role","tools"]},{"type":"object","properties":{"type":{"type":"string","const":"message"},"encrypted_content":{"anyOf":[{"type":"string"},{"type":"null"}]},"status":{"anyOf":[{"type":"string"},{"type":"null"}]},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"role":{"type":"string"},"content":{"type":"array","items":{"$ref":"ContentItem"}},"phase":{"anyOf":[{"$ref":"MessagePhase"},{"type":"null"}]},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type","role","content"]},{"type":"object","properties":{"type":{"type":"string","const":"agent_message"},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"author":{"type":"string"},"recipient":{"type":"string"},"content":{"type":"array","items":{"$ref":"AgentMessageInputContent"}},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type","author","recipient","content"]},{"type":"object","properties":{"type":{"type":"string","const":"reasoning"},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"summary":{"type":"array","items":{"$ref":"ReasoningItemReasoningSummary"}},"content":{"anyOf":[{"type":"array","items":{"$ref":"ReasoningItemContent"}},{"type":"null"}]},"encrypted_content":{"anyOf":[{"type":"string"},{"type":"null"}]},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type","summary"]},{"type":"object","properties":{"type":{"type":"string","const":"local_shell_call"},"encrypted_content":{"anyOf":[{"type":"string"},{"type":"null"}]},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"call_id":{"anyOf":[{"type":"string"},{"type":"null"}]},"status":{"$ref":"LocalShellStatus"},"action":{"$ref":"LocalShellAction"},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type","status","action"]},{"type":"object","properties":{"type":{"type":"string","const":"function_call"},"encrypted_content":{"anyOf":[{"type":"string"},{"type":"null"}]},"status":{"anyOf":[{"type":"string"},{"type":"null"}]},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"name":{"type":"string"},"namespace":{"anyOf":[{"type":"string"},{"type":"null"}]},"arguments":{"type":"string"},"encrypted_function_args":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},"call_id":{"type":"string"},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type","name","arguments","call_id"]},{"type":"object","properties":{"type":{"type":"string","const":"tool_search_call"},"encrypted_content":{"anyOf":[{"type":"string"},{"type":"null"}]},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"call_id":{"anyOf":[{"type":"string"},{"type":"null"}]},"status":{"anyOf":[{"type":"string"},{"type":"null"}]},"execution":{"type":"string"},"arguments":{},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type","execution","arguments"]},{"type":"object","properties":{"type":{"type":"string","const":"function_call_output"},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"call_id":{"anyOf":[{"type":"string"},{"type":"null"}]},"name":{"anyOf":[{"type":"string"},{"type":"null"}]},"namespace":{"anyOf":[{"type":"string"},{"type":"null"}]},"output":{"$ref":"FunctionCallOutputBody"},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type","output"]},{"type":"object","properties":{"type":{"type":"string","const":"custom_tool_call"},"encrypted_content":{"anyOf":[{"type":"string"},{"type":"null"}]},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"status":{"anyOf":[{"type":"string"},{"type":"null"}]},"call_id":{"type":"string"},"name":{"type":"string"},"namespace":{"anyOf":[{"type":"string"},{"type":"null"}]},"input":{"type":"string"},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type","call_id","name","input"]},{"type":"object","properties":{"type":{"type":"string","const":"custom_tool_call_output"},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"call_id":{"type":"string"},"name":{"anyOf":[{"type":"string"},{"type":"null"}]},"output":{"$ref":"FunctionCallOutputBody"},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type","call_id","output"]},{"type":"object","properties":{"type":{"type":"string","const":"tool_search_output"},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"call_id":{"anyOf":[{"type":"string"},{"type":"null"}]},"status":{"type":"string"},"execution":{"type":"string"},"tools":{"type":"array","items":{}},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type","status","execution","tools"]},{"type":"object","properties":{"type":{"type":"string","const":"web_search_call"},"encrypted_content":{"anyOf":[{"type":"string"},{"type":"null"}]},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"status":{"anyOf":[{"type":"string"},{"type":"null"}]},"action":{"anyOf":[{"$ref":"ResponseWebSearchAction"},{"type":"null"}]},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type"]},{"type":"object","properties":{"type":{"type":"string","const":"image_generation_call"},"encrypted_content":{"anyOf":[{"type":"string"},{"type":"null"}]},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"status":{"type":"string"},"revised_prompt":{"anyOf":[{"type":"string"},{"type":"null"}]},"result":{"type":"string"},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type","status","result"]},{"type":"object","properties":{"type":{"type":"string","const":"compaction"},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"encrypted_content":{"type":"string"},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type","encrypted_content"]},{"type":"object","properties":{"type":{"type":"string","const":"configuration_update"},"reasoning":{"$ref":"ConfigurationReasoning"}},"required":["type","reasoning"]},{"type":"object","properties":{"type":{"type":"string","const":"compaction_trigger"}},"required":["type"]},{"type":"object","properties":{"type":{"type":"string","const":"context_compaction"},"id":{"anyOf":[{"type":"string"},{"type":"null"}]},"encrypted_content":{"anyOf":[{"type":"string"},{"type":"null"}]},"internal_chat_message_metadata_passthrough":{"anyOf":[{"$ref":"InternalChatMessageMetadataPassthrough"},{"type":"null"}]}},"required":["type"]},{"type":"object","properties":{"type":{"type":"string","const":"other"}},"required":["type"]},{"type":"object","x-open":true,"properties":{"type":{"type":"string","not":{"enum":["additional_tools","message","agent_message","reasoning","local_shell_call","function_call","tool_search_call","function_call_output","custom_tool_call","custom_tool_call_output","tool_search_output","web_search_call","image_generation_call","compaction","configuration_update","compaction_trigger","context_compaction","other"]}}},"required":["type"]}]}',
  "ResponseWebSearchAction": '{"discriminator":{"propertyName":"type"},"title":"WebSearchAction","anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"search"},"query":{"anyOf":[{"type":"string"},{"type":"null"}]},"queries":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}},"required":["type"]},{"type":"object","properties":{"type":{"type":"string","const":"open_page"},"url":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["type"]},{"type":"object","properties":{"type":{"type":"string","const":"find_in_page"},"url":{"anyOf":[{"type":"string"},{"type":"null"}]},"pattern":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["type"]},{"type":"object","properties":{"type":{"type":"string","const":"other"}},"required":["type"]},{"type":"object","x-open":true,"properties":{"type":{"type":"string","not":{"enum":["search","open_page","find_in_page","other"]}}},"required":["type"]}]}',
  "ReviewDecision": '{"x-variants":["approved","approved_execpolicy_amendment","approved_for_session","approved_mcp_policy_amendment","network_policy_amendment","denied","timed_out","abort"],"anyOf":[{"enum":["approved","approved_for_session","approved_mcp_policy_amendment","denied","timed_out","abort"],"type":"string"},{"type":"object","properties":{"approved_execpolicy_amendment":{"type":"object","properties":{"proposed_execpolicy_amendment":{"$ref":"LegacyExecPolicyAmendment"}},"required":["proposed_execpolicy_amendment"]}},"required":["approved_execpolicy_amendment"],"additionalProperties":false},{"type":"object","properties":{"network_policy_amendment":{"type":"object","properties":{"network_policy_amendment":{"$ref":"LegacyNetworkPolicyAmendment"}},"required":["network_policy_amendment"]}},"required":["network_policy_amendment"],"additionalProperties":false},{"type":"object","properties":{"denied":{"type":"object","properties":{"rejection":{"type":"string"}},"required":["rejection"]}},"required":["denied"],"additionalProperties":false}]}',
  "ReviewDelivery": '{"enum":["inline"],"type":"string"}',
  "ReviewStartParams": '{"type":"object","properties":{"threadId":{"type":"string"},"target":{"$ref":"ReviewTarget"},"delivery":{"anyOf":[{"$ref":"ReviewDelivery"},{"type":"null"}]}},"required":["threadId","target"]}',
  "ReviewTarget": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"uncommittedChanges"}},"required":["type"]},{"type":"object","properties":{"type":{"type":"string","const":"baseBranch"},"branch":{"type":"string"}},"required":["type","branch"]},{"type":"object","properties":{"type":{"type":"string","const":"commit"},"sha":{"type":"string"},"title":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["type","sha"]},{"type":"object","properties":{"type":{"type":"string","const":"custom"},"instructions":{"type":"string"}},"required":["type","instructions"]}]}',
  "SandboxMode": '{"enum":["read-only","workspace-write","danger-full-access"],"type":"string"}',
  "SandboxPolicy": '{"discriminator":{"propertyName":"type"},"title":"SandboxPolicyDeserialize","anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"dangerFullAccess"}},"required":["type"]},{"type":"object","properties":{"type":{"type":"string","const":"readOnly"},"networkAccess":{"type":"boolean"}},"required":["type"]},{"type":"object","properties":{"type":{"type":"string","const":"externalSandbox"},"networkAccess":{"$ref":"NetworkAccess"}},"required":["type"]},{"type":"object","properties":{"type":{"type":"string","const":"workspaceWrite"},"writableRoots":{"type":"array","items":{"type":"string","format":"absolute-path"}},"networkAccess":{"type":"boolean"},"excludeTmpdirEnvVar":{"type":"boolean"},"excludeSlashTmp":{"type":"boolean"}},"required":["type"]}]}',
  "ScheduleCreateParams": '{"type":"object","properties":{"name":{"anyOf":[{"type":"string"},{"type":"null"}]},"schedule":{"$ref":"ScheduleTime"},"target":{"$ref":"ScheduleTarget"},"input":{"type":"array","items":{"$ref":"UserInput"}},"missedRuns":{"anyOf":[{"$ref":"MissedRuns"},{"type":"null"}]},"paused":{"type":"boolean"}},"required":["schedule","target","input"]}',
  "ScheduleDeleteParams": '{"type":"object","properties":{"scheduleId":{"type":"string"}},"required":["scheduleId"]}',
  "ScheduleListParams": '{"type":"object","properties":{"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]}}}',
  "ScheduleRunNowParams": '{"type":"object","properties":{"scheduleId":{"type":"string"}},"required":["scheduleId"]}',
  "ScheduleTarget": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"thread"},"threadId":{"type":"string"}},"required":["type","threadId"]},{"type":"object","properties":{"type":{"type":"string","const":"newThread"},"threadStartParams":{"$ref":"ThreadStartParams"}},"required":["type","threadStartParams"]}]}',
  "ScheduleTime": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"cron"},"expression":{"type":"string"},"timeZone":{"type":"string"}},"required":["type","expression","timeZone"]},{"type":"object","properties":{"type":{"type":"string","const":"once"},"at":{"type":"integer","format":"int64","minimum":-9223372036854776000,"maximum":9223372036854776000}},"required":["type","at"]}]}',
  "ScheduleUpdateParams": '{"type":"object","properties":{"scheduleId":{"type":"string"},"name":{"anyOf":[{"type":"string"},{"type":"null"}]},"schedule":{"anyOf":[{"$ref":"ScheduleTime"},{"type":"null"}]},"target":{"anyOf":[{"$ref":"ScheduleTarget"},{"type":"null"}]},"input":{"anyOf":[{"type":"array","items":{"$ref":"UserInput"}},{"type":"null"}]},"missedRuns":{"anyOf":[{"$ref":"MissedRuns"},{"type":"null"}]},"paused":{"anyOf":[{"type":"boolean"},{"type":"null"}]}},"required":["scheduleId"]}',
  "SelectedCapabilityRoot": '{"type":"object","properties":{"id":{"type":"string"},"location":{"$ref":"CapabilityRootLocation"}},"required":["id","location"]}',
  "ServerDiagnosticsParams": '{"type":"object"}',
  "Settings": '{"type":"object","properties":{"model":{"type":"string"},"reasoning_effort":{"anyOf":[{"$ref":"ReasoningEffort"},{"type":"null"}]},"developer_instructions":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["model"]}',
  "SkillsConfigWriteParams": '{"type":"object","properties":{"path":{"anyOf":[{"type":"string","format":"absolute-path"},{"type":"null"}]},"name":{"anyOf":[{"type":"string"},{"type":"null"}]},"enabled":{"type":"boolean"}},"required":["enabled"]}',
  "SkillsExtraRootsSetParams": '{"type":"object","properties":{"extraRoots":{"type":"array","items":{"type":"string","format":"absolute-path"}}},"required":["extraRoots"]}',
  "SkillsListParams": '{"type":"object","properties":{"cwds":{"type":"array","items":{"type":"string","format":"path"}},"forceReload":{"type":"boolean"}}}',
  "SortDirection": '{"enum":["asc","desc"],"type":"string"}',
  "TextElement": '{"type":"object","properties":{"byteRange":{"$ref":"ByteRange"},"placeholder":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["byteRange"]}',
  "ThreadApproveGuardianDeniedActionParams": '{"type":"object","properties":{"threadId":{"type":"string"},"event":{}},"required":["threadId","event"]}',
  "ThreadArchiveParams": '{"type":"object","properties":{"threadId":{"type":"string"}},"required":["threadId"]}',
  "ThreadBackgroundTerminalsCleanParams": '{"type":"object","properties":{"threadId":{"type":"string"}},"required":["threadId"]}',
  "ThreadBackgroundTerminalsListParams": '{"type":"object","properties":{"threadId":{"type":"string"},"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]}},"required":["threadId"]}',
  "ThreadBackgroundTerminalsTerminateParams": '{"type":"object","properties":{"threadId":{"type":"string"},"processId":{"type":"string"}},"required":["threadId","processId"]}',
  "ThreadCompactStartParams": '{"type":"object","properties":{"threadId":{"type":"string"}},"required":["threadId"]}',
  "ThreadDecrementElicitationParams": '{"type":"object","properties":{"threadId":{"type":"string"}},"required":["threadId"]}',
  "ThreadDeleteParams": '{"type":"object","properties":{"threadId":{"type":"string"}},"required":["threadId"]}',
  "ThreadEventsListParams": '{"type":"object","properties":{"threadId":{"type":"string"},"afterSeq":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]}},"required":["threadId"]}',
  "ThreadForkParams": '{"type":"object","properties":{"threadId":{"type":"string"},"experimentalPredictionMode":{"type":"boolean","x-experimental":"thread/fork.experimentalPredictionMode"},"experimentalDisablePredictionMcp":{"type":"boolean","x-experimental":"thread/fork.experimentalDisablePredictionMcp"},"lastTurnId":{"anyOf":[{"type":"string"},{"type":"null"}]},"beforeTurnId":{"x-experimental":"thread/fork.beforeTurnId","anyOf":[{"type":"string"},{"type":"null"}]},"path":{"x-experimental":"thread/fork.path","anyOf":[{"type":"string","format":"path"},{"type":"null"}]},"model":{"anyOf":[{"type":"string"},{"type":"null"}]},"modelProvider":{"anyOf":[{"type":"string"},{"type":"null"}]},"serviceTier":{"anyOf":[{"type":"string"},{"type":"null"}]},"cwd":{"anyOf":[{"type":"string"},{"type":"null"}]},"runtimeWorkspaceRoots":{"x-experimental":"thread/fork.runtimeWorkspaceRoots","anyOf":[{"type":"array","items":{"type":"string","format":"absolute-path"}},{"type":"null"}]},"approvalPolicy":{"anyOf":[{"$ref":"AskForApproval"},{"type":"null"}]},"approvalsReviewer":{"anyOf":[{"$ref":"ApprovalsReviewer"},{"type":"null"}]},"sandbox":{"anyOf":[{"$ref":"SandboxMode"},{"type":"null"}]},"permissions":{"x-experimental":"thread/fork.permissions","anyOf":[{"type":"string"},{"type":"null"}]},"config":{"anyOf":[{"type":"object","additionalProperties":{}},{"type":"null"}]},"baseInstructions":{"anyOf":[{"type":"string"},{"type":"null"}]},"developerInstructions":{"anyOf":[{"type":"string"},{"type":"null"}]},"ephemeral":{"type":"boolean"},"attachToSource":{"type":"boolean","x-experimental":"thread/fork.attachToSource"},"threadSource":{"anyOf":[{"$ref":"ThreadSource"},{"type":"null"}]},"excludeTurns":{"type":"boolean"},"deferGoalContinuation":{"type":"boolean","x-experimental":"thread/fork.deferGoalContinuation"}},"required":["threadId"]}',
  "ThreadGoalClearParams": '{"type":"object","properties":{"threadId":{"type":"string"},"origin":{"anyOf":[{"$ref":"ThreadGoalMutationOrigin"},{"type":"null"}]}},"required":["threadId"]}',
  "ThreadGoalGetParams": '{"type":"object","properties":{"threadId":{"type":"string"}},"required":["threadId"]}',
  "ThreadGoalMutationOrigin": '{"enum":["user","automatic"],"type":"string"}',
  "ThreadGoalSetParams": '{"type":"object","properties":{"threadId":{"type":"string"},"origin":{"anyOf":[{"$ref":"ThreadGoalMutationOrigin"},{"type":"null"}]},"objective":{"anyOf":[{"type":"string"},{"type":"null"}]},"status":{"anyOf":[{"$ref":"ThreadGoalStatus"},{"type":"null"}]},"tokenBudget":{"anyOf":[{"type":"integer","format":"int64","minimum":-9223372036854776000,"maximum":9223372036854776000},{"type":"null"}]}},"required":["threadId"]}',
  "ThreadGoalStatus": '{"enum":["active","paused","blocked","usageLimited","budgetLimited","complete"],"type":"string"}',
  "ThreadHistoryMode": '{"enum":["legacy","paginated"],"type":"string"}',
  "ThreadIncrementElicitationParams": '{"type":"object","properties":{"threadId":{"type":"string"}},"required":["threadId"]}',
  "ThreadInjectItemsParams": '{"type":"object","properties":{"threadId":{"type":"string"},"items":{"type":"array","items":{}}},"required":["threadId","items"]}',
  "ThreadItemsListAnchor": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"item"},"itemId":{"type":"string"}},"required":["type","itemId"]}]}',
  "ThreadItemsListCursor": '{"anyOf":[{"type":"string"},{"$ref":"ThreadItemsListAnchor"}]}',
  "ThreadItemsListParams": '{"type":"object","properties":{"threadId":{"type":"string"},"turnId":{"anyOf":[{"type":"string"},{"type":"null"}]},"cursor":{"anyOf":[{"$ref":"ThreadItemsListCursor"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]},"sortDirection":{"anyOf":[{"$ref":"SortDirection"},{"type":"null"}]}},"required":["threadId"]}',
  "ThreadItemsReadParams": '{"type":"object","properties":{"threadId":{"type":"string"},"turnId":{"type":"string"},"itemIds":{"type":"array","items":{"type":"string"}}},"required":["threadId","turnId","itemIds"]}',
  "ThreadListCwdFilter": '{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}',
  "ThreadListParams": '{"type":"object","properties":{"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]},"excludedThreadIds":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},"sortKey":{"anyOf":[{"$ref":"ThreadSortKey"},{"type":"null"}]},"sortDirection":{"anyOf":[{"$ref":"SortDirection"},{"type":"null"}]},"modelProviders":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},"sourceKinds":{"anyOf":[{"type":"array","items":{"$ref":"ThreadSourceKind"}},{"type":"null"}]},"originators":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},"archived":{"anyOf":[{"type":"boolean"},{"type":"null"}]},"sectionId":{"anyOf":[{"type":"string"},{"type":"null"}]},"projectId":{"x-experimental":"thread/list.projectId","anyOf":[{"type":"string"},{"type":"null"}]},"cwd":{"anyOf":[{"$ref":"ThreadListCwdFilter"},{"type":"null"}]},"useStateDbOnly":{"type":"boolean"},"searchTerm":{"anyOf":[{"type":"string"},{"type":"null"}]},"parentThreadId":{"x-experimental":"thread/list.parentThreadId","anyOf":[{"type":"string"},{"type":"null"}]},"ancestorThreadId":{"x-experimental":"thread/list.ancestorThreadId","anyOf":[{"type":"string"},{"type":"null"}]},"attachedToThreadId":{"x-experimental":"thread/list.attachedToThreadId","anyOf":[{"type":"string"},{"type":"null"}]}}}',
  "ThreadLoadedListParams": '{"type":"object","properties":{"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]}}}',
  "ThreadMemoryMode": '{"enum":["enabled","disabled"],"type":"string"}',
  "ThreadMemoryModeSetParams": '{"type":"object","properties":{"threadId":{"type":"string"},"mode":{"$ref":"ThreadMemoryMode"}},"required":["threadId","mode"]}',
  "ThreadMetadataGitInfoUpdateParams": '{"type":"object","properties":{"sha":{"anyOf":[{"type":"string"},{"type":"null"}]},"branch":{"anyOf":[{"type":"string"},{"type":"null"}]},"originUrl":{"anyOf":[{"type":"string"},{"type":"null"}]}}}',
  "ThreadMetadataUpdateParams": '{"type":"object","properties":{"threadId":{"type":"string"},"projectId":{"x-experimental":"thread/metadata/update.projectId","anyOf":[{"type":"string"},{"type":"null"}]},"gitInfo":{"anyOf":[{"$ref":"ThreadMetadataGitInfoUpdateParams"},{"type":"null"}]},"daybreakEnabled":{"x-experimental":"thread/metadata/update.daybreakEnabled","anyOf":[{"type":"boolean"},{"type":"null"}]}},"required":["threadId"]}',
  "ThreadQueueAddParams": '{"type":"object","properties":{"threadId":{"type":"string"},"input":{"type":"array","items":{"$ref":"UserInput"}},"clientUserMessageId":{"type":"string"},"turnStartParams":{"$ref":"TurnStartParams","x-heddle":true},"notBefore":{"type":"integer","format":"int64","minimum":-9223372036854776000,"maximum":9223372036854776000,"x-heddle":true}},"required":["threadId"],"anyOf":[{"required":["turnStartParams"]},{"required":["input","clientUserMessageId"]}]}',
  "ThreadQueueDeleteParams": '{"type":"object","properties":{"threadId":{"type":"string"},"queuedSubmissionId":{"type":"string"},"queuedTurnId":{"type":"string","x-heddle":true}},"required":["threadId"],"anyOf":[{"required":["queuedTurnId"]},{"required":["queuedSubmissionId"]}]}',
  "ThreadQueueListParams": '{"type":"object","properties":{"threadId":{"type":"string"},"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]}},"required":["threadId"]}',
  "ThreadQueuePauseParams": '{"type":"object","properties":{"threadId":{"type":"string"},"reason":{"type":"string"}},"required":["threadId"]}',
  "ThreadQueueReorderParams": '{"type":"object","properties":{"threadId":{"type":"string"},"queuedSubmissionIds":{"type":"array","items":{"type":"string"}},"queuedTurnIds":{"type":"array","x-heddle":true,"items":{"type":"string"}}},"required":["threadId"],"anyOf":[{"required":["queuedTurnIds"]},{"required":["queuedSubmissionIds"]}]}',
  "ThreadQueueResumeParams": '{"type":"object","properties":{"threadId":{"type":"string"}},"required":["threadId"]}',
  "ThreadQueueStartParams": '{"type":"object","properties":{"threadId":{"type":"string"},"queuedSubmissionId":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["threadId"]}',
  "ThreadQueueUpdateParams": '{"type":"object","properties":{"threadId":{"type":"string"},"queuedSubmissionId":{"type":"string"},"input":{"type":"array","items":{"$ref":"UserInput"}}},"required":["threadId","queuedSubmissionId","input"]}',
  "ThreadReadParams": '{"type":"object","properties":{"threadId":{"type":"string"},"includeTurns":{"type":"boolean"}},"required":["threadId"]}',
  "ThreadReadStateOperation": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"read"}},"required":["type"]},{"type":"object","properties":{"type":{"type":"string","const":"unread"}},"required":["type"]}]}',
  "ThreadReadStateUpdateParams": '{"type":"object","properties":{"threadId":{"type":"string"},"operation":{"$ref":"ThreadReadStateOperation"},"expectedRevision":{"type":"string"}},"required":["threadId","operation","expectedRevision"]}',
  "ThreadResumeInitialTurnsPageParams": '{"type":"object","properties":{"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]},"sortDirection":{"anyOf":[{"$ref":"SortDirection"},{"type":"null"}]},"itemsView":{"anyOf":[{"$ref":"TurnItemsView"},{"type":"null"}]}}}',
  "ThreadResumeParams": '{"type":"object","properties":{"threadId":{"type":"string"},"history":{"x-experimental":"thread/resume.history","anyOf":[{"type":"array","items":{"$ref":"ResponseItem"}},{"type":"null"}]},"path":{"x-experimental":"thread/resume.path","anyOf":[{"type":"string","format":"path"},{"type":"null"}]},"model":{"anyOf":[{"type":"string"},{"type":"null"}]},"modelProvider":{"anyOf":[{"type":"string"},{"type":"null"}]},"serviceTier":{"anyOf":[{"type":"string"},{"type":"null"}]},"cwd":{"anyOf":[{"type":"string"},{"type":"null"}]},"runtimeWorkspaceRoots":{"x-experimental":"thread/resume.runtimeWorkspaceRoots","anyOf":[{"type":"array","items":{"type":"string","format":"absolute-path"}},{"type":"null"}]},"approvalPolicy":{"anyOf":[{"$ref":"AskForApproval"},{"type":"null"}]},"approvalsReviewer":{"anyOf":[{"$ref":"ApprovalsReviewer"},{"type":"null"}]},"sandbox":{"anyOf":[{"$ref":"SandboxMode"},{"type":"null"}]},"permissions":{"x-experimental":"thread/resume.permissions","anyOf":[{"type":"string"},{"type":"null"}]},"config":{"anyOf":[{"type":"object","additionalProperties":{}},{"type":"null"}]},"baseInstructions":{"anyOf":[{"type":"string"},{"type":"null"}]},"developerInstructions":{"anyOf":[{"type":"string"},{"type":"null"}]},"personality":{"anyOf":[{"$ref":"Personality"},{"type":"null"}]},"excludeTurns":{"type":"boolean"},"initialTurnsPage":{"x-experimental":"thread/resume.initialTurnsPage","anyOf":[{"$ref":"ThreadResumeInitialTurnsPageParams"},{"type":"null"}]},"afterSeq":{"x-heddle":true,"anyOf":[{"type":"string"},{"type":"null"}]},"takeOver":{"type":"boolean","x-heddle":true}},"required":["threadId"]}',
  "ThreadRevertParams": '{"type":"object","properties":{"threadId":{"type":"string"},"beforeTurnId":{"type":"string"}},"required":["threadId","beforeTurnId"]}',
  "ThreadSearchOccurrencesParams": '{"type":"object","properties":{"threadId":{"type":"string"},"searchTerm":{"type":"string"},"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]}},"required":["threadId","searchTerm"]}',
  "ThreadSearchParams": '{"type":"object","properties":{"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]},"sortKey":{"anyOf":[{"$ref":"ThreadSearchSortKey"},{"type":"null"}]},"sortDirection":{"anyOf":[{"$ref":"SortDirection"},{"type":"null"}]},"sourceKinds":{"anyOf":[{"type":"array","items":{"$ref":"ThreadSourceKind"}},{"type":"null"}]},"archived":{"anyOf":[{"type":"boolean"},{"type":"null"}]},"searchTerm":{"type":"string"}},"required":["searchTerm"]}',
  "ThreadSearchSortKey": '{"enum":["created_at","updated_at","recency_at"],"type":"string"}',
  "ThreadSetNameParams": '{"type":"object","properties":{"threadId":{"type":"string"},"name":{"type":"string"}},"required":["threadId","name"]}',
  "ThreadSettingsUpdateParams": '{"type":"object","properties":{"threadId":{"type":"string"},"disabledPluginIds":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},"cwd":{"anyOf":[{"type":"string","format":"path"},{"type":"null"}]},"approvalPolicy":{"anyOf":[{"$ref":"AskForApproval"},{"type":"null"}]},"approvalsReviewer":{"anyOf":[{"$ref":"ApprovalsReviewer"},{"type":"null"}]},"sandboxPolicy":{"anyOf":[{"$ref":"SandboxPolicy"},{"type":"null"}]},"permissions":{"anyOf":[{"type":"string"},{"type":"null"}]},"model":{"anyOf":[{"type":"string"},{"type":"null"}]},"serviceTier":{"anyOf":[{"type":"string"},{"type":"null"}]},"effort":{"anyOf":[{"$ref":"ReasoningEffort"},{"type":"null"}]},"summary":{"anyOf":[{"$ref":"ReasoningSummary"},{"type":"null"}]},"collaborationMode":{"anyOf":[{"$ref":"CollaborationMode"},{"type":"null"}]},"multiAgentMode":{"anyOf":[{"$ref":"MultiAgentMode"},{"type":"null"}]},"personality":{"anyOf":[{"$ref":"Personality"},{"type":"null"}]}},"required":["threadId"]}',
  "ThreadShellCommandParams": '{"type":"object","properties":{"threadId":{"type":"string"},"command":{"type":"string"},"timeoutMs":{"anyOf":[{"type":"integer","format":"int64","minimum":-9223372036854776000,"maximum":9223372036854776000},{"type":"null"}]}},"required":["threadId","command"]}',
  "ThreadSortKey": '{"enum":["created_at","updated_at","recency_at","section_position"],"type":"string"}',
  "ThreadSource": '{"type":"string"}',
  "ThreadSourceKind": '{"enum":["cli","vscode","exec","appServer","subAgent","subAgentReview","subAgentCompact","subAgentThreadSpawn","subAgentOther","unknown"],"type":"string"}',
  "ThreadStartParams": '{"type":"object","properties":{"model":{"anyOf":[{"type":"string"},{"type":"null"}]},"modelProvider":{"anyOf":[{"type":"string"},{"type":"null"}]},"allowProviderModelFallback":{"type":"boolean","x-experimental":"thread/start.allowProviderModelFallback"},"serviceTier":{"anyOf":[{"type":"string"},{"type":"null"}]},"cwd":{"anyOf":[{"type":"string"},{"type":"null"}]},"runtimeWorkspaceRoots":{"x-experimental":"thread/start.runtimeWorkspaceRoots","anyOf":[{"type":"array","items":{"type":"string","format":"absolute-path"}},{"type":"null"}]},"approvalPolicy":{"anyOf":[{"$ref":"AskForApproval"},{"type":"null"}]},"approvalsReviewer":{"anyOf":[{"$ref":"ApprovalsReviewer"},{"type":"null"}]},"sandbox":{"anyOf":[{"$ref":"SandboxMode"},{"type":"null"}]},"permissions":{"x-experimental":"thread/start.permissions","anyOf":[{"type":"string"},{"type":"null"}]},"config":{"anyOf":[{"type":"object","additionalProperties":{}},{"type":"null"}]},"serviceName":{"anyOf":[{"type":"string"},{"type":"null"}]},"baseInstructions":{"anyOf":[{"type":"string"},{"type":"null"}]},"developerInstructions":{"anyOf":[{"type":"string"},{"type":"null"}]},"personality":{"anyOf":[{"$ref":"Personality"},{"type":"null"}]},"multiAgentMode":{"x-experimental":"thread/start.multiAgentMode","anyOf":[{"$ref":"MultiAgentMode"},{"type":"null"}]},"ephemeral":{"anyOf":[{"type":"boolean"},{"type":"null"}]},"historyMode":{"x-experimental":"thread/start.historyMode","anyOf":[{"$ref":"ThreadHistoryMode"},{"type":"null"}]},"sessionStartSource":{"anyOf":[{"$ref":"ThreadStartSource"},{"type":"null"}]},"threadSource":{"anyOf":[{"$ref":"ThreadSource"},{"type":"null"}]},"projectId":{"x-experimental":"thread/start.projectId","anyOf":[{"type":"string"},{"type":"null"}]},"daybreakEnabled":{"x-experimental":"thread/start.daybreakEnabled","anyOf":[{"type":"boolean"},{"type":"null"}]},"environments":{"x-experimental":"thread/start.environments","anyOf":[{"type":"array","items":{"$ref":"TurnEnvironmentParams"}},{"type":"null"}]},"dynamicTools":{"x-experimental":"thread/start.dynamicTools","anyOf":[{"type":"array","items":{"x-tag":"type","anyOf":[{"$ref":"DynamicToolSpec"},{"$ref":"LegacyDynamicToolSpec"}]}},{"type":"null"}]},"selectedCapabilityRoots":{"x-experimental":"thread/start.selectedCapabilityRoots","anyOf":[{"type":"array","items":{"$ref":"SelectedCapabilityRoot"}},{"type":"null"}]},"mockExperimentalField":{"x-experimental":"thread/start.mockExperimentalField","anyOf":[{"type":"string"},{"type":"null"}]},"experimentalRawEvents":{"type":"boolean","x-experimental":"thread/start.experimentalRawEvents"}}}',
  "ThreadStartSource": '{"enum":["startup","clear"],"type":"string"}',
  "ThreadSubscribeParams": '{"type":"object","properties":{"threadId":{"type":"string"},"afterSeq":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["threadId"]}',
  "ThreadTimelineListParams": '{"type":"object","properties":{"threadId":{"type":"string"},"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]}},"required":["threadId"]}',
  "ThreadTurnsListParams": '{"type":"object","properties":{"threadId":{"type":"string"},"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]},"sortDirection":{"anyOf":[{"$ref":"SortDirection"},{"type":"null"}]},"itemsView":{"anyOf":[{"$ref":"TurnItemsView"},{"type":"null"}]}},"required":["threadId"]}',
  "ThreadUnarchiveParams": '{"type":"object","properties":{"threadId":{"type":"string"}},"required":["threadId"]}',
  "ThreadUnsubscribeParams": '{"type":"object","properties":{"threadId":{"type":"string"}},"required":["threadId"]}',
  "ThreadWakeParams": '{"type":"object","properties":{"threadId":{"type":"string"},"key":{"type":"string"},"input":{"type":"array","items":{"$ref":"UserInput"}}},"required":["threadId","key","input"]}',
  "ThreadWakeTokenCreateParams": '{"type":"object","properties":{"threadId":{"type":"string"},"name":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["threadId"]}',
  "ThreadWakeTokenListParams": '{"type":"object","properties":{"threadId":{"type":"string"}},"required":["threadId"]}',
  "ThreadWakeTokenRevokeParams": '{"type":"object","properties":{"threadId":{"type":"string"},"wakeTokenId":{"type":"string"}},"required":["threadId","wakeTokenId"]}',
  "ToolRequestUserInputAnswer": '{"type":"object","properties":{"answers":{"type":"array","items":{"type":"string"}}},"required":["answers"]}',
  "ToolRequestUserInputResponse": '{"type":"object","properties":{"answers":{"type":"object","additionalProperties":{"$ref":"ToolRequestUserInputAnswer"}}},"required":["answers"]}',
  "TurnEnvironmentParams": '{"type":"object","properties":{"environmentId":{"type":"string"},"cwd":{"type":"string"},"runtimeWorkspaceRoots":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}},"required":["environmentId","cwd"]}',
  "TurnInterruptParams": '{"type":"object","properties":{"threadId":{"type":"string"},"turnId":{"type":"string"}},"required":["threadId","turnId"]}',
  "TurnItemsView": '{"enum":["notLoaded","summary","full"],"type":"string"}',
  "TurnSettingsUpdateParams": '{"type":"object","properties":{"threadId":{"type":"string"},"turnId":{"type":"string"},"approvalsReviewer":{"anyOf":[{"$ref":"ApprovalsReviewer"},{"type":"null"}]},"model":{"anyOf":[{"type":"string"},{"type":"null"}]},"effort":{"anyOf":[{"$ref":"ReasoningEffort"},{"type":"null"}]},"summary":{"anyOf":[{"$ref":"ReasoningSummary"},{"type":"null"}]},"serviceTier":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["threadId","turnId"],"additionalProperties":false}',
  "TurnStartParams": '{"type":"object","properties":{"threadId":{"type":"string"},"disabledPluginIds":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]},"clientUserMessageId":{"anyOf":[{"type":"string"},{"type":"null"}]},"input":{"type":"array","items":{"$ref":"UserInput"}},"turnTrigger":{"anyOf":[{"type":"string"},{"type":"null"}]},"parentTurnId":{"anyOf":[{"type":"string"},{"type":"null"}]},"rootTurnId":{"anyOf":[{"type":"string"},{"type":"null"}]},"toolOutput":{"anyOf":[{"$ref":"TurnToolOutput"},{"type":"null"}]},"responsesapiClientMetadata":{"x-experimental":"turn/start.responsesapiClientMetadata","anyOf":[{"type":"object","additionalProperties":{"type":"string"}},{"type":"null"}]},"responsesapiClientMetadataPatch":{"x-experimental":"turn/start.responsesapiClientMetadataPatch","anyOf":[{"type":"object","additionalProperties":{"type":"string"}},{"type":"null"}]},"additionalContext":{"x-experimental":"turn/start.additionalContext","anyOf":[{"type":"object","additionalProperties":{"$ref":"AdditionalContextEntry"}},{"type":"null"}]},"environments":{"x-experimental":"turn/start.environments","anyOf":[{"type":"array","items":{"$ref":"TurnEnvironmentParams"}},{"type":"null"}]},"cwd":{"anyOf":[{"type":"string"},{"type":"null"}]},"runtimeWorkspaceRoots":{"x-experimental":"turn/start.runtimeWorkspaceRoots","anyOf":[{"type":"array","items":{"type":"string","format":"absolute-path"}},{"type":"null"}]},"approvalPolicy":{"anyOf":[{"$ref":"AskForApproval"},{"type":"null"}]},"approvalsReviewer":{"anyOf":[{"$ref":"ApprovalsReviewer"},{"type":"null"}]},"sandboxPolicy":{"anyOf":[{"$ref":"SandboxPolicy"},{"type":"null"}]},"permissions":{"x-experimental":"turn/start.permissions","anyOf":[{"type":"string"},{"type":"null"}]},"model":{"anyOf":[{"type":"string"},{"type":"null"}]},"serviceTier":{"anyOf":[{"type":"string"},{"type":"null"}]},"serviceTierForTurn":{"anyOf":[{"type":"string"},{"type":"null"}]},"effort":{"anyOf":[{"$ref":"ReasoningEffort"},{"type":"null"}]},"summary":{"anyOf":[{"$ref":"ReasoningSummary"},{"type":"null"}]},"personality":{"anyOf":[{"$ref":"Personality"},{"type":"null"}]},"outputSchema":{"anyOf":[{},{"type":"null"}]},"collaborationMode":{"x-experimental":"turn/start.collaborationMode","anyOf":[{"$ref":"CollaborationMode"},{"type":"null"}]},"multiAgentMode":{"x-experimental":"turn/start.multiAgentMode","anyOf":[{"$ref":"MultiAgentMode"},{"type":"null"}]},"cyberAccessProgram":{"x-experimental":"turn/start.cyberAccessProgram","anyOf":[{"$ref":"CyberAccessProgram"},{"type":"null"}]}},"required":["threadId","input"]}',
  "TurnSteerParams": '{"type":"object","properties":{"threadId":{"type":"string"},"clientUserMessageId":{"anyOf":[{"type":"string"},{"type":"null"}]},"input":{"type":"array","items":{"$ref":"UserInput"}},"responsesapiClientMetadata":{"x-experimental":"turn/steer.responsesapiClientMetadata","anyOf":[{"type":"object","additionalProperties":{"type":"string"}},{"type":"null"}]},"responsesapiClientMetadataPatch":{"x-experimental":"turn/steer.responsesapiClientMetadataPatch","anyOf":[{"type":"object","additionalProperties":{"type":"string"}},{"type":"null"}]},"additionalContext":{"x-experimental":"turn/steer.additionalContext","anyOf":[{"type":"object","additionalProperties":{"$ref":"AdditionalContextEntry"}},{"type":"null"}]},"expectedTurnId":{"type":"string"}},"required":["threadId","input","expectedTurnId"]}',
  "TurnToolOutput": '{"type":"object","properties":{"name":{"type":"string"},"namespace":{"anyOf":[{"type":"string"},{"type":"null"}]},"output":{"$ref":"FunctionCallOutputBody"},"retain":{"type":"boolean"}},"required":["name","output"]}',
  "UserInput": '{"discriminator":{"propertyName":"type"},"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"text"},"text":{"type":"string"},"text_elements":{"type":"array","items":{"$ref":"TextElement"}}},"required":["type","text"]},{"type":"object","x-either":"ImageReference","properties":{"type":{"type":"string","const":"image"},"detail":{"anyOf":[{"$ref":"ImageDetail"},{"type":"null"}]},"url":{"type":"string"}},"required":["type","url"]},{"type":"object","x-either":"ImageReference","properties":{"type":{"type":"string","const":"image"},"detail":{"anyOf":[{"$ref":"ImageDetail"},{"type":"null"}]},"fileId":{"type":"string"}},"required":["type","fileId"]},{"type":"object","properties":{"type":{"type":"string","const":"localImage"},"detail":{"anyOf":[{"$ref":"ImageDetail"},{"type":"null"}]},"path":{"type":"string","format":"path"}},"required":["type","path"]},{"type":"object","properties":{"type":{"type":"string","const":"audio"},"url":{"type":"string"}},"required":["type","url"]},{"type":"object","properties":{"type":{"type":"string","const":"localAudio"},"path":{"type":"string","format":"path"}},"required":["type","path"]},{"type":"object","properties":{"type":{"type":"string","const":"skill"},"name":{"type":"string"},"path":{"type":"string","format":"path"}},"required":["type","name","path"]},{"type":"object","properties":{"type":{"type":"string","const":"mention"},"name":{"type":"string"},"path":{"type":"string"}},"required":["type","name","path"]}]}',
  "WebhookDeliveryStatus": '{"enum":["pending","claimed","delivered","abandoned"],"type":"string"}',
  "WebhookListParams": '{"type":"object","properties":{"cursor":{"anyOf":[{"type":"string"},{"type":"null"}]},"limit":{"anyOf":[{"type":"integer","format":"uint32","minimum":0,"maximum":4294967295},{"type":"null"}]},"status":{"anyOf":[{"$ref":"WebhookDeliveryStatus"},{"type":"null"}]},"endpointId":{"anyOf":[{"type":"string"},{"type":"null"}]}}}',
  "WebhookRetryParams": '{"type":"object","properties":{"deliveryId":{"anyOf":[{"type":"string"},{"type":"null"}]},"endpointId":{"anyOf":[{"type":"string"},{"type":"null"}]}}}',
  "WebhookTestParams": '{"type":"object","properties":{"endpointId":{"anyOf":[{"type":"string"},{"type":"null"}]}}}',
};
