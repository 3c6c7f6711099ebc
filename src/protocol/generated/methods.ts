// Generated from src/protocol/rows by `npm run generate`. Do not edit.

import type {
  ApprovalAnswerParams,
  ApprovalAnswerResponse,
  ApprovalListParams,
  ApprovalListResponse,
  AppsListParams,
  AppsListResponse,
  AuditListParams,
  AuditListResponse,
  CancelLoginAccountParams,
  CancelLoginAccountResponse,
  CollaborationModeListParams,
  CollaborationModeListResponse,
  CommandExecParams,
  CommandExecResizeParams,
  CommandExecResizeResponse,
  CommandExecResponse,
  CommandExecTerminateParams,
  CommandExecTerminateResponse,
  CommandExecWriteParams,
  CommandExecWriteResponse,
  ConfigBatchWriteParams,
  ConfigReadParams,
  ConfigReadResponse,
  ConfigRequirementsReadResponse,
  ConfigValueWriteParams,
  ConfigWriteResponse,
  DecisionListParams,
  DecisionListResponse,
  DeviceListParams,
  DeviceListResponse,
  DevicePairParams,
  DevicePairResponse,
  DeviceRevokeParams,
  DeviceRevokeResponse,
  DoctorRunParams,
  DoctorRunResponse,
  EnvironmentInfoParams,
  EnvironmentInfoResponse,
  ExperimentalFeatureEnablementSetParams,
  ExperimentalFeatureEnablementSetResponse,
  ExperimentalFeatureListParams,
  ExperimentalFeatureListResponse,
  FsCopyParams,
  FsCopyResponse,
  FsCreateDirectoryParams,
  FsCreateDirectoryResponse,
  FsGetMetadataParams,
  FsGetMetadataResponse,
  FsReadDirectoryParams,
  FsReadDirectoryResponse,
  FsReadFileParams,
  FsReadFileResponse,
  FsRemoveParams,
  FsRemoveResponse,
  FsUnwatchParams,
  FsUnwatchResponse,
  FsWatchParams,
  FsWatchResponse,
  FsWriteFileParams,
  FsWriteFileResponse,
  FuzzyFileSearchParams,
  FuzzyFileSearchResponse,
  FuzzyFileSearchSessionStartParams,
  FuzzyFileSearchSessionStartResponse,
  FuzzyFileSearchSessionStopParams,
  FuzzyFileSearchSessionStopResponse,
  FuzzyFileSearchSessionUpdateParams,
  FuzzyFileSearchSessionUpdateResponse,
  GetAccountParams,
  GetAccountRateLimitsParams,
  GetAccountRateLimitsResponse,
  GetAccountResponse,
  GetAuthStatusParams,
  GetAuthStatusResponse,
  GetConversationSummaryParams,
  GetConversationSummaryResponse,
  GitDiffToRemoteParams,
  GitDiffToRemoteResponse,
  HookReplayParams,
  HookReplayResponse,
  HookRunListParams,
  HookRunListResponse,
  HookTestParams,
  HookTestResponse,
  HooksListParams,
  HooksListResponse,
  InitializeParams,
  InitializeResponse,
  LifecycleSubscribeParams,
  LifecycleSubscribeResponse,
  LifecycleUnsubscribeParams,
  LifecycleUnsubscribeResponse,
  ListMcpServerStatusParams,
  ListMcpServerStatusResponse,
  LoginAccountParams,
  LoginAccountResponse,
  LogoutAccountResponse,
  McpResourceReadParams,
  McpResourceReadResponse,
  McpServerOauthLoginParams,
  McpServerOauthLoginResponse,
  McpServerRefreshResponse,
  McpServerToolCallParams,
  McpServerToolCallResponse,
  MetricsListParams,
  MetricsListResponse,
  ModelListParams,
  ModelListResponse,
  ModelProviderCapabilitiesReadParams,
  ModelProviderCapabilitiesReadResponse,
  PermissionProfileListParams,
  PermissionProfileListResponse,
  PluginListParams,
  PluginListResponse,
  ProcessKillParams,
  ProcessKillResponse,
  ProcessResizePtyParams,
  ProcessResizePtyResponse,
  ProcessSpawnParams,
  ProcessSpawnResponse,
  ProcessWriteStdinParams,
  ProcessWriteStdinResponse,
  QueueListParams,
  QueueListResponse,
  ReviewStartParams,
  ReviewStartResponse,
  RuleListParams,
  RuleListResponse,
  ScheduleCreateParams,
  ScheduleCreateResponse,
  ScheduleDeleteParams,
  ScheduleDeleteResponse,
  ScheduleListParams,
  ScheduleListResponse,
  ScheduleRunNowParams,
  ScheduleRunNowResponse,
  ScheduleUpdateParams,
  ScheduleUpdateResponse,
  ServerDiagnosticsParams,
  ServerDiagnosticsResponse,
  ServerStatusParams,
  ServerStatusResponse,
  SkillsConfigWriteParams,
  SkillsConfigWriteResponse,
  SkillsExtraRootsSetParams,
  SkillsExtraRootsSetResponse,
  SkillsListParams,
  SkillsListResponse,
  ThreadApproveGuardianDeniedActionParams,
  ThreadApproveGuardianDeniedActionResponse,
  ThreadArchiveParams,
  ThreadArchiveResponse,
  ThreadBackgroundTerminalsCleanParams,
  ThreadBackgroundTerminalsCleanResponse,
  ThreadBackgroundTerminalsListParams,
  ThreadBackgroundTerminalsListResponse,
  ThreadBackgroundTerminalsTerminateParams,
  ThreadBackgroundTerminalsTerminateResponse,
  ThreadCompactStartParams,
  ThreadCompactStartResponse,
  ThreadDecrementElicitationParams,
  ThreadDecrementElicitationResponse,
  ThreadDeleteParams,
  ThreadDeleteResponse,
  ThreadEventsListParams,
  ThreadEventsListResponse,
  ThreadForkParams,
  ThreadForkResponse,
  ThreadGoalClearParams,
  ThreadGoalClearResponse,
  ThreadGoalGetParams,
  ThreadGoalGetResponse,
  ThreadGoalSetParams,
  ThreadGoalSetResponse,
  ThreadIncrementElicitationParams,
  ThreadIncrementElicitationResponse,
  ThreadInjectItemsParams,
  ThreadInjectItemsResponse,
  ThreadItemsListParams,
  ThreadItemsListResponse,
  ThreadItemsReadParams,
  ThreadItemsReadResponse,
  ThreadListParams,
  ThreadListResponse,
  ThreadLoadedListParams,
  ThreadLoadedListResponse,
  ThreadMemoryModeSetParams,
  ThreadMemoryModeSetResponse,
  ThreadMetadataUpdateParams,
  ThreadMetadataUpdateResponse,
  ThreadQueueAddParams,
  ThreadQueueAddResponse,
  ThreadQueueDeleteParams,
  ThreadQueueDeleteResponse,
  ThreadQueueListParams,
  ThreadQueueListResponse,
  ThreadQueuePauseParams,
  ThreadQueuePauseResponse,
  ThreadQueueReorderParams,
  ThreadQueueReorderResponse,
  ThreadQueueResumeParams,
  ThreadQueueResumeResponse,
  ThreadQueueStartParams,
  ThreadQueueStartResponse,
  ThreadQueueUpdateParams,
  ThreadQueueUpdateResponse,
  ThreadReadParams,
  ThreadReadResponse,
  ThreadReadStateUpdateParams,
  ThreadReadStateUpdateResponse,
  ThreadResumeParams,
  ThreadResumeResponse,
  ThreadRevertParams,
  ThreadRevertResponse,
  ThreadSearchOccurrencesParams,
  ThreadSearchOccurrencesResponse,
  ThreadSearchParams,
  ThreadSearchResponse,
  ThreadSetNameParams,
  ThreadSetNameResponse,
  ThreadSettingsUpdateParams,
  ThreadSettingsUpdateResponse,
  ThreadShellCommandParams,
  ThreadShellCommandResponse,
  ThreadStartParams,
  ThreadStartResponse,
  ThreadSubmitResponse,
  ThreadSubscribeParams,
  ThreadSubscribeResponse,
  ThreadTimelineListParams,
  ThreadTimelineListResponse,
  ThreadTurnsListParams,
  ThreadTurnsListResponse,
  ThreadUnarchiveParams,
  ThreadUnarchiveResponse,
  ThreadUnsubscribeParams,
  ThreadUnsubscribeResponse,
  ThreadWakeParams,
  ThreadWakeResponse,
  ThreadWakeTokenCreateParams,
  ThreadWakeTokenCreateResponse,
  ThreadWakeTokenListParams,
  ThreadWakeTokenListResponse,
  ThreadWakeTokenRevokeParams,
  ThreadWakeTokenRevokeResponse,
  TurnInterruptParams,
  TurnInterruptResponse,
  TurnSettingsUpdateParams,
  TurnSettingsUpdateResponse,
  TurnStartParams,
  TurnStartResponse,
  TurnSteerParams,
  TurnSteerResponse,
  UsageSummaryParams,
  UsageSummaryResponse,
  WebhookListParams,
  WebhookListResponse,
  WebhookRetryParams,
  WebhookRetryResponse,
  WebhookTestParams,
  WebhookTestResponse,
} from "./types.ts";

