/** Params of `initialize`: Initializes a connection with the client's name, capabilities and excluded notifications. */
export type InitializeParams = { clientInfo: ClientInfo; capabilities?: InitializeCapabilities | null };

export type ClientInfo = { name: string; title?: string | null; version: string };

export type InitializeCapabilities = {
  explicitGatewayOauth?: boolean;
  experimentalApi?: boolean;
  requestAttestation?: boolean;
  mcpServerOpenaiFormElicitation?: boolean;
  optOutNotificationMethods?: string[] | null;
  extensions?: { [key: string]: unknown } | null;
  /** Durable notifications of threads carry `seq`, the position from which the client can continue after a reconnect. */
  resumableEvents?: boolean;
  /** The client receives `thread/summary/changed` of all threads. */
  threadSummaries?: boolean;
  /** Ask for approvals with the requests and events of the first generation of the protocol. */
  legacyApprovals?: boolean;
};

/** Result of `initialize`. */
export type InitializeResponse = {
  userAgent: string;
  codexHome: string;
  platformFamily: string;
  platformOs: string;
  /** What the token of the connection allows. Absent without a token, and for clients without the experimental capability: everything is allowed then. */
  access?: { subject: string | null; scopes: AccessScope[] };
};

export type AccessScope = "read" | "answer" | "operate" | "admin";

/** Params of `thread/start`: Creates a thread and subscribes the caller to it. */
export type ThreadStartParams = {
  model?: string | null;
  modelProvider?: string | null;
  serviceTier?: string | null;
  cwd?: string | null;
  approvalPolicy?: AskForApproval | null;
  approvalsReviewer?: ApprovalsReviewer | null;
  sandbox?: SandboxMode | null;
  config?: { [key: string]: unknown } | null;
  serviceName?: string | null;
  baseInstructions?: string | null;
  developerInstructions?: string | null;
  personality?: Personality | null;
  ephemeral?: boolean | null;
  sessionStartSource?: ThreadStartSource | null;
  threadSource?: ThreadSource | null;
};

export type AskForApproval = "untrusted" | "on-request" | "never";

export type ApprovalsReviewer = "user" | "auto_review" | "guardian_subagent";

export type SandboxMode = "read-only" | "workspace-write" | "danger-full-access";

export type Personality = "none" | "friendly" | "pragmatic";

export type ThreadHistoryMode = "legacy" | "paginated";

export type ThreadStartSource = "startup" | "clear";

export type ThreadSource = string;

/** Result of `thread/start`. */
export type ThreadStartResponse = {
  thread: Thread;
  model: string;
  modelProvider: string;
  serviceTier: string | null;
  disabledPluginIds: string[];
  cwd: string;
  instructionSources: string[];
  approvalPolicy: AskForApproval;
  approvalsReviewer: ApprovalsReviewer;
  sandbox: SandboxPolicy;
  reasoningEffort: ReasoningEffort | null;
};

export type Thread = {
  id: string;
  sessionId: string;
  forkedFromId: string | null;
  parentThreadId: string | null;
  preview: string;
  ephemeral: boolean;
  section: ThreadSection | null;
  sectionEnteredAt: number | null;
  projectId: string | null;
  historyMode: ThreadHistoryMode;
  modelProvider: string;
  model: string | null;
  reasoningEffort: ReasoningEffort | null;
  createdAt: number;
  updatedAt: number;
  recencyAt: number | null;
  status: ThreadStatus;
  path: string | null;
  cwd: string;
  cliVersion: string;
  originator: string | null;
  source: SessionSource;
  /** The subject of the token of who created it; absent without one. */
  owner?: string;
  threadSource: ThreadSource | null;
  agentNickname: string | null;
  agentRole: string | null;
  gitInfo: GitInfo | null;
  name: string | null;
  /** What the turn in progress waits for; absent if it waits for nothing that outlives the server. */
  waiting?: ThreadWaiting | null;
  turns: Turn[];
};

export type ThreadSection = { id: string; name: string; appearance: ThreadSectionAppearance | null };

export type ThreadSectionAppearance = { icon: string | null; color: string | null };

export type ReasoningEffort = string;

export type ThreadStatus =
  | { type: "notLoaded" }
  | { type: "idle" }
  | { type: "systemError" }
  | { type: "active"; activeFlags: ThreadActiveFlag[] };

export type ThreadActiveFlag = "waitingOnApproval" | "waitingOnUserInput";

export type SessionSource =
  | "cli"
  | "vscode"
  | "exec"
  | "appServer"
  | "unknown"
  | { custom: string }
  | { subAgent: SubAgentSource };

export type SubAgentSource =
  | "review"
  | "compact"
  | "memory_consolidation"
  | {
      thread_spawn: {
        parent_thread_id: string;
        depth: number;
        agent_path: string | null;
        agent_nickname: string | null;
        agent_role: string | null;
      };
    }
  | { other: string };

export type GitInfo = { sha: string | null; branch: string | null; originUrl: string | null };

/** What a turn waits for that outlives the server: a question, by its id in `approval/list`, or the end of a usage limit, with the provider's message and how many limits there were in a row. */
export type ThreadWaiting =
  | {
      reason: "question";
      turnId: string;
      since: number;
      until: number;
      decisionId: string;
    }
  | {
      reason: "usageLimit";
      turnId: string;
      since: number;
      until: number;
      attempt: number;
      message: string;
    };

export type Turn = {
  id: string;
  rootTurnId: string | null;
  items: ThreadItem[];
  itemsView: TurnItemsView;
  status: TurnStatus;
  error: TurnError | null;
  startedAt: number | null;
  completedAt: number | null;
  durationMs: number | null;
  /** The hooks that ran for this turn, in display order. */
  hookRuns: HookRunSummary[];
};

export type ThreadItem =
  | {
      type: "userMessage";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      clientId: string | null;
      content: UserInput[];
      /** The subject of the token of who sent it; absent without one. */
      sentBy?: string;
    }
  | {
      type: "hookPrompt";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      fragments: HookPromptFragment[];
    }
  | {
      type: "agentMessage";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      text: string;
      phase: MessagePhase | null;
      memoryCitation: MemoryCitation | null;
      delivery: AgentMessageDelivery | null;
      questions: AsyncUserInputQuestion[] | null;
    }
  | {
      type: "functionCallOutput";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      name: string;
      namespace: string | null;
      output: FunctionCallOutputBody;
    }
  | {
      type: "plan";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      text: string;
    }
  | {
      type: "reasoning";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      summary: string[];
      content: string[];
    }
  | {
      type: "commandExecution";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      pluginId: string | null;
      scriptPath: string | null;
      command: string;
      cwd: string;
      processId: string | null;
      source: CommandExecutionSource;
      status: CommandExecutionStatus;
      commandActions: CommandAction[];
      aggregatedOutput: string | null;
      exitCode: number | null;
      durationMs: number | null;
    }
  | {
      type: "fileChange";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      changes: FileUpdateChange[];
      status: PatchApplyStatus;
    }
  | {
      type: "mcpToolCall";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      server: string;
      tool: string;
      status: McpToolCallStatus;
      arguments: unknown;
      appContext: McpToolCallAppContext | null;
      mcpAppResourceUri?: string;
      mcpAppUi: McpAppUi | null;
      pluginId: string | null;
      readOnlyHint: boolean | null;
      result: McpToolCallResult | null;
      error: McpToolCallError | null;
      durationMs: number | null;
    }
  | {
      type: "dynamicToolCall";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      namespace: string | null;
      tool: string;
      arguments: unknown;
      status: DynamicToolCallStatus;
      contentItems: DynamicToolCallOutputContentItem[] | null;
      success: boolean | null;
      durationMs: number | null;
    }
  | {
      type: "collabAgentToolCall";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      tool: CollabAgentTool;
      status: CollabAgentToolCallStatus;
      senderThreadId: string;
      receiverThreadIds: string[];
      prompt: string | null;
      model: string | null;
      reasoningEffort: ReasoningEffort | null;
      agentsStates: { [key: string]: CollabAgentState };
    }
  | {
      type: "subAgentActivity";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      model: string | null;
      reasoningEffort: ReasoningEffort | null;
      kind: SubAgentActivityKind;
      agentThreadId: string;
      agentPath: string;
    }
  | {
      type: "webSearch";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      query: string;
      action: WebSearchAction | null;
      results: unknown[] | null;
    }
  | {
      type: "imageView";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      path: string;
    }
  | {
      type: "sleep";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      durationMs: number;
    }
  | {
      type: "imageGeneration";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      status: string;
      revisedPrompt: string | null;
      transparentBackground?: boolean | null;
      failure: ImageGenerationFailure | null;
      savedPath?: string;
      inputImages?: ImageGenerationInputImage[];
      generationId: string | null;
      fileId: string;
    }
  | {
      type: "imageGeneration";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      status: string;
      revisedPrompt: string | null;
      transparentBackground?: boolean | null;
      failure: ImageGenerationFailure | null;
      savedPath?: string;
      inputImages?: ImageGenerationInputImage[];
      generationId: string | null;
      result: string;
    }
  | {
      type: "enteredReviewMode";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      review: string;
    }
  | {
      type: "exitedReviewMode";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
      review: string;
    }
  | {
      type: "contextCompaction";
      startedAtMs?: number | null;
      completedAtMs?: number | null;
      id: string;
    };

export type UserInput =
  | { type: "text"; text: string; text_elements?: TextElement[] }
  | { type: "image"; detail?: ImageDetail | null; url: string }
  | { type: "image"; detail?: ImageDetail | null; fileId: string }
  | { type: "localImage"; detail?: ImageDetail | null; path: string }
  | { type: "audio"; url: string }
  | { type: "localAudio"; path: string }
  | { type: "skill"; name: string; path: string }
  | { type: "mention"; name: string; path: string };

export type TextElement = { byteRange: ByteRange; placeholder?: string | null };

export type ByteRange = { start: number; end: number };

export type ImageDetail = "auto" | "low" | "high" | "original";

export type HookPromptFragment = { text: string; hookRunId: string };

export type MessagePhase = "commentary" | "partial_answer" | "final_answer";

export type MemoryCitation = { entries: MemoryCitationEntry[]; threadIds: string[] };

export type MemoryCitationEntry = { path: string; lineStart: number; lineEnd: number; note: string };

export type AgentMessageDelivery = "async";

export type AsyncUserInputQuestion = { title: string; options: string[] | null };

export type FunctionCallOutputBody = string | FunctionCallOutputContentItem[];

export type FunctionCallOutputContentItem =
  | { type: "input_text"; text: string }
  | { type: "input_image"; detail?: ImageDetail | null; image_url: string }
  | { type: "input_image"; detail?: ImageDetail | null; file_id: string }
  | { type: "input_audio"; audio_url: string }
  | { type: "encrypted_content"; encrypted_content: string };

export type CommandExecutionSource = "agent" | "userShell" | "unifiedExecStartup" | "unifiedExecInteraction";

export type CommandExecutionStatus = "inProgress" | "completed" | "failed" | "declined";

export type CommandAction =
  | { type: "read"; command: string; name: string; path: string }
  | { type: "listFiles"; command: string; path: string | null }
  | { type: "search"; command: string; query: string | null; path: string | null }
  | { type: "unknown"; command: string };

export type FileUpdateChange = { path: string; kind: PatchChangeKind; diff: string };

export type PatchChangeKind = { type: "add" } | { type: "delete" } | { type: "update"; move_path: string | null };

export type PatchApplyStatus = "inProgress" | "completed" | "failed" | "declined";

export type McpToolCallStatus = "inProgress" | "completed" | "failed";

export type McpToolCallAppContext = {
  connectorId: string;
  linkId: string | null;
  resourceUri: string | null;
  appName: string | null;
  actionName: string | null;
};

export type McpAppUi = { resourceUri: string; preferredModelDisplayMode: McpAppDisplayMode };

export type McpAppDisplayMode = "inline" | "fullscreen";

export type McpToolCallResult = { content: unknown[]; structuredContent: unknown; _meta: unknown };

export type McpToolCallError = { message: string };

export type DynamicToolCallStatus = "inProgress" | "completed" | "failed";

export type DynamicToolCallOutputContentItem =
  | { type: "inputText"; text: string }
  | { type: "inputImage"; imageUrl: string }
  | { type: "inputAudio"; audioUrl: string };

export type CollabAgentTool =
  | "spawnAgent"
  | "sendInput"
  | "resumeAgent"
  | "wait"
  | "closeAgent"
  | "sendMessage"
  | "followupTask"
  | "interruptAgent"
  | "listAgents";

export type CollabAgentToolCallStatus = "inProgress" | "completed" | "failed" | "interrupted";

export type CollabAgentState = { status: CollabAgentStatus; message: string | null };

export type CollabAgentStatus =
  | "pendingInit"
  | "running"
  | "interrupted"
  | "completed"
  | "errored"
  | "shutdown"
  | "notFound";

export type SubAgentActivityKind = "started" | "interacted" | "interrupted" | "completed";

export type WebSearchAction =
  | { type: "search"; query: string | null; queries: string[] | null }
  | { type: "openPage"; url: string | null }
  | { type: "findInPage"; url: string | null; pattern: string | null }
  | { type: "other" };

export type ImageGenerationFailure = { type: "usageLimitExceeded"; limitId: string; resetsAt: number | null };

export type ImageGenerationInputImage = { path: string; sha256: string };

export type TurnItemsView = "notLoaded" | "summary" | "full";

export type TurnStatus = "completed" | "interrupted" | "failed" | "inProgress";

export type TurnError = {
  message: string;
  codexErrorInfo: CodexErrorInfo | null;
  additionalDetails: string | null;
  misalignment: MisalignmentErrorDetails | null;
};

export type CodexErrorInfo =
  | "contextWindowExceeded"
  | "sessionBudgetExceeded"
  | "usageLimitExceeded"
  | "rateLimitExceeded"
  | "flexUnavailable"
  | "serverOverloaded"
  | "modelNotFound"
  | "policyCapacityUnavailable"
  | "cyberPolicy"
  | "misalignmentPolicyViolation"
  | "tooManyDenials"
  | "internalServerError"
  | "unauthorized"
  | "badRequest"
  | "threadRollbackFailed"
  | "sandboxError"
  | "other"
  | { httpConnectionFailed: { httpStatusCode: number | null } }
  | { responseStreamConnectionFailed: { httpStatusCode: number | null } }
  | { responseStreamDisconnected: { httpStatusCode: number | null } }
  | { responseTooManyFailedAttempts: { httpStatusCode: number | null } }
  | { activeTurnNotSteerable: { turnKind: NonSteerableTurnKind } };

