// Generated from src/protocol/rows by `npm run generate`. Do not edit.

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

/** Params of `server/diagnostics`: Reads the resource usage of the server process. */
export type ServerDiagnosticsParams = Record<string, never>;

/** Result of `server/diagnostics`. */
export type ServerDiagnosticsResponse = { process: ServerDiagnosticsProcess; gauges: ServerDiagnosticsGauge[] };

export type ServerDiagnosticsProcess = { id: number; residentMemoryBytes: number | null; physicalFootprintBytes: number | null };

export type ServerDiagnosticsGauge = { name: string; value: number };

/** Params of `thread/start`: Creates a thread and subscribes the caller to it. */
export type ThreadStartParams = {
  model?: string | null;
  modelProvider?: string | null;
  /** @experimental */
  allowProviderModelFallback?: boolean;
  serviceTier?: string | null;
  cwd?: string | null;
  /** @experimental */
  runtimeWorkspaceRoots?: string[] | null;
  approvalPolicy?: AskForApproval | null;
  approvalsReviewer?: ApprovalsReviewer | null;
  sandbox?: SandboxMode | null;
  /** @experimental */
  permissions?: string | null;
  config?: { [key: string]: unknown } | null;
  serviceName?: string | null;
  baseInstructions?: string | null;
  developerInstructions?: string | null;
  personality?: Personality | null;
  /** @experimental */
  multiAgentMode?: MultiAgentMode | null;
  ephemeral?: boolean | null;
  /** @experimental */
  historyMode?: ThreadHistoryMode | null;
  sessionStartSource?: ThreadStartSource | null;
  threadSource?: ThreadSource | null;
  /** @experimental */
  projectId?: string | null;
  /** @experimental */
  daybreakEnabled?: boolean | null;
  /** @experimental */
  environments?: TurnEnvironmentParams[] | null;
  /** @experimental */
  dynamicTools?: Array<DynamicToolSpec | LegacyDynamicToolSpec> | null;
  /** @experimental */
  selectedCapabilityRoots?: SelectedCapabilityRoot[] | null;
  /** @experimental */
  mockExperimentalField?: string | null;
  /** @experimental */
  experimentalRawEvents?: boolean;
};

export type AskForApproval =
  | "untrusted"
  | "on-request"
  | "never"
  | {
      /** @experimental */
      granular: {
        sandbox_approval: boolean;
        rules: boolean;
        skill_approval?: boolean;
        request_permissions?: boolean;
        mcp_elicitations: boolean;
      };
    };

export type ApprovalsReviewer = "user" | "auto_review" | "guardian_subagent";

export type SandboxMode = "read-only" | "workspace-write" | "danger-full-access";

export type Personality = "none" | "friendly" | "pragmatic";

export type MultiAgentMode = "none" | "explicitRequestOnly" | "proactive" | { custom: string };

export type ThreadHistoryMode = "legacy" | "paginated";

export type ThreadStartSource = "startup" | "clear";

export type ThreadSource = string;

export type TurnEnvironmentParams = { environmentId: string; cwd: string; runtimeWorkspaceRoots?: string[] | null };

export type DynamicToolSpec =
  | {
      type: "function";
      name: string;
      description: string;
      inputSchema: unknown;
      deferLoading?: boolean;
    }
  | {
      type: "namespace";
      name: string;
      description: string;
      tools: DynamicToolNamespaceTool[];
    };

export type DynamicToolNamespaceTool =
  | {
      type: "function";
      name: string;
      description: string;
      inputSchema: unknown;
      deferLoading?: boolean;
    };

/** A tool as older clients describe it. */
export type LegacyDynamicToolSpec = {
  namespace?: string | null;
  name: string;
  description: string;
  inputSchema: unknown;
  deferLoading?: boolean | null;
  exposeToContext?: boolean | null;
};

export type SelectedCapabilityRoot = { id: string; location: CapabilityRootLocation };

export type CapabilityRootLocation = { type: "environment"; environmentId: string; path: string };

/** Result of `thread/start`. */
export type ThreadStartResponse = {
  thread: Thread;
  model: string;
  modelProvider: string;
  serviceTier: string | null;
  disabledPluginIds: string[];
  cwd: string;
  /** @experimental */
  runtimeWorkspaceRoots: string[];
  instructionSources: string[];
  approvalPolicy: AskForApproval;
  approvalsReviewer: ApprovalsReviewer;
  sandbox: SandboxPolicy;
  /** @experimental */
  activePermissionProfile: ActivePermissionProfile | null;
  reasoningEffort: ReasoningEffort | null;
  /** @experimental */
  multiAgentMode: MultiAgentMode;
};

export type Thread = {
  id: string;
  /** @experimental */
  environments: ThreadEnvironment[] | null;
  /** @experimental */
  extra: ThreadExtra | null;
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
  /** @experimental */
  canAcceptDirectInput: boolean | null;
  threadSource: ThreadSource | null;
  agentNickname: string | null;
  agentRole: string | null;
  gitInfo: GitInfo | null;
  name: string | null;
  /** @experimental */
  daybreakEnabled: boolean | null;
  /** What the turn in progress waits for; absent if it waits for nothing that outlives the server. */
  waiting?: ThreadWaiting | null;
  turns: Turn[];
};

export type ThreadEnvironment = { environmentId: string; cwd: string; runtimeWorkspaceRoots: string[] };

export type ThreadExtra = Record<string, never>;

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

export type ActivePermissionProfile = { id: string; extends: string | null };

