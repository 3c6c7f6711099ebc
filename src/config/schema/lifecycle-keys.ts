// Keys about a thread's life: hooks, memories, history, and the files that are found on the way.
import { anything, choice, filePath, flag, integer, later, listOf, mapOf, text } from "./kind.ts";
import { optional, required, table, taggedBy, whenSet, withDefault } from "./table.ts";

const hookHandler = later(() =>
  taggedBy("HookHandlerConfig", "type", {
    command: table(
      "HookHandlerConfig",
      {
        command: required(text(), "Command line to run."),
        commandWindows: optional(text(), "Command line on Windows.", { aliases: ["command_windows"] }),
        timeout: optional(integer("u64"), "Seconds that it may take."),
        async: withDefault(flag(), false, "Whether nobody waits for it."),
        statusMessage: optional(text(), "What to show while it runs."),
        additionalContextLimit: whenSet(integer("usize"), "Most context that it may add, in bytes."),
      },
      { lenient: true },
    ),
    mcp_tool: table(
      "HookHandlerConfig",
      {
        server: required(text(), "MCP server to call."),
        tool: required(text(), "Its tool."),
        input: withDefault(mapOf(anything()), {}, "Arguments of the call."),
        timeout: optional(integer("u64"), "Seconds that it may take."),
        statusMessage: optional(text(), "What to show while it runs."),
      },
      { lenient: true },
    ),
    prompt: table("HookHandlerConfig", {}, { lenient: true }),
    agent: table("HookHandlerConfig", {}, { lenient: true }),
  }),
);

const matcherGroup = later(() =>
  table(
    "MatcherGroup",
    {
      matcher: optional(text(), "Pattern for what the event is about; every one when not set."),
      hooks: withDefault(listOf(hookHandler), [], "What runs."),
    },
    { lenient: true },
  ),
);

const groups = (doc: string) => withDefault(listOf(matcherGroup), [], doc);

export const hookEvents = {
  PreModelRequest: groups("Before a request to the model."),
  PostModelRequest: groups("After one."),
  PreToolUse: groups("Before a tool runs."),
  PermissionRequest: groups("When a person would be asked."),
  PostToolUse: groups("After a tool ran."),
  PreCompact: groups("Before compaction."),
  PostCompact: groups("After compaction."),
  SessionStart: groups("When a thread starts or comes back."),
  SessionEnd: groups("When a thread ends."),
  UserPromptSubmit: groups("Before a prompt reaches the model."),
  SubagentStart: groups("When another agent starts."),
  SubagentStop: groups("When another agent stops."),
  Stop: groups("When a turn would end."),
  Interrupt: groups("When a turn is interrupted."),
};

const hookState = later(() =>
  table("HookStateToml", {
    enabled: whenSet(flag(), "Whether the hook runs."),
    trusted_hash: whenSet(text(), "Digest of the definition that was trusted."),
  }),
);

const memories = later(() =>
  table("MemoriesToml", {
    version: optional(choice(["v1", "v2"]), "Format of memories."),
    dual_write: optional(flag(), "Write both formats."),
    disable_on_external_context: optional(flag(), "Make none when outside content was read.", {
      aliases: ["no_memories_if_mcp_or_web_search"],
    }),
    generate_memories: optional(flag(), "Make memories."),
    use_memories: optional(flag(), "Use memories."),
    dedicated_tools: optional(flag(), "Offer tools for memories."),
    max_raw_memories_for_consolidation: optional(integer("usize"), "Memories that are merged at once."),
    max_unused_days: optional(integer("i64"), "Days after which an unused one goes."),
    max_rollout_age_days: optional(integer("i64"), "Age of the oldest thread to look at."),
    max_rollouts_per_startup: optional(integer("usize"), "Threads looked at per start."),
    min_rollout_idle_hours: optional(integer("i64"), "Rest that a thread needs first."),
    min_rate_limit_remaining_percent: optional(integer("i64"), "Allowance that must be left."),
    extract_model: optional(text(), "Model that makes memories."),
    consolidation_model: optional(text(), "Model that merges them."),
    consolidation_service_tier: optional(text(), "Service tier for merging."),
  }),
);

const history = table("History", {
  persistence: withDefault(choice(["save-all", "none"]), "save-all", "Whether prompts are kept."),
  max_bytes: optional(integer("usize"), "Size at which the oldest go."),
});

export const lifecycleKeys = {
  hooks: optional(
    table(
      "HooksToml",
      {
        ...hookEvents,
        state: withDefault(mapOf(hookState), {}, "Trust by hook.", { unlisted: "unchanged" }),
      },
      { lenient: true },
    ),
    "Programs that run at fixed points, by event.",
  ),
  memories: optional(memories, "Memories."),
  history: withDefault(history, { persistence: "save-all", max_bytes: null }, "History of prompts."),
  project_doc_max_bytes: withDefault(integer("usize"), 32_768, "Bytes of AGENTS.md files that are read."),
  project_doc_fallback_filenames: withDefault(
    listOf(text()),
    [],
    "Names to try where there is no AGENTS.md.",
  ),
  project_root_markers: withDefault(
    listOf(text()),
    [".git"],
    "What marks the root of a project; empty: the folder itself.",
  ),
  sqlite_home: optional(filePath(), "Folder of the peer's databases."),
  log_dir: optional(filePath(), "Folder of log files."),
  thread_unload_delay_secs: optional(integer("u64"), "How long an idle thread stays loaded."),
  experimental_thread_store: optional(
    taggedBy("ThreadStoreToml", "type", {
      local: table("ThreadStoreToml", {}, { lenient: true }),
      in_memory: table("ThreadStoreToml", { id: required(text(), "Name of the store.") }, { lenient: true }),
    }),
    "Where the peer keeps threads.",
  ),
  experimental_thread_store_endpoint: optional(text(), "Refused: the peer has removed it."),
};