export type NonSteerableTurnKind = "review" | "compact";

export type MisalignmentErrorDetails = {
  errorType: string | null;
  detailedExplanation: string | null;
  steer: MisalignmentSteer | null;
  reviewTarget?: string | null;
};

export type MisalignmentSteer = { message: string };

export type HookRunSummary = {
  id: string;
  /** The id of this run; `id` is the same for all runs of this hook at this event. */
  runId: string;
  eventName: HookEventName;
  handlerType: HookHandlerType;
  executionMode: HookExecutionMode;
  scope: HookScope;
  sourcePath: string;
  source: HookSource;
  displayOrder: number;
  status: HookRunStatus;
  statusMessage: string | null;
  startedAt: number;
  completedAt: number | null;
  durationMs: number | null;
  entries: HookOutputEntry[];
};

export type HookEventName =
  | "preModelRequest"
  | "postModelRequest"
  | "preToolUse"
  | "permissionRequest"
  | "postToolUse"
  | "preCompact"
  | "postCompact"
  | "sessionStart"
  | "sessionEnd"
  | "userPromptSubmit"
  | "subagentStart"
  | "subagentStop"
  | "stop"
  | "interrupt";

export type HookHandlerType = "command" | "mcpTool" | "prompt" | "agent";

export type HookExecutionMode = "sync" | "async";

export type HookScope = "thread" | "turn";

export type HookSource =
  | "system"
  | "user"
  | "project"
  | "mdm"
  | "sessionFlags"
  | "plugin"
  | "cloudRequirements"
  | "cloudManagedConfig"
  | "legacyManagedConfigFile"
  | "legacyManagedConfigMdm"
  | "unknown";

export type HookRunStatus = "running" | "completed" | "failed" | "blocked" | "stopped";

export type HookOutputEntry = { kind: HookOutputEntryKind; text: string };

export type HookOutputEntryKind = "warning" | "stop" | "feedback" | "context" | "error";

export type SandboxPolicy =
  | { type: "dangerFullAccess" }
  | { type: "readOnly"; networkAccess?: boolean }
  | { type: "externalSandbox"; networkAccess?: NetworkAccess }
  | {
      type: "workspaceWrite";
      writableRoots?: string[];
      networkAccess?: boolean;
      excludeTmpdirEnvVar?: boolean;
      excludeSlashTmp?: boolean;
    };

export type NetworkAccess = "restricted" | "enabled";

/** Params of `thread/resume`: Loads a stored thread, or joins a loaded one, and subscribes the caller to it. */
export type ThreadResumeParams = {
  threadId: string;
  model?: string | null;
  modelProvider?: string | null;
  serviceTier?: string | null;
  cwd?: string | null;
  approvalPolicy?: AskForApproval | null;
  approvalsReviewer?: ApprovalsReviewer | null;
  sandbox?: SandboxMode | null;
  config?: { [key: string]: unknown } | null;
  baseInstructions?: string | null;
  developerInstructions?: string | null;
  personality?: Personality | null;
  excludeTurns?: boolean;
  /** Send the durable events after this position, for clients with the capability `resumableEvents`. */
  afterSeq?: string | null;
  /** Take the thread from another process that has it open. */
  takeOver?: boolean;
};