/** Params of `thread/resume`: Loads a stored thread, or joins a loaded one, and subscribes the caller to it. */
export type ThreadResumeParams = {
  threadId: string;
  /** @experimental */
  history?: ResponseItem[] | null;
  /** @experimental */
  path?: string | null;
  model?: string | null;
  modelProvider?: string | null;
  serviceTier?: string | null;
  cwd?: string | null;
  /** @experimental */
  runtimeWorkspaceRoots?: string[] | null;
  approvalPolicy?: AskForApproval | null;
  approvalsReviewer?: ApprovalsReviewer | null;
  sandbox?: SandboxMode | null;
  /** @experimental */
  permissions?: string | null;
  config?: { [key: string]: unknown } | null;
  baseInstructions?: string | null;
  developerInstructions?: string | null;
  personality?: Personality | null;
  excludeTurns?: boolean;
  /** @experimental */
  initialTurnsPage?: ThreadResumeInitialTurnsPageParams | null;
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

export type ThreadResumeInitialTurnsPageParams = {
  limit?: number | null;
  sortDirection?: SortDirection | null;
  itemsView?: TurnItemsView | null;
};

export type SortDirection = "asc" | "desc";

/** Result of `thread/resume`. */
export type ThreadResumeResponse = {
  thread: Thread;
  model: string;
  modelProvider: string;
  serviceTier: string | null;
  disabledPluginIds: string[];
  cwd: string;
  /** @experimental */
  runtimeWorkspaceRoots: string[];
  instructionSources: string[];
  approvalPolicy: AskForApproval;
  approvalsReviewer: ApprovalsReviewer;
  sandbox: SandboxPolicy;
  /** @experimental */
  activePermissionProfile: ActivePermissionProfile | null;
  reasoningEffort: ReasoningEffort | null;
  collaborationMode: CollaborationMode | null;
  /** @experimental */
  multiAgentMode: MultiAgentMode;
  /** @experimental */
  initialTurnsPage: TurnsPage | null;
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

export type TurnsPage = { data: Turn[]; nextCursor: string | null; backwardsCursor: string | null };

/** Params of `thread/fork`: Creates a thread whose history begins as a copy of another's. */
export type ThreadForkParams = {
  threadId: string;
  /** @experimental */
  experimentalPredictionMode?: boolean;
  /** @experimental */
  experimentalDisablePredictionMcp?: boolean;
  lastTurnId?: string | null;
  /** @experimental */
  beforeTurnId?: string | null;
  /** @experimental */
  path?: string | null;
  model?: string | null;
  modelProvider?: string | null;
  serviceTier?: string | null;
  cwd?: string | null;
  /** @experimental */
  runtimeWorkspaceRoots?: string[] | null;
  approvalPolicy?: AskForApproval | null;
  approvalsReviewer?: ApprovalsReviewer | null;
  sandbox?: SandboxMode | null;
  /** @experimental */
  permissions?: string | null;
  config?: { [key: string]: unknown } | null;
  baseInstructions?: string | null;
  developerInstructions?: string | null;
  ephemeral?: boolean;
  /** @experimental */
  attachToSource?: boolean;
  threadSource?: ThreadSource | null;
  excludeTurns?: boolean;
  /** @experimental */
  deferGoalContinuation?: boolean;
};

/** Result of `thread/fork`. */
export type ThreadForkResponse = {
  thread: Thread;
  model: string;
  modelProvider: string;
  serviceTier: string | null;
  disabledPluginIds: string[];
  cwd: string;
  /** @experimental */
  runtimeWorkspaceRoots: string[];
  instructionSources: string[];
  approvalPolicy: AskForApproval;
  approvalsReviewer: ApprovalsReviewer;
  sandbox: SandboxPolicy;
  /** @experimental */
  activePermissionProfile: ActivePermissionProfile | null;
  reasoningEffort: ReasoningEffort | null;
  /** @experimental */
  multiAgentMode: MultiAgentMode;
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
export type ThreadMetadataUpdateParams = {
  threadId: string;
  /** @experimental */
  projectId?: string | null;
  gitInfo?: ThreadMetadataGitInfoUpdateParams | null;
  /** @experimental */
  daybreakEnabled?: boolean | null;
};

export type ThreadMetadataGitInfoUpdateParams = { sha?: string | null; branch?: string | null; originUrl?: string | null };

/** Result of `thread/metadata/update`. */
export type ThreadMetadataUpdateResponse = { thread: Thread };

/** Params of `thread/memoryMode/set`: Chooses whether a thread may feed and use memory. */
export type ThreadMemoryModeSetParams = { threadId: string; mode: ThreadMemoryMode };

export type ThreadMemoryMode = "enabled" | "disabled";

/** Result of `thread/memoryMode/set`. */
export type ThreadMemoryModeSetResponse = Record<string, never>;

/** Params of `thread/settings/update`: Changes the settings that later turns of a thread start with. */
export type ThreadSettingsUpdateParams = {
  threadId: string;
  disabledPluginIds?: string[] | null;
  cwd?: string | null;
  approvalPolicy?: AskForApproval | null;
  approvalsReviewer?: ApprovalsReviewer | null;
  sandboxPolicy?: SandboxPolicy | null;
  permissions?: string | null;
  model?: string | null;
  serviceTier?: string | null;
  effort?: ReasoningEffort | null;
  summary?: ReasoningSummary | null;
  collaborationMode?: CollaborationMode | null;
  multiAgentMode?: MultiAgentMode | null;
  personality?: Personality | null;
};

export type ReasoningSummary = "auto" | "concise" | "detailed" | "none";

/** Result of `thread/settings/update`. */
export type ThreadSettingsUpdateResponse = Record<string, never>;

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
  /** @experimental */
  projectId?: string | null;
  cwd?: ThreadListCwdFilter | null;
  useStateDbOnly?: boolean;
  searchTerm?: string | null;
  /** @experimental */
  parentThreadId?: string | null;
  /** @experimental */
  ancestorThreadId?: string | null;
  /** @experimental */
  attachedToThreadId?: string | null;
  /** Whether the response has `summaries`. @experimental */
  withSummaries?: boolean | null;
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
export type ThreadListResponse = {
  data: Thread[];
  /** @experimental */
  readStates: { [key: string]: ThreadReadState } | null;
  /** By thread id, where `withSummaries` asks for them. @experimental */
  summaries?: { [key: string]: ThreadSummary };
  nextCursor: string | null;
  backwardsCursor: string | null;
};

export type ThreadReadState = { firstUnread: ThreadUnreadPosition | null; revision: string };

export type ThreadUnreadPosition = { type: "threadStart" } | { type: "turn"; turnId: string };

/** What a list shows of a thread. `readState` is null for threads that no user reads; `cost` is that of its tokens at the price of its present model, null without a price. */
export type ThreadSummary = {
  threadId: string;
  name: string | null;
  preview: string;
  cwd: string;
  status: ThreadStatus;
  waiting: ThreadWaiting | null;
  readState: ThreadReadState | null;
  queueLength: number;
  totalTokens: number | null;
  cost: number | null;
  lastTurnStatus: TurnStatus | null;
  updatedAt: number;
};

/** Params of `thread/loaded/list`: Pages through the ids of the threads in memory. */
export type ThreadLoadedListParams = { cursor?: string | null; limit?: number | null };

/** Result of `thread/loaded/list`. */
export type ThreadLoadedListResponse = { data: string[]; nextCursor: string | null };

/** Params of `thread/read`: Reads a thread without subscribing to it. */
export type ThreadReadParams = { threadId: string; includeTurns?: boolean };

/** Result of `thread/read`. */
export type ThreadReadResponse = {
  thread: Thread;
  /** @experimental */
  readState: ThreadReadState | null;
  /** @experimental */
  memoryMode?: ThreadMemoryMode;
};

/** Params of `thread/readState/update`: Records how far the user has read a thread. */
export type ThreadReadStateUpdateParams = { threadId: string; operation: ThreadReadStateOperation; expectedRevision: string };

export type ThreadReadStateOperation = { type: "read" } | { type: "unread" };

/** Result of `thread/readState/update`. */
export type ThreadReadStateUpdateResponse = { readState: ThreadReadState };

/** Params of `thread/search`: Finds threads by their text. */
export type ThreadSearchParams = {
  cursor?: string | null;
  limit?: number | null;
  sortKey?: ThreadSearchSortKey | null;
  sortDirection?: SortDirection | null;
  sourceKinds?: ThreadSourceKind[] | null;
  archived?: boolean | null;
  searchTerm: string;
};

export type ThreadSearchSortKey = "created_at" | "updated_at" | "recency_at";

/** Result of `thread/search`. */
export type ThreadSearchResponse = { data: ThreadSearchResult[]; nextCursor: string | null; backwardsCursor: string | null };

export type ThreadSearchResult = { thread: Thread; snippet: string };

/** Params of `thread/searchOccurrences`: Finds the places in one thread where a text occurs. */
export type ThreadSearchOccurrencesParams = { threadId: string; searchTerm: string; cursor?: string | null; limit?: number | null };

/** Result of `thread/searchOccurrences`. */
export type ThreadSearchOccurrencesResponse = { data: ThreadSearchOccurrence[]; nextCursor: string | null };

export type ThreadSearchOccurrence = {
  turnId: string;
  itemId: string;
  snippet: string;
  snippetMatchRange: ThreadSearchTextRange;
  turnCursor: string;
};

export type ThreadSearchTextRange = { start: number; end: number };

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

/** Params of `thread/items/read`: Reads chosen items of one turn. */
export type ThreadItemsReadParams = { threadId: string; turnId: string; itemIds: string[] };

/** Result of `thread/items/read`. */
export type ThreadItemsReadResponse = { data: ThreadItemEntry[] };

/** Params of `thread/inject_items`: Appends raw model items to the history without starting a turn. */
export type ThreadInjectItemsParams = { threadId: string; items: unknown[] };

/** Result of `thread/inject_items`. */
export type ThreadInjectItemsResponse = Record<string, never>;

/** Params of `thread/timeline/list`: Pages through turns and items in the order in which they were recorded. */
export type ThreadTimelineListParams = { threadId: string; cursor?: string | null; limit?: number | null };

/** Result of `thread/timeline/list`. */
export type ThreadTimelineListResponse = {
  data: ThreadTimelineEntry[];
  nextCursor: string | null;
  activeRealtimeSessionAtPageStart: string | null;
};

export type ThreadTimelineEntry =
  | { type: "item"; position: number; turnId: string; item: ThreadItem }
  | { type: "turnStarted"; position: number; turnId: string; startedAt: number | null }
  | {
      type: "turnCompleted";
      position: number;
      turnId: string;
      status: TurnStatus;
      error: TurnError | null;
      startedAt: number | null;
      completedAt: number | null;
      durationMs: number | null;
    };

/** Params of `thread/subscribe`: Sends the durable events of a thread after a position, then `thread/synced`, then new ones. Does not load the thread. */
export type ThreadSubscribeParams = { threadId: string; afterSeq?: string | null };

/** Result of `thread/subscribe`. */
export type ThreadSubscribeResponse = { threadId: string; afterSeq: string };

/** Params of `thread/events/list`: Reads a page of the durable events of a thread after a position, the oldest first. */
export type ThreadEventsListParams = { threadId: string; afterSeq?: string | null; limit?: number | null };

/** Result of `thread/events/list`. */
export type ThreadEventsListResponse = { data: ThreadStoredEvent[]; nextSeq: string; isComplete: boolean };

export type ThreadStoredEvent = { method: string; params: { [key: string]: unknown }; seq: string };

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
  /** @experimental */
  responsesapiClientMetadata?: { [key: string]: string } | null;
  /** @experimental */
  responsesapiClientMetadataPatch?: { [key: string]: string } | null;
  /** @experimental */
  additionalContext?: { [key: string]: AdditionalContextEntry } | null;
  /** The environments of this turn's commands; absent for no change, an empty list forbids commands. @experimental */
  environments?: TurnEnvironmentParams[] | null;
  /** The folder to work in, from this turn on. */
  cwd?: string | null;
  /** @experimental */
  runtimeWorkspaceRoots?: string[] | null;
  /** When commands require approval, from this turn on. */
  approvalPolicy?: AskForApproval | null;
  /** Who reviews approvals, from this turn on. */
  approvalsReviewer?: ApprovalsReviewer | null;
  /** The sandbox of commands, from this turn on. Not together with `permissions`. */
  sandboxPolicy?: SandboxPolicy | null;
  /** The name of a permission profile, from this turn on. Not together with `sandboxPolicy`. @experimental */
  permissions?: string | null;
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
  /** A preset of model, effort and instructions, which overrides the other members. @experimental */
  collaborationMode?: CollaborationMode | null;
  /** @experimental */
  multiAgentMode?: MultiAgentMode | null;
  /** @experimental */
  cyberAccessProgram?: CyberAccessProgram | null;
};

export type TurnToolOutput = {
  name: string;
  namespace?: string | null;
  output: FunctionCallOutputBody;
  retain?: boolean;
};

export type AdditionalContextEntry = { value: string; kind: AdditionalContextKind; name?: string | null };

export type AdditionalContextKind = "untrusted" | "application";

export type CyberAccessProgram = "standard" | "daybreakBlue" | "daybreakRed";

/** Result of `turn/start`. */
export type TurnStartResponse = { turn: Turn };

/** Params of `turn/settings/update`: Changes the settings of the running turn. */
export type TurnSettingsUpdateParams = {
  threadId: string;
  turnId: string;
  approvalsReviewer?: ApprovalsReviewer | null;
  model?: string | null;
  effort?: ReasoningEffort | null;
  summary?: ReasoningSummary | null;
  serviceTier?: string | null;
};

/** Result of `turn/settings/update`. */
export type TurnSettingsUpdateResponse = { status: TurnSettingsUpdateStatus };

export type TurnSettingsUpdateStatus = "applied" | "targetUnavailable";

/** Params of `turn/steer`: Adds input to the running turn. */
export type TurnSteerParams = {
  threadId: string;
  clientUserMessageId?: string | null;
  input: UserInput[];
  /** @experimental */
  responsesapiClientMetadata?: { [key: string]: string } | null;
  /** @experimental */
  responsesapiClientMetadataPatch?: { [key: string]: string } | null;
  /** @experimental */
  additionalContext?: { [key: string]: AdditionalContextEntry } | null;
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

/** Params of `thread/queue/add`: Appends a turn to a thread's queue; it starts when the thread is free. */
export type ThreadQueueAddParams = {
  threadId: string;
  input?: UserInput[];
  clientUserMessageId?: string;
  /** The whole turn, instead of `input` and `clientUserMessageId`. */
  turnStartParams?: TurnStartParams;
  /** Unix time in seconds before which it does not start; later entries wait as well. */
  notBefore?: number;
};

/** Result of `thread/queue/add`. */
export type ThreadQueueAddResponse = {
  queuedSubmission: QueuedTurn;
  /** The same entry as `queuedSubmission`. */
  queuedTurn: QueuedTurn;
  /** The turn of an entry with this `clientUserMessageId` that has already started, in which case nothing was added; absent otherwise. */
  startedTurnId?: string;
};

/** A turn that waits in a queue. */
export type QueuedTurn = {
  id: string;
  input: UserInput[];
  clientUserMessageId: string;
  /** The params with which the turn will start. */
  turnStartParams: TurnStartParams;
  /** Whether the turn waits, or could not be started and blocks the queue. */
  status: QueuedTurnStatus;
  /** Unix time in seconds before which it does not start; absent if none was given. */
  notBefore?: number;
  /** What added it: an event from outside, or a schedule; absent if a client did. */
  source?: "event" | "schedule";
  /** The subject of the token of who sent it; absent without one. */
  sentBy?: string;
  /** True if `input` and the other params are omitted because they are large; `thread/queue/list` has them. */
  isOutline?: boolean;
};

export type QueuedTurnStatus = { type: "pending" } | { type: "failed"; error: TurnError };

/** Params of `thread/queue/list`: Pages through the turns that wait in a thread's queue. */
export type ThreadQueueListParams = { threadId: string; cursor?: string | null; limit?: number | null };

/** Result of `thread/queue/list`. */
export type ThreadQueueListResponse = {
  data: QueuedTurn[];
  nextCursor: string | null;
  /** Why the queue is paused; absent if it is not. */
  pauseReason?: string;
  /** Why the first waiting turn does not start now; absent if none waits or it is about to start. */
  heldUpBy?: QueueHold;
};

/** Why the first turn of a queue does not start: an open question of the running turn, a usage limit whose end it waits for, a pause, its own failure, its time, the running turn, another process that holds the thread, or because no server loads threads without a client. */
export type QueueHold =
  | { type: "question"; turnId: string }
  | { type: "usageLimit"; turnId: string; until: number }
  | { type: "paused"; reason: string }
  | { type: "failed"; queuedTurnId: string }
  | { type: "notBefore"; notBefore: number }
  | { type: "turn"; turnId: string }
  | { type: "elsewhere" }
  | { type: "noServer" };

/** Params of `thread/queue/update`: Replaces the input of a waiting turn at its position. */
export type ThreadQueueUpdateParams = { threadId: string; queuedSubmissionId: string; input: UserInput[] };

/** Result of `thread/queue/update`. */
export type ThreadQueueUpdateResponse = {
  queuedSubmission: QueuedTurn;
  /** The same entry as `queuedSubmission`. */
  queuedTurn: QueuedTurn;
};

/** Params of `thread/queue/delete`: Removes a waiting turn from the queue. */
export type ThreadQueueDeleteParams = {
  threadId: string;
  queuedSubmissionId?: string;
  /** An alias of `queuedSubmissionId`. */
  queuedTurnId?: string;
};

/** Result of `thread/queue/delete`. */
export type ThreadQueueDeleteResponse = { deleted: boolean };

/** Params of `thread/queue/reorder`: Reorders all waiting turns. */
export type ThreadQueueReorderParams = {
  threadId: string;
  queuedSubmissionIds?: string[];
  /** An alias of `queuedSubmissionIds`. */
  queuedTurnIds?: string[];
};

/** Result of `thread/queue/reorder`. */
export type ThreadQueueReorderResponse = {
  /** The queue in its new order: its first page, as it is listed. */
  queuedTurns: QueuedTurn[];
  /** The cursor of the next page; absent on the last one. */
  nextCursor?: string;
};

/** Params of `thread/queue/start`: Starts a waiting turn now: the first one, or a chosen one. */
export type ThreadQueueStartParams = { threadId: string; queuedSubmissionId?: string | null };

/** Result of `thread/queue/start`. */
export type ThreadQueueStartResponse = { turn: Turn };

/** Params of `thread/queue/pause`: Pauses the queue until it is resumed, even across restarts. */
export type ThreadQueuePauseParams = { threadId: string; reason?: string };

/** Result of `thread/queue/pause`. */
export type ThreadQueuePauseResponse = Record<string, never>;

/** Params of `thread/queue/resume`: Resumes a paused queue. */
export type ThreadQueueResumeParams = { threadId: string };

/** Result of `thread/queue/resume`. */
export type ThreadQueueResumeResponse = { resumed: boolean };

/** Result of `thread/submit`. */
export type ThreadSubmitResponse = { outcome: ThreadSubmitOutcome };

export type ThreadSubmitOutcome =
  | { type: "steered"; turnId: string }
  | { type: "started"; turn: Turn }
  | {
      type: "queued";
      queuedTurn: QueuedTurn;
      /** The turn of an entry with this `clientUserMessageId` that has already started, in which case nothing was added; absent otherwise. */
      startedTurnId?: string;
    };

/** `rows` is how many turns of each queue are shown, 3 by default and 10 at most. With `subscribe`, the connection receives `queue/changed` of all threads from then on; false ends that. */
export type QueueListParams = {
  cursor?: string | null;
  limit?: number | null;
  rows?: number | null;
  subscribe?: boolean | null;
};

/** Result of `queue/list`. */
export type QueueListResponse = { data: QueueOverview[]; nextCursor: string | null };

/** A thread that has a queue: its first turns, and why the first of them does not start now. */
export type QueueOverview = {
  threadId: string;
  name: string | null;
  preview: string;
  cwd: string | null;
  pauseReason: string | null;
  heldUpBy: QueueHold | null;
  rows: QueuedTurn[];
  total: number;
  /** Who with a token changed it last; null if nobody did. */
  lastChange: AuditEntry | null;
};

/** A change: `subject` is that of the client's token, `clientName` the name that the client gives itself, and `detail` names the changed thing where the method and the thread do not. */
export type AuditEntry = {
  id: string;
  at: number;
  subject: string | null;
  clientName: string | null;
  method: string;
  threadId: string | null;
  detail: string | null;
};

/** Params of `schedule/create`: Creates a schedule: a cron line with a time zone or one time, where it runs, and what is said. */
export type ScheduleCreateParams = {
  name?: string | null;
  schedule: ScheduleTime;
  target: ScheduleTarget;
  input: UserInput[];
  /** `once` by default. */
  missedRuns?: MissedRuns | null;
  /** Whether it waits for a resume. */
  paused?: boolean;
};

/** When a schedule runs. */
export type ScheduleTime =
  | {
      type: "cron";
      /** Five fields: minute, hour, day of month, month and day of week, as `30 2 * * 1-5`. */
      expression: string;
      /** A name of the IANA database, as `Europe/Berlin`. */
      timeZone: string;
    }
  | {
      type: "once";
      /** Unix time in seconds. */
      at: number;
    };

/** Where a schedule runs: in an existing thread, or in a new thread for each run. */
export type ScheduleTarget =
  | { type: "thread"; threadId: string }
  | { type: "newThread"; threadStartParams: ThreadStartParams };

/** What happens with runs whose time has passed while no server was there: none, one for all of them, or each of the latest 24. */
export type MissedRuns = "skip" | "once" | "all";

/** Result of `schedule/create`. */
export type ScheduleCreateResponse = { schedule: Schedule };

/** A turn that is queued at given times. A server that starts queued turns by itself (`heddle serve`) runs it. */
export type Schedule = {
  id: string;
  name: string | null;
  schedule: ScheduleTime;
  target: ScheduleTarget;
  input: UserInput[];
  missedRuns: MissedRuns;
  status: ScheduleStatus;
  /** Unix time in seconds; null unless the schedule is active. */
  nextRunAt: number | null;
  lastRun: ScheduleRun | null;
  /** The subject of the token of who created it; absent without one. */
  owner?: string;
  createdAt: number;
  updatedAt: number;
};

/** The server disables a schedule that cannot run, with the reason; a schedule with a single time is finished after it. */
export type ScheduleStatus =
  | { type: "active" }
  | { type: "paused" }
  | { type: "disabled"; reason: string }
  | { type: "finished" };

/** A run of a schedule. How its turn ended is in its thread. */
export type ScheduleRun = {
  /** The time that the run belongs to, in seconds. */
  scheduledAt: number;
  /** When a server took it, in seconds. */
  claimedAt: number;
  threadId: string;
  /** The idempotency key of the queued turn. */
  clientUserMessageId: string;
  status: ScheduleRunStatus;
};

export type ScheduleRunStatus =
  | { type: "starting" }
  | { type: "queued"; queuedTurnId: string }
  | { type: "failed"; message: string };

/** Params of `schedule/list`: Pages through the schedules of the home, with their last and next runs. */
export type ScheduleListParams = { cursor?: string | null; limit?: number | null };

/** Result of `schedule/list`. */
export type ScheduleListResponse = { data: Schedule[]; nextCursor: string | null };

/** Absent members are unchanged. */
export type ScheduleUpdateParams = {
  scheduleId: string;
  name?: string | null;
  schedule?: ScheduleTime | null;
  target?: ScheduleTarget | null;
  input?: UserInput[] | null;
  missedRuns?: MissedRuns | null;
  /** True pauses it. False resumes it, also after the server has disabled it; runs of the meantime are not caught up. */
  paused?: boolean | null;
};

/** Result of `schedule/update`. */
export type ScheduleUpdateResponse = { schedule: Schedule };

/** Params of `schedule/delete`: Deletes a schedule. Turns that it has queued stay. */
export type ScheduleDeleteParams = { scheduleId: string };

/** Result of `schedule/delete`. */
export type ScheduleDeleteResponse = { deleted: boolean };

/** Params of `schedule/runNow`: Queues the turn of a schedule now, also of a paused one; its times stay as they are. */
export type ScheduleRunNowParams = { scheduleId: string };

/** Result of `schedule/runNow`. */
export type ScheduleRunNowResponse = { run: ScheduleRun };

/** Params of `thread/wake`: Queues a turn for an event from outside, once for each key, whether or not the thread is loaded. */
export type ThreadWakeParams = {
  threadId: string;
  /** Names the event: the same key again adds nothing, also when its turn has started. */
  key: string;
  input: UserInput[];
};

/** Result of `thread/wake`. */
export type ThreadWakeResponse = {
  queuedTurn: QueuedTurn;
  /** The turn of this key, if it has already started. */
  startedTurnId?: string;
};

/** Params of `thread/wakeToken/create`: Creates a token with which a program may wake the thread by HTTP. */
export type ThreadWakeTokenCreateParams = { threadId: string; name?: string | null };

/** Result of `thread/wakeToken/create`. */
export type ThreadWakeTokenCreateResponse = {
  wakeToken: WakeToken;
  /** The secret, which is shown this once. */
  token: string;
  /** Where a program sends it: `POST` to this path of `heddle serve`. */
  path: string;
};

/** A token with which a program may wake one thread by HTTP, and do nothing else. The token itself is not kept. */
export type WakeToken = { id: string; threadId: string; name: string | null; createdAt: number };

/** Params of `thread/wakeToken/list`: Lists the tokens that may wake the thread. */
export type ThreadWakeTokenListParams = { threadId: string };

/** Result of `thread/wakeToken/list`. */
export type ThreadWakeTokenListResponse = { data: WakeToken[] };

/** Params of `thread/wakeToken/revoke`: Revokes a token at once. */
export type ThreadWakeTokenRevokeParams = { threadId: string; wakeTokenId: string };

/** Result of `thread/wakeToken/revoke`. */
export type ThreadWakeTokenRevokeResponse = { revoked: boolean };

/** Params of `webhook/list`: Lists the webhooks of the configuration, and pages through deliveries, the newest first. */
export type WebhookListParams = {
  cursor?: string | null;
  limit?: number | null;
  status?: WebhookDeliveryStatus | null;
  endpointId?: string | null;
};

/** `pending` waits for its time or for the one before it, `claimed` is being attempted, `abandoned` was not delivered. */
export type WebhookDeliveryStatus = "pending" | "claimed" | "delivered" | "abandoned";

/** `faults` are mistakes in the configuration, whose entries are not used. */
export type WebhookListResponse = {
  endpoints: WebhookEndpointState[];
  faults: string[];
  data: WebhookDelivery[];
  nextCursor: string | null;
};

/** `url` lacks user, password and query; `dropped` counts events that were lost because too many waited. */
export type WebhookEndpointState = {
  id: string;
  url: string;
  events: string[];
  allowsPrivate: boolean;
  off: WebhookOff | null;
  dropped: number;
};

/** Why nothing is sent to an endpoint. */
export type WebhookOff = { reason: string; since: number };

/** One event for one endpoint. */
export type WebhookDelivery = {
  id: string;
  eventId: string;
  endpointId: string;
  type: string;
  threadId: string | null;
  status: WebhookDeliveryStatus;
  attempts: number;
  createdAt: number;
  dueAt: number | null;
  finishedAt: number | null;
  lastAttempt: WebhookAttempt | null;
};

/** `status` is that of HTTP, and null if there was no response; `error` is null for a success. */
export type WebhookAttempt = { at: number; status: number | null; error: string | null };

/** Either of the two. */
export type WebhookRetryParams = { deliveryId?: string | null; endpointId?: string | null };

/** `switchedOn`: the endpoint was off. */
export type WebhookRetryResponse = { retried: number; switchedOn: boolean };

/** Without an endpoint all are tested. */
export type WebhookTestParams = { endpointId?: string | null };

/** `faults` are mistakes in the configuration, where there are any. */
export type WebhookTestResponse = { results: WebhookTestResult[]; faults?: string[] };

export type WebhookTestResult = { endpointId: string; delivered: boolean; status: number | null; error: string | null };

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

/** `input` has members of the hook's input, and others get defaults. Only hooks that are trusted run. */
export type HookTestParams = {
  eventName: HookEventName;
  cwd?: string | null;
  input?: { [key: string]: unknown } | null;
  hookKeys?: string[] | null;
};

/** Result of `hook/test`. */
export type HookTestResponse = { trial: HookTrial };

/** What hooks have answered to one event, and in words what would come of it. */
export type HookTrial = {
  eventName: HookEventName;
  input: { [key: string]: unknown };
  hooks: HookTrialHook[];
  runs: HookTrialRun[];
  notRun: HookNotRun[];
  isBlocked: boolean;
  would: string[];
};

/** A hook of the folder: what it runs, and why it does not run at this event. */
export type HookTrialHook = { key: string; runs: string; isRun: boolean; reason: string | null };

export type HookTrialRun = {
  key: string;
  run: HookRunSummary;
  exitCode: number | null;
  stdout: string | null;
  stderr: string | null;
};

export type HookNotRun = { key: string; reason: string };

/** Params of `hook/replay`: Runs the hooks of today at the moments of a stored thread, a page of them, and compares. */
export type HookReplayParams = {
  threadId: string;
  turnId?: string | null;
  eventName?: HookEventName | null;
  cursor?: string | null;
  limit?: number | null;
};

/** Result of `hook/replay`. */
export type HookReplayResponse = { data: HookReplayMoment[]; nextCursor: string | null; notRebuilt: string[] };

/** A moment of a thread at which hooks run: what they did then, and what those of today do. */
export type HookReplayMoment = {
  turnId: string;
  eventName: HookEventName;
  about: string;
  recorded: HookRunSummary[];
  runs: HookRunSummary[];
  notRun: HookNotRun[];
  isBlocked: boolean;
  would: string[];
  differences: string[];
};

/** `events` are neutral names; without them it is every lifecycle event, and none of the extensions. */
export type LifecycleSubscribeParams = { threadId: string; events?: string[] };

/** `untold` are those of the events that Heddle has no moment for. */
export type LifecycleSubscribeResponse = { subscriptionId: string; events: string[]; untold: string[] };

/** Params of `lifecycle/unsubscribe`: Ends a subscription of the connection to neutral events. */
export type LifecycleUnsubscribeParams = { subscriptionId: string };

/** Result of `lifecycle/unsubscribe`. */
export type LifecycleUnsubscribeResponse = Record<string, never>;

/** `status` is `open` by default. With `subscribe`, the connection receives `approval/changed` of all threads from then on; false ends that. */
export type ApprovalListParams = {
  status?: "open" | "closed" | "all" | null;
  threadId?: string | null;
  cursor?: string | null;
  limit?: number | null;
  subscribe?: boolean | null;
};

/** Result of `approval/list`. */
export type ApprovalListResponse = { data: Approval[]; nextCursor: string | null };

/** A question, open or decided. `request` is what clients of the thread are asked, while it is open; `requestId` is its id where this server has asked them. `isDurable`: it outlives the server. */
export type Approval = {
  id: string;
  threadId: string;
  turnId: string | null;
  itemId: string | null;
  kind: ApprovalKind;
  status: ApprovalStatus;
  command: string | null;
  cwd: string | null;
  paths: string[] | null;
  changes: FileUpdateChange[] | null;
  server: string | null;
  tool: string | null;
  reason: string | null;
  request: { method: string; params: unknown } | null;
  requestId: RequestId | null;
  isDurable: boolean;
  requestedAt: number;
  ageMs: number;
  until: number | null;
  verdict: ApprovalVerdict | null;
  cause: ApprovalCause | null;
};

export type ApprovalKind = "command" | "fileChange" | "mcpTool" | "permissions" | "elicitation" | "userInput";

/** `answered`: the answer is recorded, and takes effect when the thread is loaded. */
export type ApprovalStatus = "open" | "answered" | "closed";

export type RequestId = string | number;

export type ApprovalVerdict = {
  outcome: ApprovalOutcome;
  by: ApprovalDecider;
  reason: string | null;
  decidedAt: number;
};

export type ApprovalOutcome = "approved" | "denied" | "cancelled";

/** Who or what decided: for a client, the name that it gave and the subject of its token. */
export type ApprovalDecider = {
  kind: 
    | "policy"
    | "rule"
    | "sessionGrant"
    | "client"
    | "hook"
    | "timeOut"
    | "interruption"
    | "failure";
  name: string | null;
  subject: string | null;
};

/** Why somebody is asked: a rule, the approval policy, something beyond the sandbox, a hook that wants it, an MCP server or the model itself. */
export type ApprovalCause =
  | {
      kind: "rule";
      pattern: string[];
      file: string | null;
      line: number | null;
      justification: string | null;
    }
  | { kind: "policy"; policy: string; why: string }
  | { kind: "sandbox"; why: string }
  | { kind: "hook"; why: string | null }
  | { kind: "server"; server: string }
  | { kind: "model" };

/** The decision is that of the request itself: `accept`, for example, or the whole result, such as `{ action, content }`. */
export type ApprovalAnswerParams = { id: string; decision: unknown };

/** Result of `approval/answer`. */
export type ApprovalAnswerResponse = { approval: Approval };

/** Each member narrows the list. `text` is found in what was asked about, in the reason and in the name of who decided; `sinceMs` is inclusive, `untilMs` is not, and both are times of the request. */
export type DecisionListParams = {
  threadId?: string | null;
  outcome?: "open" | "approved" | "denied" | "cancelled" | null;
  by?: 
    | "policy"
    | "rule"
    | "sessionGrant"
    | "client"
    | "hook"
    | "timeOut"
    | "interruption"
    | "failure" | null;
  kind?: DecisionKind | null;
  text?: string | null;
  sinceMs?: number | null;
  untilMs?: number | null;
  cursor?: string | null;
  limit?: number | null;
};

export type DecisionKind = "command" | "fileChange" | "mcpTool" | "permissions";

/** Result of `decision/list`. */
export type DecisionListResponse = { data: Decision[]; nextCursor: string | null };

/** `verdict` is null while the question is open, `rule` where no rule decided, `cause` where nobody was asked. */
export type Decision = {
  id: string;
  threadId: string;
  turnId: string;
  itemId: string;
  kind: DecisionKind;
  command: string | null;
  cwd: string | null;
  paths: string[] | null;
  server: string | null;
  tool: string | null;
  permissions: { network: boolean; read: string[]; write: string[] } | null;
  requestedAt: number;
  verdict: ApprovalVerdict | null;
  rule: { pattern: string[]; file: string | null } | null;
  cause: ApprovalCause | null;
};

/** Params of `rule/list`: Lists the rules about commands that are in force in a folder, in their order. */
export type RuleListParams = { cwd?: string | null; cursor?: string | null; limit?: number | null };

/** While a file has a fault, no rule that allows is in force. */
export type RuleListResponse = { data: Rule[]; faults: RuleFault[]; nextCursor: string | null };

/** A rule about commands: the alternatives for each of their first words. */
export type Rule = {
  pattern: string[][];
  decision: "allow" | "prompt" | "forbidden";
  justification: string | null;
  file: string | null;
  line: number | null;
  origin: "managed" | "user" | "project";
};

export type RuleFault = { path: string; line: number | null; message: string };

/** Each member narrows the list. `text` is found in the method and in the detail. */
export type AuditListParams = {
  threadId?: string | null;
  text?: string | null;
  cursor?: string | null;
  limit?: number | null;
};

/** Result of `audit/list`. */
export type AuditListResponse = { data: AuditEntry[]; nextCursor: string | null };

/** Params of `thread/increment_elicitation`: Announces that a prompt outside the protocol is open, so that time-outs wait. */
export type ThreadIncrementElicitationParams = { threadId: string };

/** Result of `thread/increment_elicitation`. */
export type ThreadIncrementElicitationResponse = { count: number; paused: boolean };

/** Params of `thread/decrement_elicitation`: Announces that a prompt outside the protocol was closed. */
export type ThreadDecrementElicitationParams = { threadId: string };

/** Result of `thread/decrement_elicitation`. */
export type ThreadDecrementElicitationResponse = { count: number; paused: boolean };

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

/** Params of `thread/backgroundTerminals/clean`: Stops every process that a thread left running. */
export type ThreadBackgroundTerminalsCleanParams = { threadId: string };

/** Result of `thread/backgroundTerminals/clean`. */
export type ThreadBackgroundTerminalsCleanResponse = Record<string, never>;

/** Params of `thread/backgroundTerminals/list`: Pages through the processes that a thread left running. */
export type ThreadBackgroundTerminalsListParams = { threadId: string; cursor?: string | null; limit?: number | null };

/** Result of `thread/backgroundTerminals/list`. */
export type ThreadBackgroundTerminalsListResponse = { data: ThreadBackgroundTerminal[]; nextCursor: string | null };

export type ThreadBackgroundTerminal = {
  itemId: string;
  processId: string;
  command: string;
  cwd: string;
  osPid: number | null;
  cpuPercent: number | null;
  rssKb: number | null;
};

/** Params of `thread/backgroundTerminals/terminate`: Stops one process that a thread left running. */
export type ThreadBackgroundTerminalsTerminateParams = { threadId: string; processId: string };

/** Result of `thread/backgroundTerminals/terminate`. */
export type ThreadBackgroundTerminalsTerminateResponse = { terminated: boolean };

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

/** Params of `fuzzyFileSearch/sessionStart`: Opens a file search whose query changes while the user types. */
export type FuzzyFileSearchSessionStartParams = { sessionId: string; roots: string[] };

/** Result of `fuzzyFileSearch/sessionStart`. */
export type FuzzyFileSearchSessionStartResponse = Record<string, never>;

/** Params of `fuzzyFileSearch/sessionUpdate`: Changes the query of a file search. */
export type FuzzyFileSearchSessionUpdateParams = { sessionId: string; query: string };

/** Result of `fuzzyFileSearch/sessionUpdate`. */
export type FuzzyFileSearchSessionUpdateResponse = Record<string, never>;

/** Params of `fuzzyFileSearch/sessionStop`: Closes a file search. */
export type FuzzyFileSearchSessionStopParams = { sessionId: string };

/** Result of `fuzzyFileSearch/sessionStop`. */
export type FuzzyFileSearchSessionStopResponse = Record<string, never>;

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
  /** @experimental */
  permissionProfile?: string | null;
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

/** Params of `process/spawn`: Starts a process outside the sandbox and responds at once. */
export type ProcessSpawnParams = {
  command: string[];
  processHandle: string;
  cwd: string;
  tty?: boolean;
  streamStdin?: boolean;
  streamStdoutStderr?: boolean;
  outputBytesCap?: number | null;
  timeoutMs?: number | null;
  env?: { [key: string]: string | null } | null;
  size?: ProcessTerminalSize | null;
};

export type ProcessTerminalSize = { rows: number; cols: number };

/** Result of `process/spawn`. */
export type ProcessSpawnResponse = Record<string, never>;

/** Params of `process/writeStdin`: Writes to the input of a process. */
export type ProcessWriteStdinParams = { processHandle: string; deltaBase64?: string | null; closeStdin?: boolean };

/** Result of `process/writeStdin`. */
export type ProcessWriteStdinResponse = Record<string, never>;

/** Params of `process/kill`: Stops a process. */
export type ProcessKillParams = { processHandle: string };

/** Result of `process/kill`. */
export type ProcessKillResponse = Record<string, never>;

/** Params of `process/resizePty`: Changes the terminal size of a process. */
export type ProcessResizePtyParams = { processHandle: string; size: ProcessTerminalSize };

/** Result of `process/resizePty`. */
export type ProcessResizePtyResponse = Record<string, never>;

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
  /** @experimental */
  apps: AppsConfig | null;
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

export type AppsConfig = {
  _default: AppsDefaultConfig | null;
  [key: string]: {
    enabled: boolean;
    omit_tools_from: ToolExposureSurface[] | null;
    approvals_reviewer: ApprovalsReviewer | null;
    destructive_enabled: boolean | null;
    open_world_enabled: boolean | null;
    default_tools_approval_mode: AppToolApproval | null;
    default_tools_enabled: boolean | null;
    tools: AppToolsConfig | null;
    links: AppLinksConfig | null;
  } | null | AppsDefaultConfig;
};

export type AppsDefaultConfig = {
  enabled: boolean;
  approvals_reviewer: ApprovalsReviewer | null;
  destructive_enabled: boolean;
  open_world_enabled: boolean;
  default_tools_approval_mode: AppToolApproval | null;
};

export type AppToolApproval = "auto" | "prompt" | "writes" | "approve";

export type ToolExposureSurface = "code_mode" | "deferred" | "direct";

export type AppToolsConfig = { [key: string]: { enabled: boolean | null; approval_mode: AppToolApproval | null } };

export type AppLinksConfig = {
  [key: string]: {
    approvals_reviewer: ApprovalsReviewer | null;
    default_tools_approval_mode: AppToolApproval | null;
  };
};

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
  /** @experimental */
  allowedApprovalsReviewers: ApprovalsReviewer[] | null;
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
  /** @experimental */
  hooks: ManagedHooksRequirements | null;
  enforceResidency: ResidencyRequirement | null;
  /** @experimental */
  network: NetworkRequirements | null;
  /** @experimental */
  application: ApplicationRequirements | null;
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

export type ManagedHooksRequirements = {
  PreModelRequest: ConfiguredHookMatcherGroup[];
  PostModelRequest: ConfiguredHookMatcherGroup[];
  managedDir: string | null;
  windowsManagedDir: string | null;
  PreToolUse: ConfiguredHookMatcherGroup[];
  PermissionRequest: ConfiguredHookMatcherGroup[];
  PostToolUse: ConfiguredHookMatcherGroup[];
  PreCompact: ConfiguredHookMatcherGroup[];
  PostCompact: ConfiguredHookMatcherGroup[];
  SessionStart: ConfiguredHookMatcherGroup[];
  SessionEnd: ConfiguredHookMatcherGroup[];
  UserPromptSubmit: ConfiguredHookMatcherGroup[];
  SubagentStart: ConfiguredHookMatcherGroup[];
  SubagentStop: ConfiguredHookMatcherGroup[];
  Stop: ConfiguredHookMatcherGroup[];
  Interrupt: ConfiguredHookMatcherGroup[];
};

export type ConfiguredHookMatcherGroup = { matcher: string | null; hooks: ConfiguredHookHandler[] };

export type ConfiguredHookHandler =
  | {
      type: "command";
      command: string;
      commandWindows: string | null;
      timeoutSec: number | null;
      async: boolean;
      statusMessage: string | null;
      additionalContextLimit: number | null;
    }
  | {
      type: "mcp_tool";
      server: string;
      tool: string;
      input: { [key: string]: unknown };
      timeoutSec: number | null;
      statusMessage: string | null;
    }
  | { type: "prompt" }
  | { type: "agent" };

export type ResidencyRequirement = "us";

export type NetworkRequirements = {
  enabled: boolean | null;
  httpPort: number | null;
  socksPort: number | null;
  allowUpstreamProxy: boolean | null;
  dangerouslyAllowNonLoopbackProxy: boolean | null;
  dangerouslyAllowAllUnixSockets: boolean | null;
  domains: { [key: string]: NetworkDomainPermission } | null;
  reviewDomains: string[] | null;
  managedAllowedDomainsOnly: boolean | null;
  allowedDomains: string[] | null;
  deniedDomains: string[] | null;
  unixSockets: { [key: string]: NetworkUnixSocketPermission } | null;
  allowUnixSockets: string[] | null;
  allowLocalBinding: boolean | null;
};

export type NetworkDomainPermission = "allow" | "deny";

export type NetworkUnixSocketPermission = "allow" | "deny";

export type ApplicationRequirements = {
  network: ApplicationNetworkRequirements | null;
  storage: ApplicationStorageRequirements | null;
};

export type ApplicationNetworkRequirements = { enabled: boolean; domains: { [key: string]: NetworkDomainPermission } };

export type ApplicationStorageRequirements = { defaultProjectParent: string | null; projectlessWorkspaceRoot: string | null };

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

/** Params of `collaborationMode/list`: Lists the presets of collaboration. */
export type CollaborationModeListParams = Record<string, never>;

/** Result of `collaborationMode/list`. */
export type CollaborationModeListResponse = { data: CollaborationModeMask[] };

export type CollaborationModeMask = {
  name: string;
  mode: ModeKind | null;
  model: string | null;
  reasoning_effort: ReasoningEffort | null;
};

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

/** `from` and `to` are days such as `2026-11-30`, both inclusive, 400 at most. Groups are days by default, the time zone is UTC. */
export type UsageSummaryParams = {
  from: string;
  to: string;
  groupBy?: Array<"day" | "folder" | "model"> | null;
  timeZone?: string | null;
};

/** In the order of days, then most tokens first. `isCut`: there are more groups. `pending` counts files whose latest turns are not counted yet: ask again for a more recent summary. */
export type UsageSummaryResponse = { data: UsageGroup[]; total: UsageSums; isCut: boolean; pending: number };

/** A member by which is not grouped is null. */
export type UsageGroup = {
  day: string | null;
  folder: string | null;
  model: string | null;
  turns: number;
  threads: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  reasoningOutputTokens: number;
  totalTokens: number;
  cost: number | null;
};

/** `turns` counts those in which a model has answered. `cost` is null if a model has no price in `prices` of the configuration. */
export type UsageSums = {
  turns: number;
  threads: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  reasoningOutputTokens: number;
  totalTokens: number;
  cost: number | null;
};

/** Each member narrows the list. A hook is identified by its event, its file and its `displayOrder`, as `hooks/list` has them. */
export type HookRunListParams = {
  threadId?: string | null;
  eventName?: HookEventName | null;
  status?: HookRunStatus | null;
  sourcePath?: string | null;
  displayOrder?: number | null;
  cursor?: string | null;
  limit?: number | null;
};

/** `stats` of all hooks are on the first page. `pending` as in `usage/summary`. */
export type HookRunListResponse = {
  data: HookRunEntry[];
  nextCursor: string | null;
  stats: HookRunStats[];
  pending: number;
};

export type HookRunEntry = { threadId: string; turnId: string; run: HookRunSummary };

/** Of one hook, over the runs that are kept. */
export type HookRunStats = {
  eventName: HookEventName;
  sourcePath: string;
  displayOrder: number;
  runs: number;
  blocked: number;
  failed: number;
  p50Ms: number | null;
  p95Ms: number | null;
};

/** Params of `server/status`: Reads the load of the server and who is connected to it. */
export type ServerStatusParams = Record<string, never>;

/** `waiting` counts turns by the reason for which they wait. `connections` has the first 200. `p99Ms` is the bound of a bucket, and null before the first sample. */
export type ServerStatusResponse = {
  version: string;
  startedAt: number;
  uptimeMs: number;
  threadsLoaded: number;
  turnsRunning: number;
  waiting: { question: number; usageLimit: number };
  queued: { pending: number; failed: number };
  outbox: { pending: number; abandoned: number };
  connections: ServerConnection[];
  connectionCount: number;
  memory: {
    rssBytes: number;
    heapUsedBytes: number;
    heapTotalBytes: number;
    externalBytes: number;
  };
  cpuSeconds: { user: number; system: number };
  eventLoopDelay: { meanMs: number; p99Ms: number | null };
};

/** A connection; `subject` is that of its token, `isYou` the one that asks. */
export type ServerConnection = {
  id: string;
  clientName: string | null;
  clientVersion: string | null;
  subject: string | null;
  since: number;
  inFlight: number;
  isYou: boolean;
};

/** Params of `metrics/list`: Reads the values of all metrics; events are counted from the first call on. */
export type MetricsListParams = Record<string, never>;

/** Result of `metrics/list`. */
export type MetricsListResponse = { data: MetricEntry[] };

export type MetricEntry = {
  name: string;
  kind: "counter" | "gauge" | "histogram";
  help: string;
  samples: MetricSample[];
};

/** For a histogram, `value` is the sum of its observations. */
export type MetricSample = {
  labels: { [key: string]: string };
  value: number;
  buckets: MetricBucket[] | null;
  count: number | null;
};

/** How many observations were at most `le`, those of lower buckets included; null has no bound. */
export type MetricBucket = { le: number | null; count: number };

/** Params of `doctor/run`: Examines the set-up of the server, as `heddle doctor` does without its history. */
export type DoctorRunParams = Record<string, never>;

/** `isComplete` is false if the time was over before everything was examined. */
export type DoctorRunResponse = { findings: DoctorFinding[]; isComplete: boolean };

export type DoctorFinding = {
  subject: string;
  verdict: "ok" | "advice" | "problem";
  message: string;
  advice: string | null;
};

/** Params of `environment/info`: Reads the shell and the folder of an environment. */
export type EnvironmentInfoParams = { environmentId: string };

/** Result of `environment/info`. */
export type EnvironmentInfoResponse = { shell: EnvironmentShellInfo; cwd: string | null };

export type EnvironmentShellInfo = { name: string; path: string };

/** Params of `account/login/start`: Starts a login, or stores a key at once. */
export type LoginAccountParams =
  | { type: "apiKey"; apiKey: string }
  | {
      type: "chatgpt";
      codexStreamlinedLogin?: boolean;
      useHostedLoginSuccessPage?: boolean;
      appBrand?: LoginAppBrand | null;
    }
  | { type: "chatgptDeviceCode" }
  | {
      type: "chatgptAuthTokens";
      accessToken: string;
      chatgptAccountId: string;
      chatgptPlanType?: string | null;
    }
  | { type: "amazonBedrock"; apiKey: string; region: string }
  | {
      type: "amazonBedrockAccessKeys";
      accessKeyId: string;
      secretAccessKey: string;
      sessionToken?: string | null;
      region: string;
    };

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
export type GetAccountResponse = {
  account: Account | null;
  requiresOpenaiAuth: boolean;
  /** @experimental */
  workspaceRouting: WorkspaceRouting | null;
};

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

export type WorkspaceRouting = {
  chatgptAccountId: string;
  backendOrigin: string;
  accountRoutingOverride: AccountRoutingOverride;
};

export type AccountRoutingOverride = "NO_CONSTRAINT" | "us" | "us_cr";

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

/** Params of `device/list`: Lists the paired devices, the newest first. */
export type DeviceListParams = Record<string, never>;

/** Result of `device/list`. */
export type DeviceListResponse = { data: Device[] };

/** A device that may call servers of this home. `subject` is the person who uses it. */
export type Device = {
  id: string;
  name: string;
  subject: string | null;
  scopes: AccessScope[];
  createdAt: number;
  lastSeenAt: number | null;
  expiresAt: number | null;
  revokedAt: number | null;
};

/** Without `scopes`, the device may read, answer and operate. Without `expiresInSeconds`, it does not expire. */
export type DevicePairParams = {
  name?: string | null;
  subject?: string | null;
  scopes?: AccessScope[] | null;
  expiresInSeconds?: number | null;
};

/** `path` with its fragment follows the address under which the device reaches the server. The code is valid once. */
export type DevicePairResponse = { code: string; path: string; expiresAt: number };

/** Params of `device/revoke`: Revokes a device and ends its connections. */
export type DeviceRevokeParams = { deviceId: string };

/** Result of `device/revoke`. */
export type DeviceRevokeResponse = { device: Device };

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
  /** @experimental */
  additionalPermissions?: AdditionalPermissionProfile | null;
  proposedExecpolicyAmendment?: ExecPolicyAmendment | null;
  proposedNetworkPolicyAmendments?: NetworkPolicyAmendment[] | null;
  /** @experimental */
  availableDecisions?: CommandExecutionApprovalDecision[] | null;
};

export type CommandExecutionApprovalKind = "command" | "writeStdin";

export type NetworkApprovalContext = { host: string; protocol: NetworkApprovalProtocol };

export type NetworkApprovalProtocol = "http" | "https" | "socks5Tcp" | "socks5Udp";

export type AdditionalPermissionProfile = {
  network: AdditionalNetworkPermissions | null;
  fileSystem: AdditionalFileSystemPermissions | null;
};

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

/** Params of `currentTime/read`: Requests the user's current time. */
export type CurrentTimeReadParams = { threadId: string };

/** Result of `currentTime/read`. */
export type CurrentTimeReadResponse = { currentTimeAt: number };

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

/** Params of `thread/settings/updated`: The settings of a thread changed. */
export type ThreadSettingsUpdatedNotification = { threadId: string; threadSettings: ThreadSettings };

export type ThreadSettings = {
  disabledPluginIds: string[];
  cwd: string;
  approvalPolicy: AskForApproval;
  approvalsReviewer: ApprovalsReviewer;
  sandboxPolicy: SandboxPolicy;
  activePermissionProfile: ActivePermissionProfile | null;
  model: string;
  modelProvider: string;
  serviceTier: string | null;
  effort: ReasoningEffort | null;
  summary: ReasoningSummary | null;
  collaborationMode: CollaborationMode;
  /** @experimental */
  multiAgentMode: MultiAgentMode;
  personality: Personality | null;
};

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

/** Params of `thread/readState/changed`: The first unread position of a thread changed. */
export type ThreadReadStateChangedNotification = { threadId: string; readState: ThreadReadState };

/** Params of `thread/summary/changed`: What a list shows of a thread has changed. Only for connections with the capability `threadSummaries`, at most once in 250 ms for each thread. */
export type ThreadSummaryChangedNotification = { summary: ThreadSummary };

/** Params of `thread/reverted`: A thread was reverted to an earlier state; copies of clients are stale. */
export type ThreadRevertedNotification = {
  threadId: string;
  /** Events after this position and before `seq` were taken back. */
  keptUpTo?: string;
  /** The position after this event, for clients with the capability `resumableEvents`. */
  seq?: string;
};

/** Params of `thread/synced`: All durable events up to a position were sent; those that follow are new. */
export type ThreadSyncedNotification = { threadId: string; throughSeq: string };

/** Params of `thread/resync`: The thread has no event at the position that a client asked for: what the client has after `fromSeq` is stale. */
export type ThreadResyncNotification = { threadId: string; fromSeq: string; reason: ThreadResyncReason };

export type ThreadResyncReason = "beyondEnd" | "noPositions";

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

/** Params of `turn/moderationMetadata`: The provider's moderation result for a turn. */
export type TurnModerationMetadataNotification = { threadId: string; turnId: string; metadata: unknown };

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

/** Params of `thread/queue/changed`: The queue of a thread changed. */
export type ThreadQueueChangedNotification = {
  threadId: string;
  /** The queue after the change: its first page, as it is listed. */
  queuedTurns: QueuedTurn[];
  /** The cursor of the next page; absent on the last one. */
  nextCursor?: string;
  /** Why the queue is paused; absent if it is not. */
  pauseReason?: string;
  /** Why the first waiting turn does not start now; absent if none waits or it is about to start. */
  heldUpBy?: QueueHold;
};

/** Params of `queue/changed`: The queue of some thread changed. Only for connections that asked for it. */
export type QueueChangedNotification = { queue: QueueOverview };

/** Params of `schedule/changed`: A schedule was created, changed, run or deleted by this server. */
export type ScheduleChangedNotification = {
  scheduleId: string;
  /** Null if it was deleted. */
  schedule: Schedule | null;
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

/** `sequence` counts the receipts of the subscription from 1; it is null, as `receiptId`, where no receipt could be kept. */
export type LifecycleEventNotification = {
  subscriptionId: string;
  threadId: string;
  turnId: string | null;
  event: LifecycleNeutralEvent;
  receiptId: string | null;
  sequence: number | null;
};

/** An event in the vocabulary of the lifecycle layer. */
export type LifecycleNeutralEvent = {
  adapter_id: string;
  event: string;
  hook_event_name?: string;
  harness_session_id?: string;
  harness_task_id?: string;
  frame_context?: LifecycleFrameContext;
  details: { [key: string]: unknown };
  omitted?: string[];
};

export type LifecycleFrameContext = { frame_id: string; frame_class: "top_level" | "subcall" };

/** Params of `serverRequest/resolved`: A request of the server no longer needs a response. */
export type ServerRequestResolvedNotification = { threadId: string; requestId: RequestId };

/** Params of `approval/changed`: A question of some thread was asked, answered or closed. Only for connections that asked for it. */
export type ApprovalChangedNotification = { approval: Approval };

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

/** Params of `autoApprovalReview/strictReviewRequired`: The automatic reviewer reviews every further action of the turn. */
export type StrictReviewRequiredNotification = { threadId: string; turnId: string; startedAtMs: number };

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

/** Params of `process/outputDelta`: More output of a process that the client started. */
export type ProcessOutputDeltaNotification = {
  processHandle: string;
  stream: ProcessOutputStream;
  deltaBase64: string;
  capReached: boolean;
};

export type ProcessOutputStream = "stdout" | "stderr";

/** Params of `process/exited`: A process that the client started has ended. */
export type ProcessExitedNotification = {
  processHandle: string;
  exitCode: number;
  outputDrainTimedOut?: boolean | null;
  stdout: string;
  stdoutCapReached: boolean;
  stderr: string;
  stderrCapReached: boolean;
};

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

export type ModelRerouteReason = "highRiskCyberActivity" | "providerUnavailable";

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

/** Params of `device/changed`: A device was paired or revoked by this server. Only for connections with the scope `admin`. */
export type DeviceChangedNotification = { device: Device };

/** What a client can ask of the server. */
export type ClientRequests = {
  /** Initializes a connection with the client's name, capabilities and excluded notifications. */
  initialize: { params: InitializeParams; result: InitializeResponse };
  /** Reads the resource usage of the server process. */
  "server/diagnostics": { params: ServerDiagnosticsParams; result: ServerDiagnosticsResponse };
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
  /** Chooses whether a thread may feed and use memory. */
  "thread/memoryMode/set": { params: ThreadMemoryModeSetParams; result: ThreadMemoryModeSetResponse };
  /** Changes the settings that later turns of a thread start with. */
  "thread/settings/update": { params: ThreadSettingsUpdateParams; result: ThreadSettingsUpdateResponse };
  /** Pages through stored threads. */
  "thread/list": { params: ThreadListParams; result: ThreadListResponse };
  /** Pages through the ids of the threads in memory. */
  "thread/loaded/list": { params: ThreadLoadedListParams; result: ThreadLoadedListResponse };
  /** Reads a thread without subscribing to it. */
  "thread/read": { params: ThreadReadParams; result: ThreadReadResponse };
  /** Records how far the user has read a thread. */
  "thread/readState/update": { params: ThreadReadStateUpdateParams; result: ThreadReadStateUpdateResponse };
  /** Finds threads by their text. */
  "thread/search": { params: ThreadSearchParams; result: ThreadSearchResponse };
  /** Finds the places in one thread where a text occurs. */
  "thread/searchOccurrences": { params: ThreadSearchOccurrencesParams; result: ThreadSearchOccurrencesResponse };
  /** Takes a thread back to the state before one of its turns. */
  "thread/revert": { params: ThreadRevertParams; result: ThreadRevertResponse };
  /** Pages through the turns of a thread. */
  "thread/turns/list": { params: ThreadTurnsListParams; result: ThreadTurnsListResponse };
  /** Pages through the items of a thread or of one turn. */
  "thread/items/list": { params: ThreadItemsListParams; result: ThreadItemsListResponse };
  /** Reads chosen items of one turn. */
  "thread/items/read": { params: ThreadItemsReadParams; result: ThreadItemsReadResponse };
  /** Appends raw model items to the history without starting a turn. */
  "thread/inject_items": { params: ThreadInjectItemsParams; result: ThreadInjectItemsResponse };
  /** Pages through turns and items in the order in which they were recorded. */
  "thread/timeline/list": { params: ThreadTimelineListParams; result: ThreadTimelineListResponse };
  /** Sends the durable events of a thread after a position, then `thread/synced`, then new ones. Does not load the thread. */
  "thread/subscribe": { params: ThreadSubscribeParams; result: ThreadSubscribeResponse };
  /** Reads a page of the durable events of a thread after a position, the oldest first. */
  "thread/events/list": { params: ThreadEventsListParams; result: ThreadEventsListResponse };
  /** Starts a turn with the user's input; if a turn is running, the input is added to it. */
  "turn/start": { params: TurnStartParams; result: TurnStartResponse };
  /** Changes the settings of the running turn. */
  "turn/settings/update": { params: TurnSettingsUpdateParams; result: TurnSettingsUpdateResponse };
  /** Adds input to the running turn. */
  "turn/steer": { params: TurnSteerParams; result: TurnSteerResponse };
  /** Stops the running turn. */
  "turn/interrupt": { params: TurnInterruptParams; result: TurnInterruptResponse };
  /** Starts a review of changes, in the thread or in a new one. */
  "review/start": { params: ReviewStartParams; result: ReviewStartResponse };
  /** Appends a turn to a thread's queue; it starts when the thread is free. */
  "thread/queue/add": { params: ThreadQueueAddParams; result: ThreadQueueAddResponse };
  /** Pages through the turns that wait in a thread's queue. */
  "thread/queue/list": { params: ThreadQueueListParams; result: ThreadQueueListResponse };
  /** Replaces the input of a waiting turn at its position. */
  "thread/queue/update": { params: ThreadQueueUpdateParams; result: ThreadQueueUpdateResponse };
  /** Removes a waiting turn from the queue. */
  "thread/queue/delete": { params: ThreadQueueDeleteParams; result: ThreadQueueDeleteResponse };
  /** Reorders all waiting turns. */
  "thread/queue/reorder": { params: ThreadQueueReorderParams; result: ThreadQueueReorderResponse };
  /** Starts a waiting turn now: the first one, or a chosen one. */
  "thread/queue/start": { params: ThreadQueueStartParams; result: ThreadQueueStartResponse };
  /** Pauses the queue until it is resumed, even across restarts. */
  "thread/queue/pause": { params: ThreadQueuePauseParams; result: ThreadQueuePauseResponse };
  /** Resumes a paused queue. */
  "thread/queue/resume": { params: ThreadQueueResumeParams; result: ThreadQueueResumeResponse };
  /** Submits a turn in any state of the thread: it joins the running turn, starts, or waits in the queue. */
  "thread/submit": { params: TurnStartParams; result: ThreadSubmitResponse };
  /** Pages through the threads that have a queue, the latest thread first. */
  "queue/list": { params: QueueListParams; result: QueueListResponse };
  /** Creates a schedule: a cron line with a time zone or one time, where it runs, and what is said. */
  "schedule/create": { params: ScheduleCreateParams; result: ScheduleCreateResponse };
  /** Pages through the schedules of the home, with their last and next runs. */
  "schedule/list": { params: ScheduleListParams; result: ScheduleListResponse };
  /** Changes, pauses or resumes a schedule. */
  "schedule/update": { params: ScheduleUpdateParams; result: ScheduleUpdateResponse };
  /** Deletes a schedule. Turns that it has queued stay. */
  "schedule/delete": { params: ScheduleDeleteParams; result: ScheduleDeleteResponse };
  /** Queues the turn of a schedule now, also of a paused one; its times stay as they are. */
  "schedule/runNow": { params: ScheduleRunNowParams; result: ScheduleRunNowResponse };
  /** Queues a turn for an event from outside, once for each key, whether or not the thread is loaded. */
  "thread/wake": { params: ThreadWakeParams; result: ThreadWakeResponse };
  /** Creates a token with which a program may wake the thread by HTTP. */
  "thread/wakeToken/create": { params: ThreadWakeTokenCreateParams; result: ThreadWakeTokenCreateResponse };
  /** Lists the tokens that may wake the thread. */
  "thread/wakeToken/list": { params: ThreadWakeTokenListParams; result: ThreadWakeTokenListResponse };
  /** Revokes a token at once. */
  "thread/wakeToken/revoke": { params: ThreadWakeTokenRevokeParams; result: ThreadWakeTokenRevokeResponse };
  /** Lists the webhooks of the configuration, and pages through deliveries, the newest first. */
  "webhook/list": { params: WebhookListParams; result: WebhookListResponse };
  /** Makes a delivery, or all of an endpoint, due now; switches an endpoint on that was off. */
  "webhook/retry": { params: WebhookRetryParams; result: WebhookRetryResponse };
  /** Sends a test event now, once, and returns how it was answered. */
  "webhook/test": { params: WebhookTestParams; result: WebhookTestResponse };
  /** Creates or changes the goal that a thread works towards. */
  "thread/goal/set": { params: ThreadGoalSetParams; result: ThreadGoalSetResponse };
  /** Reads the goal of a thread. */
  "thread/goal/get": { params: ThreadGoalGetParams; result: ThreadGoalGetResponse };
  /** Removes the goal of a thread. */
  "thread/goal/clear": { params: ThreadGoalClearParams; result: ThreadGoalClearResponse };
  /** Lists the hooks that apply in given folders, with their trust and any problems. */
  "hooks/list": { params: HooksListParams; result: HooksListResponse };
  /** Runs the hooks of an event without a thread, and returns what would come of it. */
  "hook/test": { params: HookTestParams; result: HookTestResponse };
  /** Runs the hooks of today at the moments of a stored thread, a page of them, and compares. */
  "hook/replay": { params: HookReplayParams; result: HookReplayResponse };
  /** Subscribes the connection to the neutral events of a loaded thread. */
  "lifecycle/subscribe": { params: LifecycleSubscribeParams; result: LifecycleSubscribeResponse };
  /** Ends a subscription of the connection to neutral events. */
  "lifecycle/unsubscribe": { params: LifecycleUnsubscribeParams; result: LifecycleUnsubscribeResponse };
  /** Pages through the questions of all threads, open ones first asked first, others newest first. */
  "approval/list": { params: ApprovalListParams; result: ApprovalListResponse };
  /** Answers an open question of any thread, loaded or not; the first answer counts. */
  "approval/answer": { params: ApprovalAnswerParams; result: ApprovalAnswerResponse };
  /** Pages through the log of permission decisions, the newest first. */
  "decision/list": { params: DecisionListParams; result: DecisionListResponse };
  /** Lists the rules about commands that are in force in a folder, in their order. */
  "rule/list": { params: RuleListParams; result: RuleListResponse };
  /** Pages through the changes that clients with a token have made, the newest first. */
  "audit/list": { params: AuditListParams; result: AuditListResponse };
  /** Announces that a prompt outside the protocol is open, so that time-outs wait. */
  "thread/increment_elicitation": { params: ThreadIncrementElicitationParams; result: ThreadIncrementElicitationResponse };
  /** Announces that a prompt outside the protocol was closed. */
  "thread/decrement_elicitation": { params: ThreadDecrementElicitationParams; result: ThreadDecrementElicitationResponse };
  /** Starts a turn that replaces the history by a summary. */
  "thread/compact/start": { params: ThreadCompactStartParams; result: ThreadCompactStartResponse };
  /** Runs a command of the user, outside the sandbox, and shows it to the model. */
  "thread/shellCommand": { params: ThreadShellCommandParams; result: ThreadShellCommandResponse };
  /** Allows an action that the automatic reviewer refused. */
  "thread/approveGuardianDeniedAction": { params: ThreadApproveGuardianDeniedActionParams; result: ThreadApproveGuardianDeniedActionResponse };
  /** Stops every process that a thread left running. */
  "thread/backgroundTerminals/clean": { params: ThreadBackgroundTerminalsCleanParams; result: ThreadBackgroundTerminalsCleanResponse };
  /** Pages through the processes that a thread left running. */
  "thread/backgroundTerminals/list": { params: ThreadBackgroundTerminalsListParams; result: ThreadBackgroundTerminalsListResponse };
  /** Stops one process that a thread left running. */
  "thread/backgroundTerminals/terminate": { params: ThreadBackgroundTerminalsTerminateParams; result: ThreadBackgroundTerminalsTerminateResponse };
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
  /** Opens a file search whose query changes while the user types. */
  "fuzzyFileSearch/sessionStart": { params: FuzzyFileSearchSessionStartParams; result: FuzzyFileSearchSessionStartResponse };
  /** Changes the query of a file search. */
  "fuzzyFileSearch/sessionUpdate": { params: FuzzyFileSearchSessionUpdateParams; result: FuzzyFileSearchSessionUpdateResponse };
  /** Closes a file search. */
  "fuzzyFileSearch/sessionStop": { params: FuzzyFileSearchSessionStopParams; result: FuzzyFileSearchSessionStopResponse };
  /** Runs one command in the sandbox and responds when it has ended. */
  "command/exec": { params: CommandExecParams; result: CommandExecResponse };
  /** Writes to the input of a running command. */
  "command/exec/write": { params: CommandExecWriteParams; result: CommandExecWriteResponse };
  /** Stops a running command. */
  "command/exec/terminate": { params: CommandExecTerminateParams; result: CommandExecTerminateResponse };
  /** Changes the terminal size of a running command. */
  "command/exec/resize": { params: CommandExecResizeParams; result: CommandExecResizeResponse };
  /** Starts a process outside the sandbox and responds at once. */
  "process/spawn": { params: ProcessSpawnParams; result: ProcessSpawnResponse };
  /** Writes to the input of a process. */
  "process/writeStdin": { params: ProcessWriteStdinParams; result: ProcessWriteStdinResponse };
  /** Stops a process. */
  "process/kill": { params: ProcessKillParams; result: ProcessKillResponse };
  /** Changes the terminal size of a process. */
  "process/resizePty": { params: ProcessResizePtyParams; result: ProcessResizePtyResponse };
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
  /** Lists the presets of collaboration. */
  "collaborationMode/list": { params: CollaborationModeListParams; result: CollaborationModeListResponse };
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
  /** Sums the tokens that all threads have spent, and their cost, by day, folder and model. */
  "usage/summary": { params: UsageSummaryParams; result: UsageSummaryResponse };
  /** Pages through the runs of hooks in all threads, the newest first. */
  "hook/run/list": { params: HookRunListParams; result: HookRunListResponse };
  /** Reads the load of the server and who is connected to it. */
  "server/status": { params: ServerStatusParams; result: ServerStatusResponse };
  /** Reads the values of all metrics; events are counted from the first call on. */
  "metrics/list": { params: MetricsListParams; result: MetricsListResponse };
  /** Examines the set-up of the server, as `heddle doctor` does without its history. */
  "doctor/run": { params: DoctorRunParams; result: DoctorRunResponse };
  /** Reads the shell and the folder of an environment. */
  "environment/info": { params: EnvironmentInfoParams; result: EnvironmentInfoResponse };
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
  /** Lists the paired devices, the newest first. */
  "device/list": { params: DeviceListParams; result: DeviceListResponse };
  /** Creates a code that pairs one device within ten minutes. */
  "device/pair": { params: DevicePairParams; result: DevicePairResponse };
  /** Revokes a device and ends its connections. */
  "device/revoke": { params: DeviceRevokeParams; result: DeviceRevokeResponse };
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
  /** Requests the user's current time. */
  "currentTime/read": { params: CurrentTimeReadParams; result: CurrentTimeReadResponse };
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
  /** The settings of a thread changed. */
  "thread/settings/updated": ThreadSettingsUpdatedNotification;
  /** A model response was accounted for. */
  "thread/tokenUsage/updated": ThreadTokenUsageUpdatedNotification;
  /** The first unread position of a thread changed. */
  "thread/readState/changed": ThreadReadStateChangedNotification;
  /** What a list shows of a thread has changed. Only for connections with the capability `threadSummaries`, at most once in 250 ms for each thread. */
  "thread/summary/changed": ThreadSummaryChangedNotification;
  /** A thread was reverted to an earlier state; copies of clients are stale. */
  "thread/reverted": ThreadRevertedNotification;
  /** All durable events up to a position were sent; those that follow are new. */
  "thread/synced": ThreadSyncedNotification;
  /** The thread has no event at the position that a client asked for: what the client has after `fromSeq` is stale. */
  "thread/resync": ThreadResyncNotification;
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
  /** The provider's moderation result for a turn. */
  "turn/moderationMetadata": TurnModerationMetadataNotification;
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
  /** The queue of a thread changed. */
  "thread/queue/changed": ThreadQueueChangedNotification;
  /** The queue of some thread changed. Only for connections that asked for it. */
  "queue/changed": QueueChangedNotification;
  /** A schedule was created, changed, run or deleted by this server. */
  "schedule/changed": ScheduleChangedNotification;
  /** The goal of a thread changed. */
  "thread/goal/updated": ThreadGoalUpdatedNotification;
  /** The goal of a thread was removed. */
  "thread/goal/cleared": ThreadGoalClearedNotification;
  /** A hook began to run. */
  "hook/started": HookStartedNotification;
  /** A hook ended, with its result. */
  "hook/completed": HookCompletedNotification;
  /** A neutral event of a thread, sent after its receipt is stored. */
  "lifecycle/event": LifecycleEventNotification;
  /** A request of the server no longer needs a response. */
  "serverRequest/resolved": ServerRequestResolvedNotification;
  /** A question of some thread was asked, answered or closed. Only for connections that asked for it. */
  "approval/changed": ApprovalChangedNotification;
  /** The automatic reviewer began the review of an action. */
  "item/autoApprovalReview/started": ItemGuardianApprovalReviewStartedNotification;
  /** The automatic reviewer decided about an action. */
  "item/autoApprovalReview/completed": ItemGuardianApprovalReviewCompletedNotification;
  /** The automatic reviewer reviews every further action of the turn. */
  "autoApprovalReview/strictReviewRequired": StrictReviewRequiredNotification;
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
  /** More output of a process that the client started. */
  "process/outputDelta": ProcessOutputDeltaNotification;
  /** A process that the client started has ended. */
  "process/exited": ProcessExitedNotification;
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
  /** A device was paired or revoked by this server. Only for connections with the scope `admin`. */
  "device/changed": DeviceChangedNotification;
};