/** Every request of the protocol as a function, by the parts of its name: `client.thread.start({})`. */
export interface Methods {
  /** Initializes a connection with the client's name, capabilities and excluded notifications. */
  initialize(params: InitializeParams, signal?: AbortSignal): Promise<InitializeResponse>;
  readonly server: {
    /** Reads the resource usage of the server process. @experimental */
    diagnostics(params?: ServerDiagnosticsParams, signal?: AbortSignal): Promise<ServerDiagnosticsResponse>;
    /** Reads the load of the server and who is connected to it. @experimental */
    status(params?: ServerStatusParams, signal?: AbortSignal): Promise<ServerStatusResponse>;
  };
  readonly thread: {
    /** Creates a thread and subscribes the caller to it. */
    start(params?: ThreadStartParams, signal?: AbortSignal): Promise<ThreadStartResponse>;
    /** Loads a stored thread, or joins a loaded one, and subscribes the caller to it. */
    resume(params: ThreadResumeParams, signal?: AbortSignal): Promise<ThreadResumeResponse>;
    /** Creates a thread whose history begins as a copy of another's. */
    fork(params: ThreadForkParams, signal?: AbortSignal): Promise<ThreadForkResponse>;
    /** Hides a thread from lists without deleting it. */
    archive(params: ThreadArchiveParams, signal?: AbortSignal): Promise<ThreadArchiveResponse>;
    /** Brings an archived thread back into lists. */
    unarchive(params: ThreadUnarchiveParams, signal?: AbortSignal): Promise<ThreadUnarchiveResponse>;
    /** Deletes a thread and its history permanently. */
    delete(params: ThreadDeleteParams, signal?: AbortSignal): Promise<ThreadDeleteResponse>;
    /** Stops the caller's notifications about a thread. */
    unsubscribe(params: ThreadUnsubscribeParams, signal?: AbortSignal): Promise<ThreadUnsubscribeResponse>;
    readonly name: {
      /** Gives a thread a title. */
      set(params: ThreadSetNameParams, signal?: AbortSignal): Promise<ThreadSetNameResponse>;
    };
    readonly metadata: {
      /** Changes the metadata of a thread. */
      update(params: ThreadMetadataUpdateParams, signal?: AbortSignal): Promise<ThreadMetadataUpdateResponse>;
    };
    readonly memoryMode: {
      /** Chooses whether a thread may feed and use memory. @experimental */
      set(params: ThreadMemoryModeSetParams, signal?: AbortSignal): Promise<ThreadMemoryModeSetResponse>;
    };
    readonly settings: {
      /** Changes the settings that later turns of a thread start with. @experimental */
      update(params: ThreadSettingsUpdateParams, signal?: AbortSignal): Promise<ThreadSettingsUpdateResponse>;
    };
    /** Pages through stored threads. */
    list(params?: ThreadListParams, signal?: AbortSignal): Promise<ThreadListResponse>;
    readonly loaded: {
      /** Pages through the ids of the threads in memory. */
      list(params?: ThreadLoadedListParams, signal?: AbortSignal): Promise<ThreadLoadedListResponse>;
    };
    /** Reads a thread without subscribing to it. */
    read(params: ThreadReadParams, signal?: AbortSignal): Promise<ThreadReadResponse>;
    readonly readState: {
      /** Records how far the user has read a thread. @experimental */
      update(params: ThreadReadStateUpdateParams, signal?: AbortSignal): Promise<ThreadReadStateUpdateResponse>;
    };
    /** Finds threads by their text. @experimental */
    search(params: ThreadSearchParams, signal?: AbortSignal): Promise<ThreadSearchResponse>;
    /** Finds the places in one thread where a text occurs. @experimental */
    searchOccurrences(params: ThreadSearchOccurrencesParams, signal?: AbortSignal): Promise<ThreadSearchOccurrencesResponse>;
    /** Takes a thread back to the state before one of its turns. */
    revert(params: ThreadRevertParams, signal?: AbortSignal): Promise<ThreadRevertResponse>;
    readonly turns: {
      /** Pages through the turns of a thread. */
      list(params: ThreadTurnsListParams, signal?: AbortSignal): Promise<ThreadTurnsListResponse>;
    };
    readonly items: {
      /** Pages through the items of a thread or of one turn. */
      list(params: ThreadItemsListParams, signal?: AbortSignal): Promise<ThreadItemsListResponse>;
      /** Reads chosen items of one turn. @experimental */
      read(params: ThreadItemsReadParams, signal?: AbortSignal): Promise<ThreadItemsReadResponse>;
    };
    /** Appends raw model items to the history without starting a turn. */
    inject_items(params: ThreadInjectItemsParams, signal?: AbortSignal): Promise<ThreadInjectItemsResponse>;
    readonly timeline: {
      /** Pages through turns and items in the order in which they were recorded. @experimental */
      list(params: ThreadTimelineListParams, signal?: AbortSignal): Promise<ThreadTimelineListResponse>;
    };
    /** Sends the durable events of a thread after a position, then `thread/synced`, then new ones. Does not load the thread. @experimental */
    subscribe(params: ThreadSubscribeParams, signal?: AbortSignal): Promise<ThreadSubscribeResponse>;
    readonly events: {
      /** Reads a page of the durable events of a thread after a position, the oldest first. @experimental */
      list(params: ThreadEventsListParams, signal?: AbortSignal): Promise<ThreadEventsListResponse>;
    };
    readonly queue: {
      /** Appends a turn to a thread's queue; it starts when the thread is free. @experimental */
      add(params: ThreadQueueAddParams, signal?: AbortSignal): Promise<ThreadQueueAddResponse>;
      /** Pages through the turns that wait in a thread's queue. @experimental */
      list(params: ThreadQueueListParams, signal?: AbortSignal): Promise<ThreadQueueListResponse>;
      /** Replaces the input of a waiting turn at its position. @experimental */
      update(params: ThreadQueueUpdateParams, signal?: AbortSignal): Promise<ThreadQueueUpdateResponse>;
      /** Removes a waiting turn from the queue. @experimental */
      delete(params: ThreadQueueDeleteParams, signal?: AbortSignal): Promise<ThreadQueueDeleteResponse>;
      /** Reorders all waiting turns. @experimental */
      reorder(params: ThreadQueueReorderParams, signal?: AbortSignal): Promise<ThreadQueueReorderResponse>;
      /** Starts a waiting turn now: the first one, or a chosen one. @experimental */
      start(params: ThreadQueueStartParams, signal?: AbortSignal): Promise<ThreadQueueStartResponse>;
      /** Pauses the queue until it is resumed, even across restarts. @experimental */
      pause(params: ThreadQueuePauseParams, signal?: AbortSignal): Promise<ThreadQueuePauseResponse>;
      /** Resumes a paused queue. @experimental */
      resume(params: ThreadQueueResumeParams, signal?: AbortSignal): Promise<ThreadQueueResumeResponse>;
    };
    /** Submits a turn in any state of the thread: it joins the running turn, starts, or waits in the queue. @experimental */
    submit(params: TurnStartParams, signal?: AbortSignal): Promise<ThreadSubmitResponse>;
    /** Queues a turn for an event from outside, once for each key, whether or not the thread is loaded. @experimental */
    wake(params: ThreadWakeParams, signal?: AbortSignal): Promise<ThreadWakeResponse>;
    readonly wakeToken: {
      /** Creates a token with which a program may wake the thread by HTTP. @experimental */
      create(params: ThreadWakeTokenCreateParams, signal?: AbortSignal): Promise<ThreadWakeTokenCreateResponse>;
      /** Lists the tokens that may wake the thread. @experimental */
      list(params: ThreadWakeTokenListParams, signal?: AbortSignal): Promise<ThreadWakeTokenListResponse>;
      /** Revokes a token at once. @experimental */
      revoke(params: ThreadWakeTokenRevokeParams, signal?: AbortSignal): Promise<ThreadWakeTokenRevokeResponse>;
    };
    readonly goal: {
      /** Creates or changes the goal that a thread works towards. */
      set(params: ThreadGoalSetParams, signal?: AbortSignal): Promise<ThreadGoalSetResponse>;
      /** Reads the goal of a thread. */
      get(params: ThreadGoalGetParams, signal?: AbortSignal): Promise<ThreadGoalGetResponse>;
      /** Removes the goal of a thread. */
      clear(params: ThreadGoalClearParams, signal?: AbortSignal): Promise<ThreadGoalClearResponse>;
    };
    /** Announces that a prompt outside the protocol is open, so that time-outs wait. @experimental */
    increment_elicitation(params: ThreadIncrementElicitationParams, signal?: AbortSignal): Promise<ThreadIncrementElicitationResponse>;
    /** Announces that a prompt outside the protocol was closed. @experimental */
    decrement_elicitation(params: ThreadDecrementElicitationParams, signal?: AbortSignal): Promise<ThreadDecrementElicitationResponse>;
    readonly compact: {
      /** Starts a turn that replaces the history by a summary. */
      start(params: ThreadCompactStartParams, signal?: AbortSignal): Promise<ThreadCompactStartResponse>;
    };
    /** Runs a command of the user, outside the sandbox, and shows it to the model. */
    shellCommand(params: ThreadShellCommandParams, signal?: AbortSignal): Promise<ThreadShellCommandResponse>;
    /** Allows an action that the automatic reviewer refused. */
    approveGuardianDeniedAction(params: ThreadApproveGuardianDeniedActionParams, signal?: AbortSignal): Promise<ThreadApproveGuardianDeniedActionResponse>;
    readonly backgroundTerminals: {
      /** Stops every process that a thread left running. @experimental */
      clean(params: ThreadBackgroundTerminalsCleanParams, signal?: AbortSignal): Promise<ThreadBackgroundTerminalsCleanResponse>;
      /** Pages through the processes that a thread left running. @experimental */
      list(params: ThreadBackgroundTerminalsListParams, signal?: AbortSignal): Promise<ThreadBackgroundTerminalsListResponse>;
      /** Stops one process that a thread left running. @experimental */
      terminate(params: ThreadBackgroundTerminalsTerminateParams, signal?: AbortSignal): Promise<ThreadBackgroundTerminalsTerminateResponse>;
    };
  };
  readonly turn: {
    /** Starts a turn with the user's input; if a turn is running, the input is added to it. */
    start(params: TurnStartParams, signal?: AbortSignal): Promise<TurnStartResponse>;
    readonly settings: {
      /** Changes the settings of the running turn. @experimental */
      update(params: TurnSettingsUpdateParams, signal?: AbortSignal): Promise<TurnSettingsUpdateResponse>;
    };
    /** Adds input to the running turn. */
    steer(params: TurnSteerParams, signal?: AbortSignal): Promise<TurnSteerResponse>;
    /** Stops the running turn. */
    interrupt(params: TurnInterruptParams, signal?: AbortSignal): Promise<TurnInterruptResponse>;
  };
  readonly review: {
    /** Starts a review of changes, in the thread or in a new one. */
    start(params: ReviewStartParams, signal?: AbortSignal): Promise<ReviewStartResponse>;
  };
  readonly queue: {
    /** Pages through the threads that have a queue, the latest thread first. @experimental */
    list(params?: QueueListParams, signal?: AbortSignal): Promise<QueueListResponse>;
  };
  readonly schedule: {
    /** Creates a schedule: a cron line with a time zone or one time, where it runs, and what is said. @experimental */
    create(params: ScheduleCreateParams, signal?: AbortSignal): Promise<ScheduleCreateResponse>;
    /** Pages through the schedules of the home, with their last and next runs. @experimental */
    list(params?: ScheduleListParams, signal?: AbortSignal): Promise<ScheduleListResponse>;
    /** Changes, pauses or resumes a schedule. @experimental */
    update(params: ScheduleUpdateParams, signal?: AbortSignal): Promise<ScheduleUpdateResponse>;
    /** Deletes a schedule. Turns that it has queued stay. @experimental */
    delete(params: ScheduleDeleteParams, signal?: AbortSignal): Promise<ScheduleDeleteResponse>;
    /** Queues the turn of a schedule now, also of a paused one; its times stay as they are. @experimental */
    runNow(params: ScheduleRunNowParams, signal?: AbortSignal): Promise<ScheduleRunNowResponse>;
  };
  readonly webhook: {
    /** Lists the webhooks of the configuration, and pages through deliveries, the newest first. @experimental */
    list(params?: WebhookListParams, signal?: AbortSignal): Promise<WebhookListResponse>;
    /** Makes a delivery, or all of an endpoint, due now; switches an endpoint on that was off. @experimental */
    retry(params?: WebhookRetryParams, signal?: AbortSignal): Promise<WebhookRetryResponse>;
    /** Sends a test event now, once, and returns how it was answered. @experimental */
    test(params?: WebhookTestParams, signal?: AbortSignal): Promise<WebhookTestResponse>;
  };
  readonly hooks: {
    /** Lists the hooks that apply in given folders, with their trust and any problems. */
    list(params?: HooksListParams, signal?: AbortSignal): Promise<HooksListResponse>;
  };
  readonly hook: {
    /** Runs the hooks of an event without a thread, and returns what would come of it. @experimental */
    test(params: HookTestParams, signal?: AbortSignal): Promise<HookTestResponse>;
    /** Runs the hooks of today at the moments of a stored thread, a page of them, and compares. @experimental */
    replay(params: HookReplayParams, signal?: AbortSignal): Promise<HookReplayResponse>;
    readonly run: {
      /** Pages through the runs of hooks in all threads, the newest first. @experimental */
      list(params?: HookRunListParams, signal?: AbortSignal): Promise<HookRunListResponse>;
    };
  };
  readonly lifecycle: {
    /** Subscribes the connection to the neutral events of a loaded thread. @experimental */
    subscribe(params: LifecycleSubscribeParams, signal?: AbortSignal): Promise<LifecycleSubscribeResponse>;
    /** Ends a subscription of the connection to neutral events. @experimental */
    unsubscribe(params: LifecycleUnsubscribeParams, signal?: AbortSignal): Promise<LifecycleUnsubscribeResponse>;
  };
  readonly approval: {
    /** Pages through the questions of all threads, open ones first asked first, others newest first. @experimental */
    list(params?: ApprovalListParams, signal?: AbortSignal): Promise<ApprovalListResponse>;
    /** Answers an open question of any thread, loaded or not; the first answer counts. @experimental */
    answer(params: ApprovalAnswerParams, signal?: AbortSignal): Promise<ApprovalAnswerResponse>;
  };
  readonly decision: {
    /** Pages through the log of permission decisions, the newest first. @experimental */
    list(params?: DecisionListParams, signal?: AbortSignal): Promise<DecisionListResponse>;
  };
  readonly rule: {
    /** Lists the rules about commands that are in force in a folder, in their order. @experimental */
    list(params?: RuleListParams, signal?: AbortSignal): Promise<RuleListResponse>;
  };
  readonly audit: {
    /** Pages through the changes that clients with a token have made, the newest first. @experimental */
    list(params?: AuditListParams, signal?: AbortSignal): Promise<AuditListResponse>;
  };
  readonly fs: {
    /** Reads a file of the server's machine. */
    readFile(params: FsReadFileParams, signal?: AbortSignal): Promise<FsReadFileResponse>;
    /** Writes a file of the server's machine. */
    writeFile(params: FsWriteFileParams, signal?: AbortSignal): Promise<FsWriteFileResponse>;
    /** Creates a folder, by default with its parents. */
    createDirectory(params: FsCreateDirectoryParams, signal?: AbortSignal): Promise<FsCreateDirectoryResponse>;
    /** Reads the kind and the times of a path. */
    getMetadata(params: FsGetMetadataParams, signal?: AbortSignal): Promise<FsGetMetadataResponse>;
    /** Lists the direct children of a folder. */
    readDirectory(params: FsReadDirectoryParams, signal?: AbortSignal): Promise<FsReadDirectoryResponse>;
    /** Removes a file or folder. */
    remove(params: FsRemoveParams, signal?: AbortSignal): Promise<FsRemoveResponse>;
    /** Copies a file or folder. */
    copy(params: FsCopyParams, signal?: AbortSignal): Promise<FsCopyResponse>;
    /** Starts to report changes at a path. */
    watch(params: FsWatchParams, signal?: AbortSignal): Promise<FsWatchResponse>;
    /** Stops to report changes. */
    unwatch(params: FsUnwatchParams, signal?: AbortSignal): Promise<FsUnwatchResponse>;
  };
  /** Finds files whose path resembles a text. */
  readonly fuzzyFileSearch: {
    /** Finds files whose path resembles a text. */
    (params: FuzzyFileSearchParams, signal?: AbortSignal): Promise<FuzzyFileSearchResponse>;
    /** Opens a file search whose query changes while the user types. @experimental */
    sessionStart(params: FuzzyFileSearchSessionStartParams, signal?: AbortSignal): Promise<FuzzyFileSearchSessionStartResponse>;
    /** Changes the query of a file search. @experimental */
    sessionUpdate(params: FuzzyFileSearchSessionUpdateParams, signal?: AbortSignal): Promise<FuzzyFileSearchSessionUpdateResponse>;
    /** Closes a file search. @experimental */
    sessionStop(params: FuzzyFileSearchSessionStopParams, signal?: AbortSignal): Promise<FuzzyFileSearchSessionStopResponse>;
  };
  readonly command: {
    /** Runs one command in the sandbox and responds when it has ended. */
    readonly exec: {
      /** Runs one command in the sandbox and responds when it has ended. */
      (params: CommandExecParams, signal?: AbortSignal): Promise<CommandExecResponse>;
      /** Writes to the input of a running command. */
      write(params: CommandExecWriteParams, signal?: AbortSignal): Promise<CommandExecWriteResponse>;
      /** Stops a running command. */
      terminate(params: CommandExecTerminateParams, signal?: AbortSignal): Promise<CommandExecTerminateResponse>;
      /** Changes the terminal size of a running command. */
      resize(params: CommandExecResizeParams, signal?: AbortSignal): Promise<CommandExecResizeResponse>;
    };
  };
  readonly process: {
    /** Starts a process outside the sandbox and responds at once. @experimental */
    spawn(params: ProcessSpawnParams, signal?: AbortSignal): Promise<ProcessSpawnResponse>;
    /** Writes to the input of a process. @experimental */
    writeStdin(params: ProcessWriteStdinParams, signal?: AbortSignal): Promise<ProcessWriteStdinResponse>;
    /** Stops a process. @experimental */
    kill(params: ProcessKillParams, signal?: AbortSignal): Promise<ProcessKillResponse>;
    /** Changes the terminal size of a process. @experimental */
    resizePty(params: ProcessResizePtyParams, signal?: AbortSignal): Promise<ProcessResizePtyResponse>;
  };
  readonly config: {
    /** Reads the effective configuration and where each value comes from. */
    read(params?: ConfigReadParams, signal?: AbortSignal): Promise<ConfigReadResponse>;
    readonly value: {
      /** Writes one value of the configuration file. */
      write(params: ConfigValueWriteParams, signal?: AbortSignal): Promise<ConfigWriteResponse>;
    };
    /** Writes several values of the configuration file, all or none. */
    batchWrite(params: ConfigBatchWriteParams, signal?: AbortSignal): Promise<ConfigWriteResponse>;
    readonly mcpServer: {
      /** Reads the MCP servers from the configuration again. */
      reload(params?: Record<string, never>, signal?: AbortSignal): Promise<McpServerRefreshResponse>;
    };
  };
  readonly configRequirements: {
    /** Reads the administrator's requirements for the configuration. */
    read(params?: Record<string, never>, signal?: AbortSignal): Promise<ConfigRequirementsReadResponse>;
  };
  readonly permissionProfile: {
    /** Pages through the permission profiles that can be chosen. */
    list(params?: PermissionProfileListParams, signal?: AbortSignal): Promise<PermissionProfileListResponse>;
  };
  readonly experimentalFeature: {
    /** Pages through feature flags and their state. */
    list(params?: ExperimentalFeatureListParams, signal?: AbortSignal): Promise<ExperimentalFeatureListResponse>;
    readonly enablement: {
      /** Sets feature flags for this process. */
      set(params: ExperimentalFeatureEnablementSetParams, signal?: AbortSignal): Promise<ExperimentalFeatureEnablementSetResponse>;
    };
  };
  readonly model: {
    /** Pages through the models that can be chosen. */
    list(params?: ModelListParams, signal?: AbortSignal): Promise<ModelListResponse>;
  };
  readonly modelProvider: {
    readonly capabilities: {
      /** Reads the capabilities of the configured model provider. */
      read(params?: ModelProviderCapabilitiesReadParams, signal?: AbortSignal): Promise<ModelProviderCapabilitiesReadResponse>;
    };
  };
  readonly collaborationMode: {
    /** Lists the presets of collaboration. @experimental */
    list(params?: CollaborationModeListParams, signal?: AbortSignal): Promise<CollaborationModeListResponse>;
  };
  readonly mcpServer: {
    readonly oauth: {
      /** Starts the login to an MCP server in the browser. */
      login(params: McpServerOauthLoginParams, signal?: AbortSignal): Promise<McpServerOauthLoginResponse>;
    };
    readonly resource: {
      /** Reads a resource of an MCP server. */
      read(params: McpResourceReadParams, signal?: AbortSignal): Promise<McpResourceReadResponse>;
    };
    readonly tool: {
      /** Calls a tool of an MCP server on behalf of a thread. */
      call(params: McpServerToolCallParams, signal?: AbortSignal): Promise<McpServerToolCallResponse>;
    };
  };
  readonly mcpServerStatus: {
    /** Pages through MCP servers with their tools, resources and login state. */
    list(params?: ListMcpServerStatusParams, signal?: AbortSignal): Promise<ListMcpServerStatusResponse>;
  };
  readonly skills: {
    /** Lists the skills that apply in given folders. */
    list(params?: SkillsListParams, signal?: AbortSignal): Promise<SkillsListResponse>;
    readonly extraRoots: {
      /** Sets additional folders with skills. */
      set(params: SkillsExtraRootsSetParams, signal?: AbortSignal): Promise<SkillsExtraRootsSetResponse>;
    };
    readonly config: {
      /** Enables or disables a skill. */
      write(params: SkillsConfigWriteParams, signal?: AbortSignal): Promise<SkillsConfigWriteResponse>;
    };
  };
  readonly plugin: {
    /** Lists known plugins by marketplace. */
    list(params?: PluginListParams, signal?: AbortSignal): Promise<PluginListResponse>;
  };
  readonly app: {
    /** Pages through known apps. */
    list(params?: AppsListParams, signal?: AbortSignal): Promise<AppsListResponse>;
  };
  readonly usage: {
    /** Sums the tokens that all threads have spent, and their cost, by day, folder and model. @experimental */
    summary(params: UsageSummaryParams, signal?: AbortSignal): Promise<UsageSummaryResponse>;
  };
  readonly metrics: {
    /** Reads the values of all metrics; events are counted from the first call on. @experimental */
    list(params?: MetricsListParams, signal?: AbortSignal): Promise<MetricsListResponse>;
  };
  readonly doctor: {
    /** Examines the set-up of the server, as `heddle doctor` does without its history. @experimental */
    run(params?: DoctorRunParams, signal?: AbortSignal): Promise<DoctorRunResponse>;
  };
  readonly environment: {
    /** Reads the shell and the folder of an environment. @experimental */
    info(params: EnvironmentInfoParams, signal?: AbortSignal): Promise<EnvironmentInfoResponse>;
  };
  readonly account: {
    readonly login: {
      /** Starts a login, or stores a key at once. */
      start(params: LoginAccountParams, signal?: AbortSignal): Promise<LoginAccountResponse>;
      /** Cancels a login. */
      cancel(params: CancelLoginAccountParams, signal?: AbortSignal): Promise<CancelLoginAccountResponse>;
    };
    /** Deletes the stored credentials. */
    logout(params?: Record<string, never>, signal?: AbortSignal): Promise<LogoutAccountResponse>;
    /** Reads the account that is logged in. */
    read(params?: GetAccountParams, signal?: AbortSignal): Promise<GetAccountResponse>;
    readonly rateLimits: {
      /** Reads the usage limits of the account. */
      read(params?: GetAccountRateLimitsParams, signal?: AbortSignal): Promise<GetAccountRateLimitsResponse>;
    };
  };
  /** Reads how the server authenticates; of the first generation of the protocol. */
  getAuthStatus(params?: GetAuthStatusParams, signal?: AbortSignal): Promise<GetAuthStatusResponse>;
  readonly device: {
    /** Lists the paired devices, the newest first. @experimental */
    list(params?: DeviceListParams, signal?: AbortSignal): Promise<DeviceListResponse>;
    /** Creates a code that pairs one device within ten minutes. @experimental */
    pair(params?: DevicePairParams, signal?: AbortSignal): Promise<DevicePairResponse>;
    /** Revokes a device and ends its connections. @experimental */
    revoke(params: DeviceRevokeParams, signal?: AbortSignal): Promise<DeviceRevokeResponse>;
  };
  /** Reads a summary of a stored thread; of the first generation of the protocol. */
  getConversationSummary(params: GetConversationSummaryParams, signal?: AbortSignal): Promise<GetConversationSummaryResponse>;
  /** Reads the difference between a work tree and its remote; of the first generation of the protocol. */
  gitDiffToRemote(params: GitDiffToRemoteParams, signal?: AbortSignal): Promise<GitDiffToRemoteResponse>;
}
