// Items: messages, commands, changes and calls of a turn, and their deltas.

import { UserInput } from "./input.ts";
import {
  AgentMessageDelivery,
  AsyncUserInputQuestion,
  CollabAgentState,
  CollabAgentTool,
  CollabAgentToolCallStatus,
  CommandAction,
  CommandExecutionSource,
  CommandExecutionStatus,
  DynamicToolCallOutputContentItem,
  DynamicToolCallStatus,
  FileUpdateChange,
  HookPromptFragment,
  ImageGenerationFailure,
  ImageGenerationInputImage,
  McpAppUi,
  McpToolCallAppContext,
  McpToolCallError,
  McpToolCallResult,
  McpToolCallStatus,
  MemoryCitation,
  PatchApplyStatus,
  SubAgentActivityKind,
  WebSearchAction,
} from "./item-detail.ts";
import { ReasoningEffort } from "./mode.ts";
import { FunctionCallOutputBody, MessagePhase, ResponseItem } from "./response-item.ts";
import { notification } from "./row.ts";
import {
  absolutePath,
  anyJson,
  array,
  boolean,
  define,
  either,
  heddle,
  i32,
  i64,
  map,
  nullable,
  object,
  optional,
  string,
  tagged,
  u64,
} from "./shape.ts";
import { seq } from "./stream.ts";
import { TokenUsageBreakdown } from "./token-usage.ts";

export const ThreadItem = define(
  "ThreadItem",
  tagged(
    "type",
    {
      userMessage: {
        clientId: nullable(string()),
        content: array(UserInput),
        sentBy: heddle("The subject of the token of who sent it; absent without one.", optional(string())),
      },
      hookPrompt: { fragments: array(HookPromptFragment) },
      agentMessage: {
        text: string(),
        phase: nullable(MessagePhase),
        memoryCitation: nullable(MemoryCitation),
        delivery: nullable(AgentMessageDelivery),
        questions: nullable(array(AsyncUserInputQuestion)),
      },
      functionCallOutput: { name: string(), namespace: nullable(string()), output: FunctionCallOutputBody },
      plan: { text: string() },
      reasoning: { summary: array(string()), content: array(string()) },
      commandExecution: {
        pluginId: nullable(string()),
        scriptPath: nullable(string()),
        command: string(),
        cwd: string(),
        processId: nullable(string()),
        source: CommandExecutionSource,
        status: CommandExecutionStatus,
        commandActions: array(CommandAction),
        aggregatedOutput: nullable(string()),
        exitCode: nullable(i32()),
        durationMs: nullable(i64()),
      },
      fileChange: { changes: array(FileUpdateChange), status: PatchApplyStatus },
      mcpToolCall: {
        server: string(),
        tool: string(),
        status: McpToolCallStatus,
        arguments: anyJson(),
        appContext: nullable(McpToolCallAppContext),
        mcpAppResourceUri: optional(string()),
        mcpAppUi: nullable(McpAppUi),
        pluginId: nullable(string()),
        readOnlyHint: nullable(boolean()),
        result: nullable(McpToolCallResult),
        error: nullable(McpToolCallError),
        durationMs: nullable(i64()),
      },
      dynamicToolCall: {
        namespace: nullable(string()),
        tool: string(),
        arguments: anyJson(),
        status: DynamicToolCallStatus,
        contentItems: nullable(array(DynamicToolCallOutputContentItem)),
        success: nullable(boolean()),
        durationMs: nullable(i64()),
      },
      collabAgentToolCall: {
        tool: CollabAgentTool,
        status: CollabAgentToolCallStatus,
        senderThreadId: string(),
        receiverThreadIds: array(string()),
        prompt: nullable(string()),
        model: nullable(string()),
        reasoningEffort: nullable(ReasoningEffort),
        agentsStates: map(CollabAgentState),
      },
      subAgentActivity: {
        model: nullable(string()),
        reasoningEffort: nullable(ReasoningEffort),
        kind: SubAgentActivityKind,
        agentThreadId: string(),
        agentPath: string(),
      },
      webSearch: { query: string(), action: nullable(WebSearchAction), results: nullable(array(anyJson())) },
      imageView: { path: string() },
      sleep: { durationMs: u64() },
      imageGeneration: either(
        "ImageGenerationOutput",
        {
          status: string(),
          revisedPrompt: nullable(string()),
          transparentBackground: optional(nullable(boolean())),
          failure: nullable(ImageGenerationFailure),
          savedPath: optional(absolutePath()),
          inputImages: optional(array(ImageGenerationInputImage)),
          generationId: nullable(string()),
        },
        { fileId: string() },
        { result: string() },
      ),
      enteredReviewMode: { review: string() },
      exitedReviewMode: { review: string() },
      contextCompaction: {},
    },
    { startedAtMs: optional(nullable(i64())), completedAtMs: optional(nullable(i64())), id: string() },
  ),
);
export const ItemStartedNotification = define(
  "ItemStartedNotification",
  object({ item: ThreadItem, threadId: string(), turnId: string(), startedAtMs: i64() }),
);
export const ItemCompletedNotification = define(
  "ItemCompletedNotification",
  object({ item: ThreadItem, threadId: string(), turnId: string(), completedAtMs: i64(), seq: seq() }),
);
export const RawResponseItemCompletedNotification = define(
  "RawResponseItemCompletedNotification",
  object({ threadId: string(), turnId: string(), item: ResponseItem }),
);
export const ResponseUsageMetadata = define(
  "ResponseUsageMetadata",
  object({ amount: nullable(string()), metadata: nullable(anyJson()) }),
);
export const RawResponseCompletedNotification = define(
  "RawResponseCompletedNotification",
  object({
    threadId: string(),
    turnId: string(),
    responseId: string(),
    usage: nullable(TokenUsageBreakdown),
    usageMetadata: nullable(ResponseUsageMetadata),
  }),
);
export const AgentMessageDeltaNotification = define(
  "AgentMessageDeltaNotification",
  object({ threadId: string(), turnId: string(), itemId: string(), delta: string() }),
);
export const PlanDeltaNotification = define(
  "PlanDeltaNotification",
  object({ threadId: string(), turnId: string(), itemId: string(), delta: string() }),
);
export const CommandExecutionOutputDeltaNotification = define(
  "CommandExecutionOutputDeltaNotification",
  object({ threadId: string(), turnId: string(), itemId: string(), delta: string() }),
);
export const TerminalInteractionNotification = define(
  "TerminalInteractionNotification",
  object({ threadId: string(), turnId: string(), itemId: string(), processId: string(), stdin: string() }),
);
export const FileChangeOutputDeltaNotification = define(
  "FileChangeOutputDeltaNotification",
  object({ threadId: string(), turnId: string(), itemId: string(), delta: string() }),
);
export const FileChangePatchUpdatedNotification = define(
  "FileChangePatchUpdatedNotification",
  object({ threadId: string(), turnId: string(), itemId: string(), changes: array(FileUpdateChange) }),
);
export const McpToolCallProgressNotification = define(
  "McpToolCallProgressNotification",
  object({ threadId: string(), turnId: string(), itemId: string(), message: string() }),
);
export const ReasoningSummaryTextDeltaNotification = define(
  "ReasoningSummaryTextDeltaNotification",
  object({ threadId: string(), turnId: string(), itemId: string(), delta: string(), summaryIndex: i64() }),
);
export const ReasoningSummaryPartAddedNotification = define(
  "ReasoningSummaryPartAddedNotification",
  object({ threadId: string(), turnId: string(), itemId: string(), summaryIndex: i64() }),
);
export const ReasoningTextDeltaNotification = define(
  "ReasoningTextDeltaNotification",
  object({ threadId: string(), turnId: string(), itemId: string(), delta: string(), contentIndex: i64() }),
);