export type ResponseItem =
  | { type: "additional_tools"; id?: string | null; role: string; tools: unknown[] }
  | {
      type: "message";
      encrypted_content?: string | null;
      status?: string | null;
      id?: string | null;
      role: string;
      content: ContentItem[];
      phase?: MessagePhase | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | {
      type: "agent_message";
      id?: string | null;
      author: string;
      recipient: string;
      content: AgentMessageInputContent[];
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | {
      type: "reasoning";
      id?: string | null;
      summary: ReasoningItemReasoningSummary[];
      content?: ReasoningItemContent[] | null;
      encrypted_content?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | {
      type: "local_shell_call";
      encrypted_content?: string | null;
      id?: string | null;
      call_id?: string | null;
      status: LocalShellStatus;
      action: LocalShellAction;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | {
      type: "function_call";
      encrypted_content?: string | null;
      status?: string | null;
      id?: string | null;
      name: string;
      namespace?: string | null;
      arguments: string;
      encrypted_function_args?: string[] | null;
      call_id: string;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | {
      type: "tool_search_call";
      encrypted_content?: string | null;
      id?: string | null;
      call_id?: string | null;
      status?: string | null;
      execution: string;
      arguments: unknown;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | {
      type: "function_call_output";
      id?: string | null;
      call_id?: string | null;
      name?: string | null;
      namespace?: string | null;
      output: FunctionCallOutputBody;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | {
      type: "custom_tool_call";
      encrypted_content?: string | null;
      id?: string | null;
      status?: string | null;
      call_id: string;
      name: string;
      namespace?: string | null;
      input: string;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | {
      type: "custom_tool_call_output";
      id?: string | null;
      call_id: string;
      name?: string | null;
      output: FunctionCallOutputBody;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | {
      type: "tool_search_output";
      id?: string | null;
      call_id?: string | null;
      status: string;
      execution: string;
      tools: unknown[];
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | {
      type: "web_search_call";
      encrypted_content?: string | null;
      id?: string | null;
      status?: string | null;
      action?: ResponseWebSearchAction | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | {
      type: "image_generation_call";
      encrypted_content?: string | null;
      id?: string | null;
      status: string;
      revised_prompt?: string | null;
      result: string;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | {
      type: "compaction";
      id?: string | null;
      encrypted_content: string;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | { type: "configuration_update"; reasoning: ConfigurationReasoning }
  | { type: "compaction_trigger" }
  | {
      type: "context_compaction";
      id?: string | null;
      encrypted_content?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
    }
  | { type: "other" };

export type ContentItem =
  | { type: "input_text"; text: string }
  | { type: "input_image"; detail?: ImageDetail | null; image_url: string }
  | { type: "input_image"; detail?: ImageDetail | null; file_id: string }
  | { type: "input_audio"; audio_url: string }
  | {
      type: "output_text";
      text: string;
      annotations?: unknown[] | null;
      logprobs?: unknown[] | null;
    };

export type InternalChatMessageMetadataPassthrough = { turn_id?: string | null };

export type AgentMessageInputContent =
  | { type: "input_text"; text: string }
  | { type: "encrypted_content"; encrypted_content: string };

export type ReasoningItemReasoningSummary = { type: "summary_text"; text: string };

export type ReasoningItemContent = { type: "reasoning_text"; text: string } | { type: "text"; text: string };

export type LocalShellStatus = "completed" | "in_progress" | "incomplete";

export type LocalShellAction =
  | {
      type: "exec";
      command: string[];
      timeout_ms?: number | null;
      working_directory?: string | null;
      env?: { [key: string]: string } | null;
      user?: string | null;
    };

export type ResponseWebSearchAction =
  | { type: "search"; query?: string | null; queries?: string[] | null }
  | { type: "open_page"; url?: string | null }
  | { type: "find_in_page"; url?: string | null; pattern?: string | null }
  | { type: "other" };

export type ConfigurationReasoning = { effort: ReasoningEffort };

export type SortDirection = "asc" | "desc";

/** Result of `thread/resume`. */
export type ThreadResumeResponse = {
  thread: Thread;
  model: string;
  modelProvider: string;
  serviceTier: string | null;
  disabledPluginIds: string[];
  cwd: string;
  instructionSources: string[];
  approvalPolicy: AskForApproval;
  approvalsReviewer: ApprovalsReviewer;
  sandbox: SandboxPolicy;
  reasoningEffort: ReasoningEffort | null;
  collaborationMode: CollaborationMode | null;
  turnsBackwardsCursor: string | null;
  itemsBackwardsCursor: string | null;
};

export type CollaborationMode = { mode: ModeKind; settings: Settings };

/** How user and agent work together. Everything but `plan` is an older name of `default`. */
export type ModeKind = "plan" | "code" | "custom" | "default" | "execute" | "pair_programming";

export type Settings = {
  model: string;
  reasoning_effort?: ReasoningEffort | null;
  developer_instructions?: string | null;
};

/** Params of `thread/fork`: Creates a thread whose history begins as a copy of another's. */
export type ThreadForkParams = {
  threadId: string;
  lastTurnId?: string | null;
  model?: string | null;
  modelProvider?: string | null;
  serviceTier?: string | null;
  cwd?: string | null;
  approvalPolicy?: AskForApproval | null;
  approvalsReviewer?: ApprovalsReviewer | null;
  sandbox?: SandboxMode | null;
  config?: { [key: string]: unknown } | null;
  baseInstructions?: string | null;
  developerInstructions?: string | null;
  ephemeral?: boolean;
  threadSource?: ThreadSource | null;
  excludeTurns?: boolean;
};

/** Result of `thread/fork`. */
export type ThreadForkResponse = {
  thread: Thread;
  model: string;
  modelProvider: string;
  serviceTier: string | null;
  disabledPluginIds: string[];
  cwd: string;
  instructionSources: string[];
  approvalPolicy: AskForApproval;
  approvalsReviewer: ApprovalsReviewer;
  sandbox: SandboxPolicy;
  reasoningEffort: ReasoningEffort | null;
};

/** Params of `thread/archive`: Hides a thread from lists without deleting it. */
export type ThreadArchiveParams = { threadId: string };

/** Result of `thread/archive`. */
export type ThreadArchiveResponse = Record<string, never>;

/** Params of `thread/unarchive`: Brings an archived thread back into lists. */
export type ThreadUnarchiveParams = { threadId: string };

/** Result of `thread/unarchive`. */
export type ThreadUnarchiveResponse = { thread: Thread };

/** Params of `thread/delete`: Deletes a thread and its history permanently. */
export type ThreadDeleteParams = { threadId: string };

/** Result of `thread/delete`. */
export type ThreadDeleteResponse = Record<string, never>;

/** Params of `thread/unsubscribe`: Stops the caller's notifications about a thread. */
export type ThreadUnsubscribeParams = { threadId: string };

/** Result of `thread/unsubscribe`. */
export type ThreadUnsubscribeResponse = { status: ThreadUnsubscribeStatus };

export type ThreadUnsubscribeStatus = "notLoaded" | "notSubscribed" | "unsubscribed";

/** Params of `thread/name/set`: Gives a thread a title. */
export type ThreadSetNameParams = { threadId: string; name: string };

/** Result of `thread/name/set`. */
export type ThreadSetNameResponse = Record<string, never>;

/** Params of `thread/metadata/update`: Changes the metadata of a thread. */
export type ThreadMetadataUpdateParams = { threadId: string; gitInfo?: ThreadMetadataGitInfoUpdateParams | null };

export type ThreadMetadataGitInfoUpdateParams = { sha?: string | null; branch?: string | null; originUrl?: string | null };

/** Result of `thread/metadata/update`. */
export type ThreadMetadataUpdateResponse = { thread: Thread };

export type ReasoningSummary = "auto" | "concise" | "detailed" | "none";

/** Params of `thread/list`: Pages through stored threads. */
export type ThreadListParams = {
  cursor?: string | null;
  limit?: number | null;
  excludedThreadIds?: string[] | null;
  sortKey?: ThreadSortKey | null;
  sortDirection?: SortDirection | null;
  modelProviders?: string[] | null;
  sourceKinds?: ThreadSourceKind[] | null;
  originators?: string[] | null;
  archived?: boolean | null;
  sectionId?: string | null;
  cwd?: ThreadListCwdFilter | null;
  useStateDbOnly?: boolean;
  searchTerm?: string | null;
};

export type ThreadSortKey = "created_at" | "updated_at" | "recency_at" | "section_position";

export type ThreadSourceKind =
  | "cli"
  | "vscode"
  | "exec"
  | "appServer"
  | "subAgent"
  | "subAgentReview"
  | "subAgentCompact"
  | "subAgentThreadSpawn"
  | "subAgentOther"
  | "unknown";

export type ThreadListCwdFilter = string | string[];

/** Result of `thread/list`. */
export type ThreadListResponse = { data: Thread[]; nextCursor: string | null; backwardsCursor: string | null };

/** Params of `thread/loaded/list`: Pages through the ids of the threads in memory. */
export type ThreadLoadedListParams = { cursor?: string | null; limit?: number | null };

/** Result of `thread/loaded/list`. */
export type ThreadLoadedListResponse = { data: string[]; nextCursor: string | null };

/** Params of `thread/read`: Reads a thread without subscribing to it. */
export type ThreadReadParams = { threadId: string; includeTurns?: boolean };

/** Result of `thread/read`. */
export type ThreadReadResponse = { thread: Thread };

/** Params of `thread/revert`: Takes a thread back to the state before one of its turns. */
export type ThreadRevertParams = { threadId: string; beforeTurnId: string };

/** Result of `thread/revert`. */
export type ThreadRevertResponse = {
  thread: Thread;
  turnsBackwardsCursor: string | null;
  itemsBackwardsCursor: string | null;
};

/** Params of `thread/turns/list`: Pages through the turns of a thread. */
export type ThreadTurnsListParams = {
  threadId: string;
  cursor?: string | null;
  limit?: number | null;
  sortDirection?: SortDirection | null;
  itemsView?: TurnItemsView | null;
};

/** Result of `thread/turns/list`. */
export type ThreadTurnsListResponse = { data: Turn[]; nextCursor: string | null; backwardsCursor: string | null };

/** Params of `thread/items/list`: Pages through the items of a thread or of one turn. */
export type ThreadItemsListParams = {
  threadId: string;
  turnId?: string | null;
  cursor?: ThreadItemsListCursor | null;
  limit?: number | null;
  sortDirection?: SortDirection | null;
};

export type ThreadItemsListCursor = string | ThreadItemsListAnchor;

export type ThreadItemsListAnchor = { type: "item"; itemId: string };

/** Result of `thread/items/list`. */
export type ThreadItemsListResponse = { data: ThreadItemEntry[]; nextCursor: string | null; backwardsCursor: string | null };

export type ThreadItemEntry = {
  turnId: string;
  item: ThreadItem;
  startedAtMs: number | null;
  completedAtMs: number | null;
};

/** Params of `thread/inject_items`: Appends raw model items to the history without starting a turn. */
export type ThreadInjectItemsParams = { threadId: string; items: unknown[] };

/** Result of `thread/inject_items`. */
export type ThreadInjectItemsResponse = Record<string, never>;

/** Params of `turn/start`: Starts a turn with the user's input; if a turn is running, the input is added to it. */
export type TurnStartParams = {
  threadId: string;
  disabledPluginIds?: string[] | null;
  /** An idempotency key: a repeated message has no further effect. */
  clientUserMessageId?: string | null;
  /** The user's input. */
  input: UserInput[];
  turnTrigger?: string | null;
  parentTurnId?: string | null;
  rootTurnId?: string | null;
  toolOutput?: TurnToolOutput | null;
  /** The folder to work in, from this turn on. */
  cwd?: string | null;
  /** When commands require approval, from this turn on. */
  approvalPolicy?: AskForApproval | null;
  /** Who reviews approvals, from this turn on. */
  approvalsReviewer?: ApprovalsReviewer | null;
  /** The sandbox of commands, from this turn on. Not together with `permissions`. */
  sandboxPolicy?: SandboxPolicy | null;
  /** The model, from this turn on. */
  model?: string | null;
  /** The service tier, from this turn on. */
  serviceTier?: string | null;
  /** The service tier of this turn alone. */
  serviceTierForTurn?: string | null;
  /** The reasoning effort, from this turn on. */
  effort?: ReasoningEffort | null;
  /** The form of reasoning summaries, from this turn on. */
  summary?: ReasoningSummary | null;
  /** The personality of the agent, from this turn on. */
  personality?: Personality | null;
  /** A JSON Schema for the final message of this turn. */
  outputSchema?: unknown;
};

export type TurnToolOutput = {
  name: string;
  namespace?: string | null;
  output: FunctionCallOutputBody;
  retain?: boolean;
};

export type CyberAccessProgram = "standard" | "daybreakBlue" | "daybreakRed";

/** Result of `turn/start`. */
export type TurnStartResponse = { turn: Turn };

/** Params of `turn/steer`: Adds input to the running turn. */
export type TurnSteerParams = {
  threadId: string;
  clientUserMessageId?: string | null;
  input: UserInput[];
  expectedTurnId: string;
};

/** Result of `turn/steer`. */
export type TurnSteerResponse = { turnId: string };

/** Params of `turn/interrupt`: Stops the running turn. */
export type TurnInterruptParams = { threadId: string; turnId: string };

/** Result of `turn/interrupt`. */
export type TurnInterruptResponse = Record<string, never>;

/** Params of `review/start`: Starts a review of changes, in the thread or in a new one. */
export type ReviewStartParams = { threadId: string; target: ReviewTarget; delivery?: ReviewDelivery | null };

export type ReviewTarget =
  | { type: "uncommittedChanges" }
  | { type: "baseBranch"; branch: string }
  | { type: "commit"; sha: string; title?: string | null }
  | { type: "custom"; instructions: string };

export type ReviewDelivery = "inline";

/** Result of `review/start`. */
export type ReviewStartResponse = { turn: Turn; reviewThreadId: string };

/** Params of `thread/goal/set`: Creates or changes the goal that a thread works towards. */
export type ThreadGoalSetParams = {
  threadId: string;
  origin?: ThreadGoalMutationOrigin | null;
  objective?: string | null;
  status?: ThreadGoalStatus | null;
  tokenBudget?: number | null;
};

export type ThreadGoalMutationOrigin = "user" | "automatic";

export type ThreadGoalStatus = "active" | "paused" | "blocked" | "usageLimited" | "budgetLimited" | "complete";

/** Result of `thread/goal/set`. */
export type ThreadGoalSetResponse = { goal: ThreadGoal };

export type ThreadGoal = {
  threadId: string;
  objective: string;
  status: ThreadGoalStatus;
  tokenBudget: number | null;
  tokensUsed: number;
  timeUsedSeconds: number;
  createdAt: number;
  updatedAt: number;
};

/** Params of `thread/goal/get`: Reads the goal of a thread. */
export type ThreadGoalGetParams = { threadId: string };

/** Result of `thread/goal/get`. */
export type ThreadGoalGetResponse = { goal: ThreadGoal | null };

/** Params of `thread/goal/clear`: Removes the goal of a thread. */
export type ThreadGoalClearParams = { threadId: string; origin?: ThreadGoalMutationOrigin | null };

/** Result of `thread/goal/clear`. */
export type ThreadGoalClearResponse = { cleared: boolean };

/** Params of `hooks/list`: Lists the hooks that apply in given folders, with their trust and any problems. */
export type HooksListParams = { cwds?: string[]; threadId?: string | null };

/** Result of `hooks/list`. */
export type HooksListResponse = { data: HooksListEntry[] };

export type HooksListEntry = { cwd: string; hooks: HookMetadata[]; warnings: string[]; errors: HookErrorInfo[] };

export type HookMetadata =
  | {
      handlerType: "command";
      key: string;
      eventName: HookEventName;
      matcher: string | null;
      timeoutSec: number;
      statusMessage: string | null;
      additionalContextLimit: number | null;
      sourcePath: string;
      source: HookSource;
      pluginId: string | null;
      environmentId: string | null;
      displayOrder: number;
      enabled: boolean;
      isManaged: boolean;
      currentHash: string;
      trustStatus: HookTrustStatus;
      command: string;
      async: boolean;
      /** The kind of a hook that only Heddle has; `command` then describes it. */
      heddleType?: "http" | "module";
    }
  | {
      handlerType: "mcpTool";
      key: string;
      eventName: HookEventName;
      matcher: string | null;
      timeoutSec: number;
      statusMessage: string | null;
      additionalContextLimit: number | null;
      sourcePath: string;
      source: HookSource;
      pluginId: string | null;
      environmentId: string | null;
      displayOrder: number;
      enabled: boolean;
      isManaged: boolean;
      currentHash: string;
      trustStatus: HookTrustStatus;
      server: string;
      tool: string;
    }
  | {
      handlerType: "prompt";
      key: string;
      eventName: HookEventName;
      matcher: string | null;
      timeoutSec: number;
      statusMessage: string | null;
      additionalContextLimit: number | null;
      sourcePath: string;
      source: HookSource;
      pluginId: string | null;
      environmentId: string | null;
      displayOrder: number;
      enabled: boolean;
      isManaged: boolean;
      currentHash: string;
      trustStatus: HookTrustStatus;
    }
  | {
      handlerType: "agent";
      key: string;
      eventName: HookEventName;
      matcher: string | null;
      timeoutSec: number;
      statusMessage: string | null;
      additionalContextLimit: number | null;
      sourcePath: string;
      source: HookSource;
      pluginId: string | null;
      environmentId: string | null;
      displayOrder: number;
      enabled: boolean;
      isManaged: boolean;
      currentHash: string;
      trustStatus: HookTrustStatus;
    };

export type HookTrustStatus = "managed" | "untrusted" | "trusted" | "modified";

export type HookErrorInfo = { path: string; message: string };

export type RequestId = string | number;

/** Params of `thread/compact/start`: Starts a turn that replaces the history by a summary. */
export type ThreadCompactStartParams = { threadId: string };

/** Result of `thread/compact/start`. */
export type ThreadCompactStartResponse = Record<string, never>;

/** Params of `thread/shellCommand`: Runs a command of the user, outside the sandbox, and shows it to the model. */
export type ThreadShellCommandParams = { threadId: string; command: string; timeoutMs?: number | null };

/** Result of `thread/shellCommand`. */
export type ThreadShellCommandResponse = Record<string, never>;

/** Params of `thread/approveGuardianDeniedAction`: Allows an action that the automatic reviewer refused. */
export type ThreadApproveGuardianDeniedActionParams = { threadId: string; event: unknown };

/** Result of `thread/approveGuardianDeniedAction`. */
export type ThreadApproveGuardianDeniedActionResponse = Record<string, never>;

/** Params of `fs/readFile`: Reads a file of the server's machine. */
export type FsReadFileParams = { path: string };

/** Result of `fs/readFile`. */
export type FsReadFileResponse = { dataBase64: string };

/** Params of `fs/writeFile`: Writes a file of the server's machine. */
export type FsWriteFileParams = { path: string; dataBase64: string };

/** Result of `fs/writeFile`. */
export type FsWriteFileResponse = Record<string, never>;

/** Params of `fs/createDirectory`: Creates a folder, by default with its parents. */
export type FsCreateDirectoryParams = { path: string; recursive?: boolean | null };

/** Result of `fs/createDirectory`. */
export type FsCreateDirectoryResponse = Record<string, never>;

/** Params of `fs/getMetadata`: Reads the kind and the times of a path. */
export type FsGetMetadataParams = { path: string };

/** Result of `fs/getMetadata`. */
export type FsGetMetadataResponse = {
  isDirectory: boolean;
  isFile: boolean;
  isSymlink: boolean;
  createdAtMs: number;
  modifiedAtMs: number;
};

/** Params of `fs/readDirectory`: Lists the direct children of a folder. */
export type FsReadDirectoryParams = { path: string };

/** Result of `fs/readDirectory`. */
export type FsReadDirectoryResponse = { entries: FsReadDirectoryEntry[] };

export type FsReadDirectoryEntry = { fileName: string; isDirectory: boolean; isFile: boolean };

/** Params of `fs/remove`: Removes a file or folder. */
export type FsRemoveParams = { path: string; recursive?: boolean | null; force?: boolean | null };

/** Result of `fs/remove`. */
export type FsRemoveResponse = Record<string, never>;

/** Params of `fs/copy`: Copies a file or folder. */
export type FsCopyParams = { sourcePath: string; destinationPath: string; recursive?: boolean };

/** Result of `fs/copy`. */
export type FsCopyResponse = Record<string, never>;

/** Params of `fs/watch`: Starts to report changes at a path. */
export type FsWatchParams = { watchId: string; path: string };

/** Result of `fs/watch`. */
export type FsWatchResponse = { path: string };

/** Params of `fs/unwatch`: Stops to report changes. */
export type FsUnwatchParams = { watchId: string };

/** Result of `fs/unwatch`. */
export type FsUnwatchResponse = Record<string, never>;

/** Params of `fuzzyFileSearch`: Finds files whose path resembles a text. */
export type FuzzyFileSearchParams = { query: string; roots: string[]; cancellationToken?: string | null };

/** Result of `fuzzyFileSearch`. */
export type FuzzyFileSearchResponse = { files: FuzzyFileSearchResult[] };

export type FuzzyFileSearchResult = {
  root: string;
  path: string;
  match_type: FuzzyFileSearchMatchType;
  file_name: string;
  score: number;
  indices: number[] | null;
};

export type FuzzyFileSearchMatchType = "file" | "directory";

/** Params of `command/exec`: Runs one command in the sandbox and responds when it has ended. */
export type CommandExecParams = {
  command: string[];
  processId?: string | null;
  tty?: boolean;
  streamStdin?: boolean;
  streamStdoutStderr?: boolean;
  outputBytesCap?: number | null;
  disableOutputCap?: boolean;
  disableTimeout?: boolean;
  timeoutMs?: number | null;
  cwd?: string | null;
  env?: { [key: string]: string | null } | null;
  size?: CommandExecTerminalSize | null;
  sandboxPolicy?: SandboxPolicy | null;
};

export type CommandExecTerminalSize = { rows: number; cols: number };

/** Result of `command/exec`. */
export type CommandExecResponse = { exitCode: number; stdout: string; stderr: string };

/** Params of `command/exec/write`: Writes to the input of a running command. */
export type CommandExecWriteParams = { processId: string; deltaBase64?: string | null; closeStdin?: boolean };

/** Result of `command/exec/write`. */
export type CommandExecWriteResponse = Record<string, never>;

/** Params of `command/exec/terminate`: Stops a running command. */
export type CommandExecTerminateParams = { processId: string };

/** Result of `command/exec/terminate`. */
export type CommandExecTerminateResponse = Record<string, never>;

/** Params of `command/exec/resize`: Changes the terminal size of a running command. */
export type CommandExecResizeParams = { processId: string; size: CommandExecTerminalSize };

/** Result of `command/exec/resize`. */
export type CommandExecResizeResponse = Record<string, never>;

/** Params of `config/read`: Reads the effective configuration and where each value comes from. */
export type ConfigReadParams = { includeLayers?: boolean; cwd?: string | null };

/** Result of `config/read`. */
export type ConfigReadResponse = {
  config: Config;
  origins: { [key: string]: ConfigLayerMetadata };
  layers?: ConfigLayer[] | null;
};

export type Config = {
  model: string | null;
  review_model: string | null;
  model_context_window: number | null;
  model_auto_compact_token_limit: number | null;
  model_auto_compact_token_limit_scope: AutoCompactTokenLimitScope | null;
  model_provider: string | null;
  approval_policy: AskForApproval | null;
  approvals_reviewer: ApprovalsReviewer | null;
  sandbox_mode: SandboxMode | null;
  sandbox_workspace_write: SandboxWorkspaceWrite | null;
  forced_chatgpt_workspace_id: ForcedChatgptWorkspaceIds | null;
  forced_login_method: ForcedLoginMethod | null;
  web_search: WebSearchMode | null;
  tools: ToolsV2 | null;
  instructions: string | null;
  developer_instructions: string | null;
  compact_prompt: string | null;
  model_reasoning_effort: ReasoningEffort | null;
  model_reasoning_summary: ReasoningSummary | null;
  model_verbosity: Verbosity | null;
  service_tier: string | null;
  analytics: AnalyticsConfig | null;
  browser_use: BrowserUseConfig | null;
  computer_use: ComputerUseConfig | null;
  desktop: { [key: string]: unknown } | null;
  [key: string]: unknown;
};

export type AutoCompactTokenLimitScope = "total" | "body_after_prefix";

export type SandboxWorkspaceWrite = {
  writable_roots: string[];
  network_access: boolean;
  exclude_tmpdir_env_var: boolean;
  exclude_slash_tmp: boolean;
};

export type ForcedChatgptWorkspaceIds = string | string[];

export type ForcedLoginMethod = "chatgpt" | "api";

export type WebSearchMode = "disabled" | "cached" | "indexed" | "live";

export type ToolsV2 = { web_search: WebSearchToolConfig | null };

export type WebSearchToolConfig = {
  context_size: WebSearchContextSize | null;
  allowed_domains: string[] | null;
  location: WebSearchLocation | null;
};

export type WebSearchContextSize = "low" | "medium" | "high";

export type WebSearchLocation = {
  country: string | null;
  region: string | null;
  city: string | null;
  timezone: string | null;
};

export type Verbosity = "low" | "medium" | "high";

export type AnalyticsConfig = { enabled: boolean | null; [key: string]: unknown };

export type BrowserUseConfig = {
  allow_history_access: boolean | null;
  default_origin_policy: BrowserUseOriginPolicyConfig | null;
  origins: { [key: string]: BrowserUseOriginPolicyConfig } | null;
};

export type BrowserUseOriginPolicyConfig = {
  access: AllowDenyRequirement | null;
  downloads: AllowDenyRequirement | null;
  uploads: AllowDenyRequirement | null;
  full_cdp_access: AllowDenyRequirement | null;
};

export type AllowDenyRequirement = "allow" | "deny";

export type ComputerUseConfig = {
  default_app_access: AllowDenyRequirement | null;
  macos: ComputerUseMacosConfig | null;
  windows: ComputerUseWindowsConfig | null;
};

export type ComputerUseMacosConfig = { bundle_ids: { [key: string]: AllowDenyRequirement } | null };

export type ComputerUseWindowsConfig = {
  aumids: { [key: string]: AllowDenyRequirement } | null;
  exes: ComputerUseWindowsExeConfig[] | null;
};

export type ComputerUseWindowsExeConfig = {
  publisher_name: string;
  product_name: string;
  binary_name: string | null;
  access: AllowDenyRequirement;
};

export type ConfigLayerMetadata = { name: ConfigLayerSource; version: string };

export type ConfigLayerSource =
  | { type: "packagedDefaults"; file: string }
  | { type: "mdm"; domain: string; key: string }
  | { type: "system"; file: string }
  | { type: "enterpriseManaged"; id: string; name: string }
  | { type: "user"; file: string; profile: string | null }
  | { type: "project"; dotCodexFolder: string }
  | { type: "sessionFlags" }
  | { type: "legacyManagedConfigTomlFromFile"; file: string }
  | { type: "legacyManagedConfigTomlFromMdm" };

export type ConfigLayer = {
  name: ConfigLayerSource;
  version: string;
  config: unknown;
  disabledReason?: string | null;
};

/** Params of `config/value/write`: Writes one value of the configuration file. */
export type ConfigValueWriteParams = {
  keyPath: string;
  value: unknown;
  mergeStrategy: MergeStrategy;
  filePath?: string | null;
  expectedVersion?: string | null;
};

export type MergeStrategy = "replace" | "upsert";

/** Result of `config/value/write`. */
export type ConfigWriteResponse = {
  status: WriteStatus;
  version: string;
  filePath: string;
  overriddenMetadata: OverriddenMetadata | null;
};

export type WriteStatus = "ok" | "okOverridden";

export type OverriddenMetadata = { message: string; overridingLayer: ConfigLayerMetadata; effectiveValue: unknown };

/** Params of `config/batchWrite`: Writes several values of the configuration file, all or none. */
export type ConfigBatchWriteParams = {
  edits: ConfigEdit[];
  filePath?: string | null;
  expectedVersion?: string | null;
  reloadUserConfig?: boolean;
};

export type ConfigEdit = { keyPath: string; value: unknown; mergeStrategy: MergeStrategy };

/** Result of `configRequirements/read`. */
export type ConfigRequirementsReadResponse = { supportsIndependentSpeedModes: boolean | null; requirements: ConfigRequirements | null };

export type ConfigRequirements = {
  modelProvider: string | null;
  modelProviders: { [key: string]: unknown } | null;
  allowedLoginMethods: ForcedLoginMethod[] | null;
  cliAuthCredentialsStore: CliAuthCredentialsStoreMode | null;
  chatgptBaseUrl: string | null;
  additionalDeveloperInstructions: string | null;
  allowedApprovalPolicies: AskForApproval[] | null;
  allowedSandboxModes: SandboxMode[] | null;
  allowedWindowsSandboxImplementations: WindowsSandboxImplementation[] | null;
  allowedPermissionProfiles: { [key: string]: boolean } | null;
  defaultPermissions: string | null;
  allowedWebSearchModes: WebSearchMode[] | null;
  allowManagedHooksOnly: boolean | null;
  allowBrowserAndComputerUse: boolean | null;
  allowAppshots: boolean | null;
  allowRemoteControl: boolean | null;
  computerUse: ComputerUseRequirements | null;
  browserUse: BrowserUseRequirements | null;
  inAppBrowser: InAppBrowserRequirements | null;
  featureRequirements: { [key: string]: boolean } | null;
  enforceResidency: ResidencyRequirement | null;
  autoReview: AutoReviewRequirements | null;
  models: ModelsRequirements | null;
  sqliteHome: string | null;
  logDir: string | null;
  modelCatalogJson: string | null;
  checkForUpdateOnStartup: boolean | null;
  allowLoginShell: boolean | null;
  feedback: FeedbackRequirements | null;
  otel: OtelRequirements | null;
};

export type CliAuthCredentialsStoreMode = "file" | "keyring" | "auto" | "ephemeral";

export type WindowsSandboxImplementation = "elevated" | "unelevated" | "mxc";

export type ComputerUseRequirements = {
  allowLockedComputerUse: boolean | null;
  allowPersistentApproval: boolean | null;
  defaultAppAccess: AllowDenyRequirement | null;
  macos: ComputerUseMacosRequirements | null;
  windows: ComputerUseWindowsRequirements | null;
};

export type ComputerUseMacosRequirements = { bundleIds: { [key: string]: AllowDenyRequirement } | null };

export type ComputerUseWindowsRequirements = {
  aumids: { [key: string]: AllowDenyRequirement } | null;
  exes: ComputerUseWindowsExeRequirement[] | null;
};

export type ComputerUseWindowsExeRequirement = {
  publisherName: string;
  productName: string;
  binaryName: string | null;
  access: AllowDenyRequirement;
};

export type BrowserUseRequirements = {
  extension: BrowserUseExtensionRequirements | null;
  allowWebmcp: boolean | null;
  allowHistoryAccess: boolean | null;
  disableAutoReview: boolean | null;
  allowGlobalPersistentApproval: boolean | null;
  defaultOriginPolicy: BrowserUseOriginPolicy | null;
  origins: { [key: string]: BrowserUseOriginPolicy } | null;
};

export type BrowserUseExtensionRequirements = { requestHeaders: RequestHeader[] | null };

export type RequestHeader = { name: string; value: string };

export type BrowserUseOriginPolicy = {
  access: AllowDenyRequirement | null;
  downloads: AllowDenyRequirement | null;
  uploads: AllowDenyRequirement | null;
  fullCdpAccess: AllowDenyRequirement | null;
  autoReview: AllowDenyRequirement | null;
  persistentApproval: boolean | null;
  accessApprovalLifetime: BrowserUseAccessApprovalLifetime | null;
};

export type BrowserUseAccessApprovalLifetime = "turn" | "thread";

export type InAppBrowserRequirements = { allowExternalBrowserSettingsImport: boolean | null };

export type ResidencyRequirement = "us";

export type AutoReviewRequirements = { requiredOnModels: string[] | null; ignoreRules: string[] | null };

export type ModelsRequirements = { newThread: NewThreadModelDefaults | null };

export type NewThreadModelDefaults = {
  model: string | null;
  modelReasoningEffort: ReasoningEffort | null;
  serviceTier: string | null;
};

export type FeedbackRequirements = { enabled: boolean | null };

export type OtelRequirements = {
  tool_result: OtelToolResultLogConfig | null;
  log_user_prompt: boolean | null;
  log_agent_responses: boolean | null;
  log_guardian_assessments: boolean | null;
  environment: string | null;
  exporter: OtelExporter | null;
  trace_exporter: OtelExporter | null;
  metrics_exporter: OtelExporter | null;
  span_attributes: { [key: string]: string } | null;
  tracestate: { [key: string]: { [key: string]: string } } | null;
};

export type OtelToolResultLogConfig = { max_bytes: number };

export type OtelExporter =
  | "none"
  | "statsig"
  | {
      "otlp-http": {
        endpoint: string;
        headers: { [key: string]: string };
        protocol: OtelHttpProtocol;
        tls: OtelTlsConfig | null;
      };
    }
  | {
      "otlp-grpc": { endpoint: string; headers: { [key: string]: string }; tls: OtelTlsConfig | null };
    };

export type OtelHttpProtocol = "binary" | "json";

export type OtelTlsConfig = {
  "ca-certificate": string | null;
  "client-certificate": string | null;
  "client-private-key": string | null;
};

/** Params of `permissionProfile/list`: Pages through the permission profiles that can be chosen. */
export type PermissionProfileListParams = { cursor?: string | null; limit?: number | null; cwd?: string | null };

/** Result of `permissionProfile/list`. */
export type PermissionProfileListResponse = { data: PermissionProfileSummary[]; nextCursor: string | null };

export type PermissionProfileSummary = { id: string; description: string | null; allowed: boolean };

/** Params of `experimentalFeature/list`: Pages through feature flags and their state. */
export type ExperimentalFeatureListParams = { cursor?: string | null; limit?: number | null; threadId?: string | null };

/** Result of `experimentalFeature/list`. */
export type ExperimentalFeatureListResponse = { data: ExperimentalFeature[]; nextCursor: string | null };

export type ExperimentalFeature = {
  name: string;
  stage: ExperimentalFeatureStage;
  displayName: string | null;
  description: string | null;
  announcement: string | null;
  enabled: boolean;
  defaultEnabled: boolean;
};

export type ExperimentalFeatureStage = "beta" | "underDevelopment" | "stable" | "deprecated" | "removed";

/** Params of `experimentalFeature/enablement/set`: Sets feature flags for this process. */
export type ExperimentalFeatureEnablementSetParams = { enablement: { [key: string]: boolean } };

/** Result of `experimentalFeature/enablement/set`. */
export type ExperimentalFeatureEnablementSetResponse = { enablement: { [key: string]: boolean } };

/** Params of `model/list`: Pages through the models that can be chosen. */
export type ModelListParams = { cursor?: string | null; limit?: number | null; includeHidden?: boolean | null };

/** Result of `model/list`. */
export type ModelListResponse = { data: Model[]; nextCursor: string | null };

export type Model = {
  id: string;
  model: string;
  upgrade: string | null;
  upgradeInfo: ModelUpgradeInfo | null;
  availabilityNux: ModelAvailabilityNux | null;
  displayName: string;
  description: string;
  modelSpecialty: string | null;
  hidden: boolean;
  supportedReasoningEfforts: ReasoningEffortOption[];
  defaultReasoningEffort: ReasoningEffort;
  inputModalities: InputModality[];
  supportsPersonality: boolean;
  multiAgentVersion: MultiAgentVersion | null;
  additionalSpeedTiers: string[];
  serviceTiers: ModelServiceTier[];
  defaultServiceTier: string | null;
  availableAccessPrograms: ModelAccessPrograms | null;
  isDefault: boolean;
};

export type ModelUpgradeInfo = {
  model: string;
  upgradeCopy: string | null;
  modelLink: string | null;
  migrationMarkdown: string | null;
  retirementAt: number | null;
};

export type ModelAvailabilityNux = { message: string };

export type ReasoningEffortOption = { reasoningEffort: ReasoningEffort; description: string };

export type InputModality = "text" | "image" | "audio";

export type MultiAgentVersion = "disabled" | "v1" | "v2";

export type ModelServiceTier = { id: string; name: string; description: string };

export type ModelAccessPrograms = { cyber: CyberAccessProgram[] };

/** Params of `modelProvider/capabilities/read`: Reads the capabilities of the configured model provider. */
export type ModelProviderCapabilitiesReadParams = Record<string, never>;

/** Result of `modelProvider/capabilities/read`. */
export type ModelProviderCapabilitiesReadResponse = { imageGeneration: boolean; webSearch: boolean };

/** Params of `mcpServer/oauth/login`: Starts the login to an MCP server in the browser. */
export type McpServerOauthLoginParams = {
  name: string;
  threadId?: string | null;
  clientRegistration?: McpServerOauthClientRegistration | null;
  scopes?: string[] | null;
  timeoutSecs?: number | null;
};

export type McpServerOauthClientRegistration = "auto" | "cimd" | "dcr";

/** Result of `mcpServer/oauth/login`. */
export type McpServerOauthLoginResponse = { authorizationUrl: string; loginId?: string };

/** Result of `config/mcpServer/reload`. */
export type McpServerRefreshResponse = Record<string, never>;

/** Params of `mcpServerStatus/list`: Pages through MCP servers with their tools, resources and login state. */
export type ListMcpServerStatusParams = {
  cursor?: string | null;
  limit?: number | null;
  detail?: McpServerStatusDetail | null;
  threadId?: string | null;
  serverName?: string | null;
};

export type McpServerStatusDetail = "full" | "toolsAndAuthOnly";

/** Result of `mcpServerStatus/list`. */
export type ListMcpServerStatusResponse = { data: McpServerStatus[]; nextCursor: string | null };

export type McpServerStatus = {
  name: string;
  runtimeStatus: McpServerConnectionStatus | null;
  pluginId: string | null;
  httpOrigin: string | null;
  serverInfo: McpServerInfo | null;
  serverCapabilities: unknown;
  toolListMeta: unknown;
  tools: { [key: string]: Tool };
  toolsError: string | null;
  resources: Resource[];
  resourceTemplates: ResourceTemplate[];
  authStatus: McpAuthStatus;
};

export type McpServerConnectionStatus =
  | "notStarted"
  | "starting"
  | "connected"
  | "authenticationRequired"
  | "failed"
  | "cancelled"
  | "disabled";

export type McpServerInfo = {
  name: string;
  title: string | null;
  version: string;
  description: string | null;
  icons: unknown[] | null;
  websiteUrl: string | null;
};

export type Tool = {
  name: string;
  title?: string;
  description?: string;
  inputSchema: unknown;
  outputSchema?: unknown;
  annotations?: unknown;
  icons?: unknown[];
  _meta?: unknown;
};

export type Resource = {
  annotations?: unknown;
  description?: string;
  mimeType?: string;
  name: string;
  size?: number;
  title?: string;
  uri: string;
  icons?: unknown[];
  _meta?: unknown;
};

export type ResourceTemplate = {
  annotations?: unknown;
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
};

export type McpAuthStatus = "unknown" | "unsupported" | "notLoggedIn" | "bearerToken" | "oAuth";

/** Params of `mcpServer/resource/read`: Reads a resource of an MCP server. */
export type McpResourceReadParams = {
  threadId?: string | null;
  originCallId?: string | null;
  server: string;
  uri: string;
  connectorId?: string | null;
  target?: McpResourceReadTarget | null;
};

export type McpResourceReadTarget = { connectorId: string; linkId: string | null };

/** Result of `mcpServer/resource/read`. */
export type McpResourceReadResponse = { contents: ResourceContent[]; originCallId: string | null };

export type ResourceContent =
  | { uri: string; mimeType?: string; text: string; _meta?: unknown }
  | { uri: string; mimeType?: string; blob: string; _meta?: unknown };

/** Params of `mcpServer/tool/call`: Calls a tool of an MCP server on behalf of a thread. */
export type McpServerToolCallParams = {
  threadId: string;
  server: string;
  tool: string;
  arguments?: unknown;
  _meta?: unknown;
};

/** Result of `mcpServer/tool/call`. */
export type McpServerToolCallResponse = { content: unknown[]; structuredContent?: unknown; isError?: boolean; _meta?: unknown };

/** Params of `skills/list`: Lists the skills that apply in given folders. */
export type SkillsListParams = { cwds?: string[]; forceReload?: boolean };

/** Result of `skills/list`. */
export type SkillsListResponse = { data: SkillsListEntry[] };

export type SkillsListEntry = { cwd: string; skills: SkillMetadata[]; errors: SkillErrorInfo[] };

export type SkillMetadata = {
  name: string;
  description: string;
  shortDescription?: string;
  interface?: SkillInterface;
  dependencies?: SkillDependencies;
  path: string;
  scope: SkillScope;
  enabled: boolean;
  pluginId: string | null;
};

export type SkillInterface = {
  displayName: string | null;
  shortDescription: string | null;
  iconSmall: string | null;
  iconLarge: string | null;
  iconSmallUrl: string | null;
  iconLargeUrl: string | null;
  brandColor: string | null;
  defaultPrompt: string | null;
};

export type SkillDependencies = { tools: SkillToolDependency[] };

export type SkillToolDependency = {
  type: string;
  value: string;
  description?: string;
  transport?: string;
  command?: string;
  url?: string;
};

export type SkillScope = "user" | "repo" | "system" | "admin";

export type SkillErrorInfo = { path: string; message: string };

/** Params of `skills/extraRoots/set`: Sets additional folders with skills. */
export type SkillsExtraRootsSetParams = { extraRoots: string[] };

/** Result of `skills/extraRoots/set`. */
export type SkillsExtraRootsSetResponse = Record<string, never>;

/** Params of `skills/config/write`: Enables or disables a skill. */
export type SkillsConfigWriteParams = { path?: string | null; name?: string | null; enabled: boolean };

/** Result of `skills/config/write`. */
export type SkillsConfigWriteResponse = { effectiveEnabled: boolean };

/** Params of `plugin/list`: Lists known plugins by marketplace. */
export type PluginListParams = {
  cwds?: string[] | null;
  marketplaceKinds?: PluginListMarketplaceKind[] | null;
  forceRefetch?: boolean;
};

export type PluginListMarketplaceKind = "local" | "vertical" | "workspace-directory" | "shared-with-me" | "created-by-me-remote";

/** Result of `plugin/list`. */
export type PluginListResponse = {
  marketplaces: PluginMarketplaceEntry[];
  marketplaceLoadErrors: MarketplaceLoadErrorInfo[];
  featuredPluginIds: string[];
};

export type PluginMarketplaceEntry = {
  name: string;
  path: string | null;
  interface: MarketplaceInterface | null;
  plugins: PluginSummary[];
};

export type MarketplaceInterface = { displayName: string | null };

export type PluginSummary = {
  id: string;
  remotePluginId: string | null;
  version: string | null;
  localVersion: string | null;
  name: string;
  shareContext: PluginShareContext | null;
  source: PluginSource;
  installed: boolean;
  installedAt: number | null;
  enabled: boolean;
  installPolicy: PluginInstallPolicy;
  installPolicySource: PluginInstallPolicySource | null;
  mustShowInstallationInterstitial: boolean | null;
  authPolicy: PluginAuthPolicy;
  availability: PluginAvailability;
  disabledReason: PluginDisabledReason | null;
  eligiblePlanTypes: string[] | null;
  interface: PluginInterface | null;
  keywords: string[];
};

export type PluginShareContext = {
  remotePluginId: string;
  remoteVersion: string | null;
  discoverability: PluginShareDiscoverability | null;
  shareUrl: string | null;
  creatorAccountUserId: string | null;
  creatorName: string | null;
  sharePrincipals: PluginSharePrincipal[] | null;
  canPublishToWorkspace: boolean | null;
};

export type PluginShareDiscoverability = "LISTED" | "UNLISTED" | "PRIVATE";

export type PluginSharePrincipal = {
  principalType: PluginSharePrincipalType;
  principalId: string;
  role: PluginSharePrincipalRole;
  name: string;
};

export type PluginSharePrincipalType = "user" | "group" | "workspace";

export type PluginSharePrincipalRole = "reader" | "editor" | "owner";

export type PluginSource =
  | { type: "local"; path: string }
  | {
      type: "git";
      url: string;
      path: string | null;
      refName: string | null;
      sha: string | null;
    }
  | { type: "npm"; package: string; version: string | null; registry: string | null }
  | { type: "remote" };

export type PluginInstallPolicy = "NOT_AVAILABLE" | "AVAILABLE" | "INSTALLED_BY_DEFAULT";

export type PluginInstallPolicySource = "WORKSPACE_SETTING" | "IMPLICIT_CANONICAL_APP";

export type PluginAuthPolicy = "ON_INSTALL" | "ON_USE";

export type PluginAvailability = "AVAILABLE" | "DISABLED_BY_ADMIN";

export type PluginDisabledReason = "disabled_by_admin" | "plan_not_eligible" | "required_app_unavailable" | "unknown";

export type PluginInterface = {
  displayName: string | null;
  shortDescription: string | null;
  longDescription: string | null;
  developerName: string | null;
  category: string | null;
  capabilities: string[];
  websiteUrl: string | null;
  privacyPolicyUrl: string | null;
  termsOfServiceUrl: string | null;
  defaultPrompt: string[] | null;
  brandColor: string | null;
  composerIcon: string | null;
  composerIconUrl: string | null;
  logo: string | null;
  logoDark: string | null;
  logoUrl: string | null;
  logoUrlDark: string | null;
  screenshots: string[];
  screenshotUrls: string[];
};

export type MarketplaceLoadErrorInfo = { marketplacePath: string; message: string };

/** Params of `app/list`: Pages through known apps. */
export type AppsListParams = {
  cursor?: string | null;
  limit?: number | null;
  threadId?: string | null;
  forceRefetch?: boolean;
};

/** Result of `app/list`. */
export type AppsListResponse = { data: AppInfo[]; nextCursor: string | null };

export type AppInfo = {
  id: string;
  name: string;
  description: string | null;
  logoUrl: string | null;
  logoUrlDark: string | null;
  iconAssets: { [key: string]: string } | null;
  iconDarkAssets: { [key: string]: string } | null;
  distributionChannel: string | null;
  branding: AppBranding | null;
  appMetadata: AppMetadata | null;
  labels: { [key: string]: string } | null;
  installUrl: string | null;
  isAccessible: boolean;
  isEnabled: boolean;
  pluginDisplayNames: string[];
};

export type AppBranding = {
  category: string | null;
  developer: string | null;
  website: string | null;
  privacyPolicy: string | null;
  termsOfService: string | null;
  isDiscoverableApp: boolean;
};

export type AppMetadata = {
  review: AppReview | null;
  categories: string[] | null;
  subCategories: string[] | null;
  seoDescription: string | null;
  screenshots: AppScreenshot[] | null;
  developer: string | null;
  version: string | null;
  versionId: string | null;
  versionNotes: string | null;
  firstPartyRequiresInstall: boolean | null;
  showInComposerWhenUnlinked: boolean | null;
};

export type AppReview = { status: string };

export type AppScreenshot = { url: string | null; fileId: string | null; userPrompt: string };

/** Params of `account/login/start`: Starts a login, or stores a key at once. */
export type LoginAccountParams =
  | { type: "apiKey"; apiKey: string }
  | {
      type: "chatgpt";
      codexStreamlinedLogin?: boolean;
      useHostedLoginSuccessPage?: boolean;
      appBrand?: LoginAppBrand | null;
    }
  | { type: "chatgptDeviceCode" };

export type LoginAppBrand = "codex" | "chatgpt";

/** Result of `account/login/start`. */
export type LoginAccountResponse =
  | { type: "apiKey" }
  | { type: "chatgpt"; loginId: string; authUrl: string }
  | {
      type: "chatgptDeviceCode";
      loginId: string;
      verificationUrl: string;
      userCode: string;
    }
  | { type: "chatgptAuthTokens" }
  | { type: "amazonBedrock" };

/** Params of `account/login/cancel`: Cancels a login. */
export type CancelLoginAccountParams = { loginId: string };

/** Result of `account/login/cancel`. */
export type CancelLoginAccountResponse = { status: CancelLoginAccountStatus };

export type CancelLoginAccountStatus = "canceled" | "notFound";

/** Result of `account/logout`. */
export type LogoutAccountResponse = Record<string, never>;

/** Params of `account/read`: Reads the account that is logged in. */
export type GetAccountParams = { refreshToken?: boolean };

/** Result of `account/read`. */
export type GetAccountResponse = { account: Account | null; requiresOpenaiAuth: boolean };

export type Account =
  | { type: "apiKey" }
  | {
      type: "chatgpt";
      email: string | null;
      planType: PlanType;
      workspaceName: string | null;
    }
  | { type: "amazonBedrock"; usesCodexManagedCredentials: boolean }
  | { type: "gcp" };

export type PlanType =
  | "free"
  | "go"
  | "plus"
  | "pro"
  | "prolite"
  | "promax"
  | "team"
  | "self_serve_business_prolite"
  | "self_serve_business_usage_based"
  | "business"
  | "ent26"
  | "enterprise_cbp_automation"
  | "enterprise_cbp_usage_based"
  | "enterprise"
  | "edu"
  | "edu_plus"
  | "edu_pro"
  | "sci"
  | "sci_plus"
  | "unknown";

/** Params of `getAuthStatus`: Reads how the server authenticates; of the first generation of the protocol. */
export type GetAuthStatusParams = { includeToken?: boolean | null; refreshToken?: boolean | null };

/** Result of `getAuthStatus`. */
export type GetAuthStatusResponse = {
  authMethod: AuthMode | null;
  authToken: string | null;
  requiresOpenaiAuth: boolean | null;
};

export type AuthMode =
  | "apikey"
  | "chatgpt"
  | "chatgptAuthTokens"
  | "headers"
  | "agentIdentity"
  | "personalAccessToken"
  | "bedrockApiKey"
  | "bedrockAccessKeys";

/** Params of `account/rateLimits/read`: Reads the usage limits of the account. */
export type GetAccountRateLimitsParams = { supportsLunaReserve?: boolean; excludeResetCreditDetails?: boolean };

/** Result of `account/rateLimits/read`. */
export type GetAccountRateLimitsResponse = {
  ordinaryUsageAllowed: boolean | null;
  rateLimits: RateLimitSnapshot;
  rateLimitsByLimitId: { [key: string]: RateLimitSnapshot } | null;
  rateLimitResetCredits: RateLimitResetCreditsSummary | null;
  accountId: string | null;
  rateLimitUpsell: unknown;
};

export type RateLimitSnapshot = {
  limitId: string | null;
  limitName: string | null;
  normalModelSlug: string | null;
  primary: RateLimitWindow | null;
  secondary: RateLimitWindow | null;
  credits: CreditsSnapshot | null;
  individualLimit: SpendControlLimitSnapshot | null;
  spendControlReached: boolean | null;
  planType: PlanType | null;
  rateLimitReachedType: RateLimitReachedType | null;
};

export type RateLimitWindow = { usedPercent: number; windowDurationMins: number | null; resetsAt: number | null };

export type CreditsSnapshot = { hasCredits: boolean; unlimited: boolean; balance: string | null };

export type SpendControlLimitSnapshot = { limit: string; used: string; remainingPercent: number; resetsAt: number };

export type RateLimitReachedType =
  | "rate_limit_reached"
  | "workspace_owner_credits_depleted"
  | "workspace_member_credits_depleted"
  | "workspace_owner_usage_limit_reached"
  | "workspace_member_usage_limit_reached";

export type RateLimitResetCreditsSummary = { availableCount: number; credits: RateLimitResetCredit[] | null };

export type RateLimitResetCredit = {
  id: string;
  resetType: RateLimitResetType;
  status: RateLimitResetCreditStatus;
  grantedAt: number;
  expiresAt: number | null;
  title: string | null;
  description: string | null;
};

export type RateLimitResetType = "codexRateLimits" | "unknown";

export type RateLimitResetCreditStatus = "available" | "redeeming" | "redeemed" | "unknown";

/** Params of `getConversationSummary`: Reads a summary of a stored thread; of the first generation of the protocol. */
export type GetConversationSummaryParams = { rolloutPath: string } | { conversationId: string };

/** Result of `getConversationSummary`. */
export type GetConversationSummaryResponse = { summary: ConversationSummary };

export type ConversationSummary = {
  conversationId: string;
  path: string;
  preview: string;
  timestamp: string | null;
  updatedAt: string | null;
  modelProvider: string;
  cwd: string;
  cliVersion: string;
  source: LegacySessionSource;
  gitInfo: ConversationGitInfo | null;
};

export type LegacySessionSource =
  | "cli"
  | "vscode"
  | "exec"
  | "mcp"
  | "unknown"
  | { custom: string }
  | { internal: InternalSessionSource }
  | { subagent: SubAgentSource };

export type InternalSessionSource = "memory_consolidation" | "guardian";

export type ConversationGitInfo = { sha: string | null; branch: string | null; origin_url: string | null };

/** Params of `gitDiffToRemote`: Reads the difference between a work tree and its remote; of the first generation of the protocol. */
export type GitDiffToRemoteParams = { cwd: string };

/** Result of `gitDiffToRemote`. */
export type GitDiffToRemoteResponse = { sha: string; diff: string };

/** Params of `item/commandExecution/requestApproval`: Requests approval of a command. */
export type CommandExecutionRequestApprovalParams = {
  kind: CommandExecutionApprovalKind;
  threadId: string;
  turnId: string;
  itemId: string;
  startedAtMs: number;
  approvalId?: string | null;
  environmentId?: string | null;
  reason?: string | null;
  networkApprovalContext?: NetworkApprovalContext | null;
  command?: string | null;
  cwd?: string | null;
  commandActions?: CommandAction[] | null;
  proposedExecpolicyAmendment?: ExecPolicyAmendment | null;
  proposedNetworkPolicyAmendments?: NetworkPolicyAmendment[] | null;
};

export type CommandExecutionApprovalKind = "command" | "writeStdin";

export type NetworkApprovalContext = { host: string; protocol: NetworkApprovalProtocol };

export type NetworkApprovalProtocol = "http" | "https" | "socks5Tcp" | "socks5Udp";

export type AdditionalNetworkPermissions = { enabled?: boolean | null };

export type AdditionalFileSystemPermissions = {
  read?: string[] | null;
  write?: string[] | null;
  globScanMaxDepth?: number | null;
  entries?: FileSystemSandboxEntry[] | null;
};

export type FileSystemSandboxEntry = { path: FileSystemPath; access: FileSystemAccessMode };

export type FileSystemPath =
  | { type: "path"; path: string }
  | { type: "glob_pattern"; pattern: string }
  | { type: "special"; value: FileSystemSpecialPath };

export type FileSystemSpecialPath =
  | { kind: "root" }
  | { kind: "minimal" }
  | { kind: "project_roots"; subpath?: string | null }
  | { kind: "tmpdir" }
  | { kind: "slash_tmp" }
  | { kind: "unknown"; path: string; subpath?: string | null };

export type FileSystemAccessMode = "read" | "write" | "deny";

export type ExecPolicyAmendment = string[];

export type NetworkPolicyAmendment = { host: string; action: NetworkPolicyRuleAction };

export type NetworkPolicyRuleAction = "allow" | "deny";

export type CommandExecutionApprovalDecision =
  | "accept"
  | "acceptForSession"
  | "decline"
  | "cancel"
  | { acceptWithExecpolicyAmendment: { execpolicy_amendment: ExecPolicyAmendment } }
  | { applyNetworkPolicyAmendment: { network_policy_amendment: NetworkPolicyAmendment } };

/** Result of `item/commandExecution/requestApproval`. */
export type CommandExecutionRequestApprovalResponse = { decision: CommandExecutionApprovalDecision };

/** Params of `item/fileChange/requestApproval`: Requests approval of file changes. */
export type FileChangeRequestApprovalParams = {
  threadId: string;
  turnId: string;
  itemId: string;
  startedAtMs: number;
  reason?: string | null;
  grantRoot?: string | null;
};

/** Result of `item/fileChange/requestApproval`. */
export type FileChangeRequestApprovalResponse = { decision: FileChangeApprovalDecision };

export type FileChangeApprovalDecision = "accept" | "acceptForSession" | "decline" | "cancel";

/** Params of `item/permissions/requestApproval`: Requests further permissions for the agent. */
export type PermissionsRequestApprovalParams = {
  threadId: string;
  turnId: string;
  itemId: string;
  environmentId: string | null;
  startedAtMs: number;
  cwd: string;
  reason: string | null;
  permissions: RequestPermissionProfile;
};

export type RequestPermissionProfile = {
  network: AdditionalNetworkPermissions | null;
  fileSystem: AdditionalFileSystemPermissions | null;
};

/** Result of `item/permissions/requestApproval`. */
export type PermissionsRequestApprovalResponse = {
  permissions: GrantedPermissionProfile;
  scope?: PermissionGrantScope;
  strictAutoReview?: boolean | null;
};

export type GrantedPermissionProfile = {
  network?: AdditionalNetworkPermissions | null;
  fileSystem?: AdditionalFileSystemPermissions | null;
};

export type PermissionGrantScope = "turn" | "session";

/** Params of `applyPatchApproval`: Requests approval of file changes; for clients of the first generation. */
export type ApplyPatchApprovalParams = {
  conversationId: string;
  callId: string;
  fileChanges: { [key: string]: FileChange };
  reason?: string | null;
  grantRoot?: string | null;
};

export type FileChange =
  | { type: "add"; content: string }
  | { type: "delete"; content: string }
  | { type: "update"; unified_diff: string; move_path: string | null };

/** Result of `applyPatchApproval`. */
export type ApplyPatchApprovalResponse = { decision: ReviewDecision };

export type ReviewDecision =
  | "approved"
  | "approved_for_session"
  | "approved_mcp_policy_amendment"
  | "denied"
  | "timed_out"
  | "abort"
  | {
      approved_execpolicy_amendment: { proposed_execpolicy_amendment: LegacyExecPolicyAmendment };
    }
  | {
      network_policy_amendment: { network_policy_amendment: LegacyNetworkPolicyAmendment };
    }
  | { denied: { rejection: string } };

export type LegacyExecPolicyAmendment = string[];

export type LegacyNetworkPolicyAmendment = { host: string; action: LegacyNetworkPolicyRuleAction };

export type LegacyNetworkPolicyRuleAction = "allow" | "deny";

/** Params of `execCommandApproval`: Requests approval of a command; for clients of the first generation. */
export type ExecCommandApprovalParams = {
  conversationId: string;
  callId: string;
  approvalId?: string | null;
  command: string[];
  cwd: string;
  reason?: string | null;
  parsedCmd: ParsedCommand[];
};

export type ParsedCommand =
  | { type: "read"; cmd: string; name: string; path: string }
  | { type: "list_files"; cmd: string; path: string | null }
  | { type: "search"; cmd: string; query: string | null; path: string | null }
  | { type: "unknown"; cmd: string };

/** Result of `execCommandApproval`. */
export type ExecCommandApprovalResponse = { decision: ReviewDecision };

/** Params of `item/tool/requestUserInput`: Questions of the agent to the user. */
export type ToolRequestUserInputParams = {
  threadId: string;
  turnId: string;
  itemId: string;
  questions: ToolRequestUserInputQuestion[];
  isBlocking: boolean;
  autoResolutionMs: number | null;
};

export type ToolRequestUserInputQuestion = {
  id: string;
  header: string;
  question: string;
  isOther: boolean;
  isSecret: boolean;
  options: ToolRequestUserInputOption[] | null;
};

export type ToolRequestUserInputOption = { label: string; description: string };

/** Result of `item/tool/requestUserInput`. */
export type ToolRequestUserInputResponse = { answers: { [key: string]: ToolRequestUserInputAnswer } };

export type ToolRequestUserInputAnswer = { answers: string[] };

/** Params of `attestation/generate`: Requests an attestation of the client for the model provider. */
export type AttestationGenerateParams = Record<string, never>;

/** Result of `attestation/generate`. */
export type AttestationGenerateResponse = { token: string };

/** Params of `item/tool/call`: Runs a tool that the client itself offers. */
export type DynamicToolCallParams = {
  threadId: string;
  turnId: string;
  callId: string;
  namespace: string | null;
  tool: string;
  arguments: unknown;
};

/** Result of `item/tool/call`. */
export type DynamicToolCallResponse = { contentItems: DynamicToolCallOutputContentItem[]; success: boolean };

/** Params of `mcpServer/elicitation/request`: A question of an MCP server to the user: a form, or a page to open. */
export type McpServerElicitationRequestParams =
  | {
      mode: "openai/userVerification";
      threadId: string;
      turnId: string | null;
      serverName: string;
      _meta: unknown;
      title: string;
      description: string;
      challenge: string;
    }
  | {
      mode: "form";
      threadId: string;
      turnId: string | null;
      serverName: string;
      _meta: unknown;
      message: string;
      requestedSchema: McpElicitationSchema;
    }
  | {
      mode: "openai/form";
      threadId: string;
      turnId: string | null;
      serverName: string;
      _meta: unknown;
      message: string;
      requestedSchema: unknown;
    }
  | {
      mode: "openaiForm";
      threadId: string;
      turnId: string | null;
      serverName: string;
      _meta: unknown;
      message: string;
      requestedSchema: unknown;
    }
  | {
      mode: "url";
      threadId: string;
      turnId: string | null;
      serverName: string;
      _meta: unknown;
      message: string;
      url: string;
      elicitationId: string;
    };

export type McpElicitationSchema = {
  $schema?: string;
  type: McpElicitationObjectType;
  properties: { [key: string]: McpElicitationPrimitiveSchema };
  required?: string[];
};

export type McpElicitationObjectType = "object";

export type McpElicitationPrimitiveSchema =
  | McpElicitationEnumSchema
  | McpElicitationStringSchema
  | McpElicitationNumberSchema
  | McpElicitationBooleanSchema;

export type McpElicitationEnumSchema =
  | McpElicitationSingleSelectEnumSchema
  | McpElicitationMultiSelectEnumSchema
  | McpElicitationLegacyTitledEnumSchema;

export type McpElicitationSingleSelectEnumSchema = McpElicitationUntitledSingleSelectEnumSchema | McpElicitationTitledSingleSelectEnumSchema;

export type McpElicitationUntitledSingleSelectEnumSchema = {
  type: McpElicitationStringType;
  title?: string;
  description?: string;
  enum: string[];
  default?: string;
};

export type McpElicitationStringType = "string";

export type McpElicitationTitledSingleSelectEnumSchema = {
  type: McpElicitationStringType;
  title?: string;
  description?: string;
  oneOf: McpElicitationConstOption[];
  default?: string;
};

export type McpElicitationConstOption = { const: string; title: string };

export type McpElicitationMultiSelectEnumSchema = McpElicitationUntitledMultiSelectEnumSchema | McpElicitationTitledMultiSelectEnumSchema;

export type McpElicitationUntitledMultiSelectEnumSchema = {
  type: McpElicitationArrayType;
  title?: string;
  description?: string;
  minItems?: number;
  maxItems?: number;
  items: McpElicitationUntitledEnumItems;
  default?: string[];
};

export type McpElicitationArrayType = "array";

export type McpElicitationUntitledEnumItems = { type: McpElicitationStringType; enum: string[] };

export type McpElicitationTitledMultiSelectEnumSchema = {
  type: McpElicitationArrayType;
  title?: string;
  description?: string;
  minItems?: number;
  maxItems?: number;
  items: McpElicitationTitledEnumItems;
  default?: string[];
};

export type McpElicitationTitledEnumItems = { anyOf: McpElicitationConstOption[] };

export type McpElicitationLegacyTitledEnumSchema = {
  type: McpElicitationStringType;
  title?: string;
  description?: string;
  enum: string[];
  enumNames?: string[];
  default?: string;
};

export type McpElicitationStringSchema = {
  type: McpElicitationStringType;
  title?: string;
  description?: string;
  minLength?: number;
  maxLength?: number;
  format?: McpElicitationStringFormat;
  default?: string;
};

export type McpElicitationStringFormat = "email" | "uri" | "date" | "date-time";

export type McpElicitationNumberSchema = {
  type: McpElicitationNumberType;
  title?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  default?: number;
};

export type McpElicitationNumberType = "number" | "integer";

export type McpElicitationBooleanSchema = {
  type: McpElicitationBooleanType;
  title?: string;
  description?: string;
  default?: boolean;
};

export type McpElicitationBooleanType = "boolean";

/** Result of `mcpServer/elicitation/request`. */
export type McpServerElicitationRequestResponse = { action: McpServerElicitationAction; content?: unknown; _meta?: unknown };

export type McpServerElicitationAction = "accept" | "decline" | "cancel";

/** Params of `account/chatgptAuthTokens/refresh`: Requests new tokens from a client that holds the login. */
export type ChatgptAuthTokensRefreshParams = { reason: ChatgptAuthTokensRefreshReason; previousAccountId?: string | null };

export type ChatgptAuthTokensRefreshReason = "unauthorized";

/** Result of `account/chatgptAuthTokens/refresh`. */
export type ChatgptAuthTokensRefreshResponse = { accessToken: string; chatgptAccountId: string; chatgptPlanType?: string | null };

/** Params of `remoteControl/status/changed`: The status of remote control changed. */
export type RemoteControlStatusChangedNotification = {
  status: RemoteControlConnectionStatus;
  serverName: string;
  installationId: string;
  environmentId: string | null;
};

export type RemoteControlConnectionStatus = "disabled" | "connecting" | "connected" | "errored";

/** Params of `warning`: A warning for the user, about a thread or about the server. */
export type WarningNotification = { threadId: string | null; message: string };

/** Params of `deprecationNotice`: The client used a deprecated feature. */
export type DeprecationNoticeNotification = { summary: string; details: string | null };

/** Params of `thread/started`: A thread was created. */
export type ThreadStartedNotification = { thread: Thread };

/** Params of `thread/status/changed`: A thread became loaded, idle, active or broken. */
export type ThreadStatusChangedNotification = { threadId: string; status: ThreadStatus };

/** Params of `thread/archived`: A thread was archived. */
export type ThreadArchivedNotification = { threadId: string };

/** Params of `thread/deleted`: A thread was deleted. */
export type ThreadDeletedNotification = { threadId: string };

/** Params of `thread/unarchived`: A thread was unarchived. */
export type ThreadUnarchivedNotification = { threadId: string };

/** Params of `thread/closed`: A thread was unloaded from memory. */
export type ThreadClosedNotification = { threadId: string };

/** Params of `thread/name/updated`: A thread has a new title. */
export type ThreadNameUpdatedNotification = { threadId: string; threadName?: string };

/** Params of `thread/tokenUsage/updated`: A model response was accounted for. */
export type ThreadTokenUsageUpdatedNotification = {
  threadId: string;
  turnId: string;
  tokenUsage: ThreadTokenUsage;
  /** The position after this event, for clients with the capability `resumableEvents`. */
  seq?: string;
};

export type ThreadTokenUsage = {
  total: TokenUsageBreakdown;
  last: TokenUsageBreakdown;
  modelContextWindow: number | null;
};

export type TokenUsageBreakdown = {
  totalTokens: number;
  inputTokens: number;
  cachedInputTokens: number;
  cacheWriteInputTokens: number;
  outputTokens: number;
  reasoningOutputTokens: number;
};

/** Params of `error`: A turn failed, or is about to retry. */
export type ErrorNotification = { error: TurnError; willRetry: boolean; threadId: string; turnId: string };

/** Params of `turn/started`: A turn began. */
export type TurnStartedNotification = {
  threadId: string;
  turn: Turn;
  /** The position after this event, for clients with the capability `resumableEvents`. */
  seq?: string;
};

/** Params of `turn/completed`: A turn ended, with any status. */
export type TurnCompletedNotification = {
  threadId: string;
  turn: Turn;
  /** The position after this event, for clients with the capability `resumableEvents`. */
  seq?: string;
};

/** Params of `turn/diff/updated`: The changes of the turn so far, as one diff. */
export type TurnDiffUpdatedNotification = { threadId: string; turnId: string; diff: string };

/** Params of `turn/plan/updated`: The plan of the turn changed. */
export type TurnPlanUpdatedNotification = { threadId: string; turnId: string; explanation: string | null; plan: TurnPlanStep[] };

export type TurnPlanStep = { step: string; status: TurnPlanStepStatus };

export type TurnPlanStepStatus = "pending" | "inProgress" | "completed";

/** Params of `item/started`: An item began. */
export type ItemStartedNotification = { item: ThreadItem; threadId: string; turnId: string; startedAtMs: number };

/** Params of `item/completed`: An item ended; this is its final state. */
export type ItemCompletedNotification = {
  item: ThreadItem;
  threadId: string;
  turnId: string;
  completedAtMs: number;
  /** The position after this event, for clients with the capability `resumableEvents`. */
  seq?: string;
};

/** Params of `rawResponseItem/completed`: A model item as it came from the provider. */
export type RawResponseItemCompletedNotification = { threadId: string; turnId: string; item: ResponseItem };

/** Params of `rawResponse/completed`: A model response ended, with its usage as the provider counts it. */
export type RawResponseCompletedNotification = {
  threadId: string;
  turnId: string;
  responseId: string;
  usage: TokenUsageBreakdown | null;
  usageMetadata: ResponseUsageMetadata | null;
};

export type ResponseUsageMetadata = { amount: string | null; metadata: unknown };

/** Params of `item/agentMessage/delta`: More text of an agent message. */
export type AgentMessageDeltaNotification = { threadId: string; turnId: string; itemId: string; delta: string };

/** Params of `item/plan/delta`: More text of a plan. */
export type PlanDeltaNotification = { threadId: string; turnId: string; itemId: string; delta: string };

/** Params of `item/commandExecution/outputDelta`: More output of a command item. */
export type CommandExecutionOutputDeltaNotification = { threadId: string; turnId: string; itemId: string; delta: string };

/** Params of `item/commandExecution/terminalInteraction`: The agent wrote to the input of a running command. */
export type TerminalInteractionNotification = {
  threadId: string;
  turnId: string;
  itemId: string;
  processId: string;
  stdin: string;
};

/** Params of `item/fileChange/outputDelta`: More output of a patch that is being applied. */
export type FileChangeOutputDeltaNotification = { threadId: string; turnId: string; itemId: string; delta: string };

/** Params of `item/fileChange/patchUpdated`: A patch that the model is still writing has grown. */
export type FileChangePatchUpdatedNotification = { threadId: string; turnId: string; itemId: string; changes: FileUpdateChange[] };

/** Params of `item/mcpToolCall/progress`: An MCP tool reported progress. */
export type McpToolCallProgressNotification = { threadId: string; turnId: string; itemId: string; message: string };

/** Params of `item/reasoning/summaryTextDelta`: More text of a reasoning summary. */
export type ReasoningSummaryTextDeltaNotification = {
  threadId: string;
  turnId: string;
  itemId: string;
  delta: string;
  summaryIndex: number;
};

/** Params of `item/reasoning/summaryPartAdded`: A new part of a reasoning summary began. */
export type ReasoningSummaryPartAddedNotification = { threadId: string; turnId: string; itemId: string; summaryIndex: number };

/** Params of `item/reasoning/textDelta`: More raw reasoning text. */
export type ReasoningTextDeltaNotification = {
  threadId: string;
  turnId: string;
  itemId: string;
  delta: string;
  contentIndex: number;
};

/** Params of `thread/goal/updated`: The goal of a thread changed. */
export type ThreadGoalUpdatedNotification = { threadId: string; turnId: string | null; goal: ThreadGoal };

/** Params of `thread/goal/cleared`: The goal of a thread was removed. */
export type ThreadGoalClearedNotification = { threadId: string };

/** Params of `hook/started`: A hook began to run. */
export type HookStartedNotification = { threadId: string; turnId: string | null; run: HookRunSummary };

/** Params of `hook/completed`: A hook ended, with its result. */
export type HookCompletedNotification = {
  threadId: string;
  turnId: string | null;
  run: HookRunSummary;
  /** The position after this event, for clients with the capability `resumableEvents`. */
  seq?: string;
};

/** Params of `serverRequest/resolved`: A request of the server no longer needs a response. */
export type ServerRequestResolvedNotification = { threadId: string; requestId: RequestId };

/** Params of `item/autoApprovalReview/started`: The automatic reviewer began the review of an action. */
export type ItemGuardianApprovalReviewStartedNotification = {
  threadId: string;
  turnId: string;
  startedAtMs: number;
  reviewId: string;
  targetItemId: string | null;
  review: GuardianApprovalReview;
  action: GuardianApprovalReviewAction;
};

export type GuardianApprovalReview = {
  status: GuardianApprovalReviewStatus;
  riskLevel: GuardianRiskLevel | null;
  userAuthorization: GuardianUserAuthorization | null;
  rationale: string | null;
};

export type GuardianApprovalReviewStatus = "inProgress" | "approved" | "denied" | "timedOut" | "aborted";

export type GuardianRiskLevel = "low" | "medium" | "high" | "critical";

export type GuardianUserAuthorization = "unknown" | "low" | "medium" | "high";

export type GuardianApprovalReviewAction =
  | { type: "command"; source: GuardianCommandSource; command: string; cwd: string }
  | {
      type: "execve";
      source: GuardianCommandSource;
      program: string;
      argv: string[];
      cwd: string;
    }
  | {
      type: "writeStdin";
      approvalId: string;
      processId: string;
      stdin: string;
      cwd: string;
    }
  | { type: "applyPatch"; cwd: string; files: string[] }
  | {
      type: "networkAccess";
      target: string;
      host: string;
      protocol: NetworkApprovalProtocol;
      port: number;
    }
  | {
      type: "mcpToolCall";
      server: string;
      toolName: string;
      connectorId: string | null;
      connectorName: string | null;
      toolTitle: string | null;
    }
  | {
      type: "requestPermissions";
      reason: string | null;
      permissions: RequestPermissionProfile;
    };

export type GuardianCommandSource = "shell" | "unifiedExec";

/** Params of `item/autoApprovalReview/completed`: The automatic reviewer decided about an action. */
export type ItemGuardianApprovalReviewCompletedNotification = {
  threadId: string;
  turnId: string;
  startedAtMs: number;
  completedAtMs: number;
  reviewId: string;
  targetItemId: string | null;
  decisionSource: AutoReviewDecisionSource;
  review: GuardianApprovalReview;
  action: GuardianApprovalReviewAction;
};

export type AutoReviewDecisionSource = "agent";

/** Params of `guardianWarning`: A warning of the automatic reviewer for the user. */
export type GuardianWarningNotification = { threadId: string; message: string };

/** Params of `thread/compacted`: The history was replaced by a summary; of an earlier protocol, see the contextCompaction item. */
export type ContextCompactedNotification = { threadId: string; turnId: string };

/** Params of `fs/changed`: Something changed at a watched path. */
export type FsChangedNotification = { watchId: string; changedPaths: string[] };

/** Params of `fuzzyFileSearch/sessionUpdated`: The results of a file search for its latest query. */
export type FuzzyFileSearchSessionUpdatedNotification = { sessionId: string; query: string; files: FuzzyFileSearchResult[] };

/** Params of `fuzzyFileSearch/sessionCompleted`: A file search is complete. */
export type FuzzyFileSearchSessionCompletedNotification = { sessionId: string };

/** Params of `command/exec/outputDelta`: More output of a command that the client runs. */
export type CommandExecOutputDeltaNotification = {
  processId: string;
  stream: CommandExecOutputStream;
  deltaBase64: string;
  capReached: boolean;
};

export type CommandExecOutputStream = "stdout" | "stderr";

/** Params of `configWarning`: The configuration has a problem that does not stop the server. */
export type ConfigWarningNotification = { summary: string; details: string | null; path?: string; range?: TextRange };

export type TextRange = { start: TextPosition; end: TextPosition };

export type TextPosition = { line: number; column: number };

/** Params of `model/rerouted`: The provider answered with another model than the one asked for. */
export type ModelReroutedNotification = {
  threadId: string;
  turnId: string;
  fromModel: string;
  toModel: string;
  reason: ModelRerouteReason;
};

export type ModelRerouteReason = "highRiskCyberActivity";

/** Params of `model/verification`: The provider wants the account verified. */
export type ModelVerificationNotification = { threadId: string; turnId: string; verifications: ModelVerification[] };

export type ModelVerification = "trustedAccessForCyber";

/** Params of `modelProvider/authRecoveryStarted`: The model provider refused the credentials and they are being renewed. */
export type AuthRecoveryNotification = { threadId: string; turnId: string; provider: string; message: string };

/** Params of `model/safetyBuffering/updated`: The provider holds back output while it checks it. */
export type ModelSafetyBufferingUpdatedNotification = {
  threadId: string;
  turnId: string;
  model: string;
  useCases: string[];
  reasons: string[];
  showBufferingUi: boolean;
  fasterModel: string | null;
};

/** Params of `mcpServer/oauthLogin/completed`: A login to an MCP server ended. */
export type McpServerOauthLoginCompletedNotification = {
  name: string;
  threadId: string | null;
  loginId?: string | null;
  success: boolean;
  error?: string;
};

/** Params of `mcpServer/startupStatus/updated`: An MCP server is starting, ready or failed. */
export type McpServerStatusUpdatedNotification = {
  threadId: string | null;
  name: string;
  status: McpServerStartupState;
  error: string | null;
  failureReason: McpServerStartupFailureReason | null;
};

export type McpServerStartupState = "starting" | "ready" | "failed" | "cancelled";

export type McpServerStartupFailureReason = "reauthenticationRequired";

/** Params of `skills/changed`: The skills on disk changed; list them again. */
export type SkillsChangedNotification = Record<string, never>;

/** Params of `app/list/updated`: The known apps changed. */
export type AppListUpdatedNotification = { data: AppInfo[] };

/** Params of `account/updated`: The login state or plan changed. */
export type AccountUpdatedNotification = { authMode: AuthMode | null; planType: PlanType | null };

/** Params of `account/login/completed`: A login ended. */
export type AccountLoginCompletedNotification = {
  loginId: string | null;
  success: boolean;
  error: string | null;
  onboardingEntrypoint: DesktopOnboardingEntrypoint | null;
};

export type DesktopOnboardingEntrypoint = "life_sciences";

/** Params of `account/rateLimits/updated`: The usage limits of the account changed. */
export type AccountRateLimitsUpdatedNotification = { rateLimits: RateLimitSnapshot };

/** What a client can ask of the server. */
export type ClientRequests = {
  /** Initializes a connection with the client's name, capabilities and excluded notifications. */
  initialize: { params: InitializeParams; result: InitializeResponse };
  /** Creates a thread and subscribes the caller to it. */
  "thread/start": { params: ThreadStartParams; result: ThreadStartResponse };
  /** Loads a stored thread, or joins a loaded one, and subscribes the caller to it. */
  "thread/resume": { params: ThreadResumeParams; result: ThreadResumeResponse };
  /** Creates a thread whose history begins as a copy of another's. */
  "thread/fork": { params: ThreadForkParams; result: ThreadForkResponse };
  /** Hides a thread from lists without deleting it. */
  "thread/archive": { params: ThreadArchiveParams; result: ThreadArchiveResponse };
  /** Brings an archived thread back into lists. */
  "thread/unarchive": { params: ThreadUnarchiveParams; result: ThreadUnarchiveResponse };
  /** Deletes a thread and its history permanently. */
  "thread/delete": { params: ThreadDeleteParams; result: ThreadDeleteResponse };
  /** Stops the caller's notifications about a thread. */
  "thread/unsubscribe": { params: ThreadUnsubscribeParams; result: ThreadUnsubscribeResponse };
  /** Gives a thread a title. */
  "thread/name/set": { params: ThreadSetNameParams; result: ThreadSetNameResponse };
  /** Changes the metadata of a thread. */
  "thread/metadata/update": { params: ThreadMetadataUpdateParams; result: ThreadMetadataUpdateResponse };
  /** Pages through stored threads. */
  "thread/list": { params: ThreadListParams; result: ThreadListResponse };
  /** Pages through the ids of the threads in memory. */
  "thread/loaded/list": { params: ThreadLoadedListParams; result: ThreadLoadedListResponse };
  /** Reads a thread without subscribing to it. */
  "thread/read": { params: ThreadReadParams; result: ThreadReadResponse };
  /** Takes a thread back to the state before one of its turns. */
  "thread/revert": { params: ThreadRevertParams; result: ThreadRevertResponse };
  /** Pages through the turns of a thread. */
  "thread/turns/list": { params: ThreadTurnsListParams; result: ThreadTurnsListResponse };
  /** Pages through the items of a thread or of one turn. */
  "thread/items/list": { params: ThreadItemsListParams; result: ThreadItemsListResponse };
  /** Appends raw model items to the history without starting a turn. */
  "thread/inject_items": { params: ThreadInjectItemsParams; result: ThreadInjectItemsResponse };
  /** Starts a turn with the user's input; if a turn is running, the input is added to it. */
  "turn/start": { params: TurnStartParams; result: TurnStartResponse };
  /** Adds input to the running turn. */
  "turn/steer": { params: TurnSteerParams; result: TurnSteerResponse };
  /** Stops the running turn. */
  "turn/interrupt": { params: TurnInterruptParams; result: TurnInterruptResponse };
  /** Starts a review of changes, in the thread or in a new one. */
  "review/start": { params: ReviewStartParams; result: ReviewStartResponse };
  /** Creates or changes the goal that a thread works towards. */
  "thread/goal/set": { params: ThreadGoalSetParams; result: ThreadGoalSetResponse };
  /** Reads the goal of a thread. */
  "thread/goal/get": { params: ThreadGoalGetParams; result: ThreadGoalGetResponse };
  /** Removes the goal of a thread. */
  "thread/goal/clear": { params: ThreadGoalClearParams; result: ThreadGoalClearResponse };
  /** Lists the hooks that apply in given folders, with their trust and any problems. */
  "hooks/list": { params: HooksListParams; result: HooksListResponse };
  /** Starts a turn that replaces the history by a summary. */
  "thread/compact/start": { params: ThreadCompactStartParams; result: ThreadCompactStartResponse };
  /** Runs a command of the user, outside the sandbox, and shows it to the model. */
  "thread/shellCommand": { params: ThreadShellCommandParams; result: ThreadShellCommandResponse };
  /** Allows an action that the automatic reviewer refused. */
  "thread/approveGuardianDeniedAction": { params: ThreadApproveGuardianDeniedActionParams; result: ThreadApproveGuardianDeniedActionResponse };
  /** Reads a file of the server's machine. */
  "fs/readFile": { params: FsReadFileParams; result: FsReadFileResponse };
  /** Writes a file of the server's machine. */
  "fs/writeFile": { params: FsWriteFileParams; result: FsWriteFileResponse };
  /** Creates a folder, by default with its parents. */
  "fs/createDirectory": { params: FsCreateDirectoryParams; result: FsCreateDirectoryResponse };
  /** Reads the kind and the times of a path. */
  "fs/getMetadata": { params: FsGetMetadataParams; result: FsGetMetadataResponse };
  /** Lists the direct children of a folder. */
  "fs/readDirectory": { params: FsReadDirectoryParams; result: FsReadDirectoryResponse };
  /** Removes a file or folder. */
  "fs/remove": { params: FsRemoveParams; result: FsRemoveResponse };
  /** Copies a file or folder. */
  "fs/copy": { params: FsCopyParams; result: FsCopyResponse };
  /** Starts to report changes at a path. */
  "fs/watch": { params: FsWatchParams; result: FsWatchResponse };
  /** Stops to report changes. */
  "fs/unwatch": { params: FsUnwatchParams; result: FsUnwatchResponse };
  /** Finds files whose path resembles a text. */
  fuzzyFileSearch: { params: FuzzyFileSearchParams; result: FuzzyFileSearchResponse };
  /** Runs one command in the sandbox and responds when it has ended. */
  "command/exec": { params: CommandExecParams; result: CommandExecResponse };
  /** Writes to the input of a running command. */
  "command/exec/write": { params: CommandExecWriteParams; result: CommandExecWriteResponse };
  /** Stops a running command. */
  "command/exec/terminate": { params: CommandExecTerminateParams; result: CommandExecTerminateResponse };
  /** Changes the terminal size of a running command. */
  "command/exec/resize": { params: CommandExecResizeParams; result: CommandExecResizeResponse };
  /** Reads the effective configuration and where each value comes from. */
  "config/read": { params: ConfigReadParams; result: ConfigReadResponse };
  /** Writes one value of the configuration file. */
  "config/value/write": { params: ConfigValueWriteParams; result: ConfigWriteResponse };
  /** Writes several values of the configuration file, all or none. */
  "config/batchWrite": { params: ConfigBatchWriteParams; result: ConfigWriteResponse };
  /** Reads the administrator's requirements for the configuration. */
  "configRequirements/read": { params: undefined; result: ConfigRequirementsReadResponse };
  /** Pages through the permission profiles that can be chosen. */
  "permissionProfile/list": { params: PermissionProfileListParams; result: PermissionProfileListResponse };
  /** Pages through feature flags and their state. */
  "experimentalFeature/list": { params: ExperimentalFeatureListParams; result: ExperimentalFeatureListResponse };
  /** Sets feature flags for this process. */
  "experimentalFeature/enablement/set": { params: ExperimentalFeatureEnablementSetParams; result: ExperimentalFeatureEnablementSetResponse };
  /** Pages through the models that can be chosen. */
  "model/list": { params: ModelListParams; result: ModelListResponse };
  /** Reads the capabilities of the configured model provider. */
  "modelProvider/capabilities/read": { params: ModelProviderCapabilitiesReadParams; result: ModelProviderCapabilitiesReadResponse };
  /** Starts the login to an MCP server in the browser. */
  "mcpServer/oauth/login": { params: McpServerOauthLoginParams; result: McpServerOauthLoginResponse };
  /** Reads the MCP servers from the configuration again. */
  "config/mcpServer/reload": { params: undefined; result: McpServerRefreshResponse };
  /** Pages through MCP servers with their tools, resources and login state. */
  "mcpServerStatus/list": { params: ListMcpServerStatusParams; result: ListMcpServerStatusResponse };
  /** Reads a resource of an MCP server. */
  "mcpServer/resource/read": { params: McpResourceReadParams; result: McpResourceReadResponse };
  /** Calls a tool of an MCP server on behalf of a thread. */
  "mcpServer/tool/call": { params: McpServerToolCallParams; result: McpServerToolCallResponse };
  /** Lists the skills that apply in given folders. */
  "skills/list": { params: SkillsListParams; result: SkillsListResponse };
  /** Sets additional folders with skills. */
  "skills/extraRoots/set": { params: SkillsExtraRootsSetParams; result: SkillsExtraRootsSetResponse };
  /** Enables or disables a skill. */
  "skills/config/write": { params: SkillsConfigWriteParams; result: SkillsConfigWriteResponse };
  /** Lists known plugins by marketplace. */
  "plugin/list": { params: PluginListParams; result: PluginListResponse };
  /** Pages through known apps. */
  "app/list": { params: AppsListParams; result: AppsListResponse };
  /** Starts a login, or stores a key at once. */
  "account/login/start": { params: LoginAccountParams; result: LoginAccountResponse };
  /** Cancels a login. */
  "account/login/cancel": { params: CancelLoginAccountParams; result: CancelLoginAccountResponse };
  /** Deletes the stored credentials. */
  "account/logout": { params: undefined; result: LogoutAccountResponse };
  /** Reads the account that is logged in. */
  "account/read": { params: GetAccountParams; result: GetAccountResponse };
  /** Reads how the server authenticates; of the first generation of the protocol. */
  getAuthStatus: { params: GetAuthStatusParams; result: GetAuthStatusResponse };
  /** Reads the usage limits of the account. */
  "account/rateLimits/read": { params: GetAccountRateLimitsParams | undefined; result: GetAccountRateLimitsResponse };
  /** Reads a summary of a stored thread; of the first generation of the protocol. */
  getConversationSummary: { params: GetConversationSummaryParams; result: GetConversationSummaryResponse };
  /** Reads the difference between a work tree and its remote; of the first generation of the protocol. */
  gitDiffToRemote: { params: GitDiffToRemoteParams; result: GitDiffToRemoteResponse };
};

/** What the server can ask of a client. */
export type ServerRequests = {
  /** Requests approval of a command. */
  "item/commandExecution/requestApproval": { params: CommandExecutionRequestApprovalParams; result: CommandExecutionRequestApprovalResponse };
  /** Requests approval of file changes. */
  "item/fileChange/requestApproval": { params: FileChangeRequestApprovalParams; result: FileChangeRequestApprovalResponse };
  /** Requests further permissions for the agent. */
  "item/permissions/requestApproval": { params: PermissionsRequestApprovalParams; result: PermissionsRequestApprovalResponse };
  /** Requests approval of file changes; for clients of the first generation. */
  applyPatchApproval: { params: ApplyPatchApprovalParams; result: ApplyPatchApprovalResponse };
  /** Requests approval of a command; for clients of the first generation. */
  execCommandApproval: { params: ExecCommandApprovalParams; result: ExecCommandApprovalResponse };
  /** Questions of the agent to the user. */
  "item/tool/requestUserInput": { params: ToolRequestUserInputParams; result: ToolRequestUserInputResponse };
  /** Requests an attestation of the client for the model provider. */
  "attestation/generate": { params: AttestationGenerateParams; result: AttestationGenerateResponse };
  /** Runs a tool that the client itself offers. */
  "item/tool/call": { params: DynamicToolCallParams; result: DynamicToolCallResponse };
  /** A question of an MCP server to the user: a form, or a page to open. */
  "mcpServer/elicitation/request": { params: McpServerElicitationRequestParams; result: McpServerElicitationRequestResponse };
  /** Requests new tokens from a client that holds the login. */
  "account/chatgptAuthTokens/refresh": { params: ChatgptAuthTokensRefreshParams; result: ChatgptAuthTokensRefreshResponse };
};

/** What the server tells its clients. */
export type ServerNotifications = {
  /** The status of remote control changed. */
  "remoteControl/status/changed": RemoteControlStatusChangedNotification;
  /** A warning for the user, about a thread or about the server. */
  warning: WarningNotification;
  /** The client used a deprecated feature. */
  deprecationNotice: DeprecationNoticeNotification;
  /** A thread was created. */
  "thread/started": ThreadStartedNotification;
  /** A thread became loaded, idle, active or broken. */
  "thread/status/changed": ThreadStatusChangedNotification;
  /** A thread was archived. */
  "thread/archived": ThreadArchivedNotification;
  /** A thread was deleted. */
  "thread/deleted": ThreadDeletedNotification;
  /** A thread was unarchived. */
  "thread/unarchived": ThreadUnarchivedNotification;
  /** A thread was unloaded from memory. */
  "thread/closed": ThreadClosedNotification;
  /** A thread has a new title. */
  "thread/name/updated": ThreadNameUpdatedNotification;
  /** A model response was accounted for. */
  "thread/tokenUsage/updated": ThreadTokenUsageUpdatedNotification;
  /** A turn failed, or is about to retry. */
  error: ErrorNotification;
  /** A turn began. */
  "turn/started": TurnStartedNotification;
  /** A turn ended, with any status. */
  "turn/completed": TurnCompletedNotification;
  /** The changes of the turn so far, as one diff. */
  "turn/diff/updated": TurnDiffUpdatedNotification;
  /** The plan of the turn changed. */
  "turn/plan/updated": TurnPlanUpdatedNotification;
  /** An item began. */
  "item/started": ItemStartedNotification;
  /** An item ended; this is its final state. */
  "item/completed": ItemCompletedNotification;
  /** A model item as it came from the provider. */
  "rawResponseItem/completed": RawResponseItemCompletedNotification;
  /** A model response ended, with its usage as the provider counts it. */
  "rawResponse/completed": RawResponseCompletedNotification;
  /** More text of an agent message. */
  "item/agentMessage/delta": AgentMessageDeltaNotification;
  /** More text of a plan. */
  "item/plan/delta": PlanDeltaNotification;
  /** More output of a command item. */
  "item/commandExecution/outputDelta": CommandExecutionOutputDeltaNotification;
  /** The agent wrote to the input of a running command. */
  "item/commandExecution/terminalInteraction": TerminalInteractionNotification;
  /** More output of a patch that is being applied. */
  "item/fileChange/outputDelta": FileChangeOutputDeltaNotification;
  /** A patch that the model is still writing has grown. */
  "item/fileChange/patchUpdated": FileChangePatchUpdatedNotification;
  /** An MCP tool reported progress. */
  "item/mcpToolCall/progress": McpToolCallProgressNotification;
  /** More text of a reasoning summary. */
  "item/reasoning/summaryTextDelta": ReasoningSummaryTextDeltaNotification;
  /** A new part of a reasoning summary began. */
  "item/reasoning/summaryPartAdded": ReasoningSummaryPartAddedNotification;
  /** More raw reasoning text. */
  "item/reasoning/textDelta": ReasoningTextDeltaNotification;
  /** The goal of a thread changed. */
  "thread/goal/updated": ThreadGoalUpdatedNotification;
  /** The goal of a thread was removed. */
  "thread/goal/cleared": ThreadGoalClearedNotification;
  /** A hook began to run. */
  "hook/started": HookStartedNotification;
  /** A hook ended, with its result. */
  "hook/completed": HookCompletedNotification;
  /** A request of the server no longer needs a response. */
  "serverRequest/resolved": ServerRequestResolvedNotification;
  /** The automatic reviewer began the review of an action. */
  "item/autoApprovalReview/started": ItemGuardianApprovalReviewStartedNotification;
  /** The automatic reviewer decided about an action. */
  "item/autoApprovalReview/completed": ItemGuardianApprovalReviewCompletedNotification;
  /** A warning of the automatic reviewer for the user. */
  guardianWarning: GuardianWarningNotification;
  /** The history was replaced by a summary; of an earlier protocol, see the contextCompaction item. */
  "thread/compacted": ContextCompactedNotification;
  /** Something changed at a watched path. */
  "fs/changed": FsChangedNotification;
  /** The results of a file search for its latest query. */
  "fuzzyFileSearch/sessionUpdated": FuzzyFileSearchSessionUpdatedNotification;
  /** A file search is complete. */
  "fuzzyFileSearch/sessionCompleted": FuzzyFileSearchSessionCompletedNotification;
  /** More output of a command that the client runs. */
  "command/exec/outputDelta": CommandExecOutputDeltaNotification;
  /** The configuration has a problem that does not stop the server. */
  configWarning: ConfigWarningNotification;
  /** The provider answered with another model than the one asked for. */
  "model/rerouted": ModelReroutedNotification;
  /** The provider wants the account verified. */
  "model/verification": ModelVerificationNotification;
  /** The model provider refused the credentials and they are being renewed. */
  "modelProvider/authRecoveryStarted": AuthRecoveryNotification;
  /** Renewing the credentials of the model provider ended. */
  "modelProvider/authRecoveryCompleted": AuthRecoveryNotification;
  /** The provider holds back output while it checks it. */
  "model/safetyBuffering/updated": ModelSafetyBufferingUpdatedNotification;
  /** A login to an MCP server ended. */
  "mcpServer/oauthLogin/completed": McpServerOauthLoginCompletedNotification;
  /** An MCP server is starting, ready or failed. */
  "mcpServer/startupStatus/updated": McpServerStatusUpdatedNotification;
  /** The skills on disk changed; list them again. */
  "skills/changed": SkillsChangedNotification;
  /** The known apps changed. */
  "app/list/updated": AppListUpdatedNotification;
  /** The login state or plan changed. */
  "account/updated": AccountUpdatedNotification;
  /** A login ended. */
  "account/login/completed": AccountLoginCompletedNotification;
  /** The usage limits of the account changed. */
  "account/rateLimits/updated": AccountRateLimitsUpdatedNotification;
};
