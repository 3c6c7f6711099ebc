// The parts that thread items are made of.

import {
  absolutePath,
  anyJson,
  array,
  choice,
  define,
  i64,
  nullable,
  object,
  string,
  tagged,
  u32,
} from "./shape.ts";

export const AgentMessageDelivery = define("AgentMessageDelivery", choice("async"));
export const AsyncUserInputQuestion = define(
  "AsyncUserInputQuestion",
  object({ title: string(), options: nullable(array(string())) }),
);
export const CollabAgentStatus = define(
  "CollabAgentStatus",
  choice("pendingInit", "running", "interrupted", "completed", "errored", "shutdown", "notFound"),
);
export const CollabAgentState = define(
  "CollabAgentState",
  object({ status: CollabAgentStatus, message: nullable(string()) }),
);
export const CollabAgentTool = define(
  "CollabAgentTool",
  choice(
    "spawnAgent",
    "sendInput",
    "resumeAgent",
    "wait",
    "closeAgent",
    "sendMessage",
    "followupTask",
    "interruptAgent",
    "listAgents",
  ),
);
export const CollabAgentToolCallStatus = define(
  "CollabAgentToolCallStatus",
  choice("inProgress", "completed", "failed", "interrupted"),
);
export const CommandAction = define(
  "CommandAction",
  tagged("type", {
    read: { command: string(), name: string(), path: string() },
    listFiles: { command: string(), path: nullable(string()) },
    search: { command: string(), query: nullable(string()), path: nullable(string()) },
    unknown: { command: string() },
  }),
);
export const CommandExecutionSource = define(
  "CommandExecutionSource",
  choice("agent", "userShell", "unifiedExecStartup", "unifiedExecInteraction"),
);
export const CommandExecutionStatus = define(
  "CommandExecutionStatus",
  choice("inProgress", "completed", "failed", "declined"),
);
export const DynamicToolCallOutputContentItem = define(
  "DynamicToolCallOutputContentItem",
  tagged("type", {
    inputText: { text: string() },
    inputImage: { imageUrl: string() },
    inputAudio: { audioUrl: string() },
  }),
);
export const DynamicToolCallStatus = define(
  "DynamicToolCallStatus",
  choice("inProgress", "completed", "failed"),
);
export const PatchChangeKind = define(
  "PatchChangeKind",
  tagged("type", { add: {}, delete: {}, update: { move_path: nullable(string()) } }),
);
export const FileUpdateChange = define(
  "FileUpdateChange",
  object({ path: string(), kind: PatchChangeKind, diff: string() }),
);
export const HookPromptFragment = define(
  "HookPromptFragment",
  object({ text: string(), hookRunId: string() }),
);
export const ImageGenerationFailure = define(
  "ImageGenerationFailure",
  tagged("type", { usageLimitExceeded: { limitId: string(), resetsAt: nullable(i64()) } }),
);
export const ImageGenerationInputImage = define(
  "ImageGenerationInputImage",
  object({ path: absolutePath(), sha256: string() }),
);
export const McpAppDisplayMode = define("McpAppDisplayMode", choice("inline", "fullscreen"));
export const McpAppUi = define(
  "McpAppUi",
  object({ resourceUri: string(), preferredModelDisplayMode: McpAppDisplayMode }),
);
export const McpToolCallAppContext = define(
  "McpToolCallAppContext",
  object({
    connectorId: string(),
    linkId: nullable(string()),
    resourceUri: nullable(string()),
    appName: nullable(string()),
    actionName: nullable(string()),
  }),
);
export const McpToolCallError = define("McpToolCallError", object({ message: string() }));
export const McpToolCallResult = define(
  "McpToolCallResult",
  object({ content: array(anyJson()), structuredContent: nullable(anyJson()), _meta: nullable(anyJson()) }),
);
export const McpToolCallStatus = define("McpToolCallStatus", choice("inProgress", "completed", "failed"));
export const MemoryCitationEntry = define(
  "MemoryCitationEntry",
  object({ path: string(), lineStart: u32(), lineEnd: u32(), note: string() }),
);
export const MemoryCitation = define(
  "MemoryCitation",
  object({ entries: array(MemoryCitationEntry), threadIds: array(string()) }),
);
export const PatchApplyStatus = define(
  "PatchApplyStatus",
  choice("inProgress", "completed", "failed", "declined"),
);
export const SubAgentActivityKind = define(
  "SubAgentActivityKind",
  choice("started", "interacted", "interrupted", "completed"),
);
export const WebSearchAction = define(
  "WebSearchAction",
  tagged("type", {
    search: { query: nullable(string()), queries: nullable(array(string())) },
    openPage: { url: nullable(string()) },
    findInPage: { url: nullable(string()), pattern: nullable(string()) },
    other: {},
  }),
);