export const itemNotifications = {
  "item/started": notification({
    summary: "An item began.",
    stability: "stable",
    params: ItemStartedNotification,
    audience: "thread",
  }),
  "item/completed": notification({
    summary: "An item ended; this is its final state.",
    stability: "stable",
    params: ItemCompletedNotification,
    audience: "thread",
    isDurable: true,
  }),
  "rawResponseItem/completed": notification({
    summary: "A model item as it came from the provider.",
    stability: "stable",
    params: RawResponseItemCompletedNotification,
    audience: "thread",
  }),
  "rawResponse/completed": notification({
    summary: "A model response ended, with its usage as the provider counts it.",
    stability: "stable",
    params: RawResponseCompletedNotification,
    audience: "thread",
  }),
  "item/agentMessage/delta": notification({
    summary: "More text of an agent message.",
    stability: "stable",
    params: AgentMessageDeltaNotification,
    audience: "thread",
    isPiece: true,
  }),
  "item/plan/delta": notification({
    summary: "More text of a plan.",
    stability: "stable",
    params: PlanDeltaNotification,
    audience: "thread",
    isPiece: true,
  }),
  "item/commandExecution/outputDelta": notification({
    summary: "More output of a command item.",
    stability: "stable",
    params: CommandExecutionOutputDeltaNotification,
    audience: "thread",
    isPiece: true,
    isRepeatedLater: true,
  }),
  "item/commandExecution/terminalInteraction": notification({
    summary: "The agent wrote to the input of a running command.",
    stability: "stable",
    params: TerminalInteractionNotification,
    audience: "thread",
    isPiece: true,
  }),
  "item/fileChange/outputDelta": notification({
    summary: "More output of a patch that is being applied.",
    stability: "stable",
    params: FileChangeOutputDeltaNotification,
    audience: "thread",
    isPiece: true,
  }),
  "item/fileChange/patchUpdated": notification({
    summary: "A patch that the model is still writing has grown.",
    stability: "stable",
    params: FileChangePatchUpdatedNotification,
    audience: "thread",
    isPiece: true,
  }),
  "item/mcpToolCall/progress": notification({
    summary: "An MCP tool reported progress.",
    stability: "stable",
    params: McpToolCallProgressNotification,
    audience: "thread",
    isPiece: true,
  }),
  "item/reasoning/summaryTextDelta": notification({
    summary: "More text of a reasoning summary.",
    stability: "stable",
    params: ReasoningSummaryTextDeltaNotification,
    audience: "thread",
    isPiece: true,
  }),
  "item/reasoning/summaryPartAdded": notification({
    summary: "A new part of a reasoning summary began.",
    stability: "stable",
    params: ReasoningSummaryPartAddedNotification,
    audience: "thread",
    isPiece: true,
  }),
  "item/reasoning/textDelta": notification({
    summary: "More raw reasoning text.",
    stability: "stable",
    params: ReasoningTextDeltaNotification,
    audience: "thread",
    isPiece: true,
  }),
};
