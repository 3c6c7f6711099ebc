// Keys about a thread's lifecycle: hooks, memories, history, and project files.
import { hookEventRows } from "../../protocol/generated/hook-events.ts";
import {
  anything,
  choice,
  filePath,
  flag,
  integer,
  type Kind,
  later,
  listOf,
  mapOf,
  text,
  tolerant,
} from "./kind.ts";
import { optional, required, table, taggedBy, whenSet, withDefault } from "./table.ts";

const common = {
  timeout: optional(integer("u64"), "Seconds that it may take."),
  statusMessage: optional(text(), "What to show while it runs."),
};

/** Heddle's own keys; shown where they are set. */
const own = {
  onFailure: whenSet(
    choice(["open", "closed", "continue", "block"]),
    "Whether a run that fails does nothing (`open` or `continue`), or blocks (`closed` or `block`).",
  ),
};

const context = {
  additionalContextLimit: whenSet(integer("usize"), "Most context that it may add, in tokens."),
};

const handler = (fields: Parameters<typeof table>[1]) =>
  table("HookHandlerConfig", fields, { lenient: true });

const hookHandler = later(() =>
  taggedBy("HookHandlerConfig", "type", {
    command: handler({
      command: required(text(), "Command line to run."),
      commandWindows: optional(text(), "Command line on Windows.", { aliases: ["command_windows"] }),
      timeout: common.timeout,
      async: withDefault(flag(), false, "Whether the turn continues without waiting for it."),
      statusMessage: common.statusMessage,
      ...context,
      ...own,
      sandbox: whenSet(flag(), "Whether it runs within the sandbox of the thread."),
    }),
    mcp_tool: handler({
      server: required(text(), "MCP server to call."),
      tool: required(text(), "Its tool."),
      input: withDefault(mapOf(anything()), {}, "Arguments of the call."),
      ...common,
      ...own,
    }),
    http: handler({
      url: required(text(), "Address that the input is posted to."),
      headers: whenSet(mapOf(text()), "Headers of the request."),
      async: whenSet(flag(), "Whether the turn continues without waiting for it."),
      ...common,
      ...context,
      ...own,
    }),
    prompt: handler({
      prompt: whenSet(text(), "What the model is asked."),
      model: whenSet(text(), "Model that is asked."),
      timeout: whenSet(integer("u64"), "Seconds that it may take."),
      statusMessage: whenSet(text(), "What to show while it runs."),
      ...context,
      ...own,
    }),
    module: handler({
      path: required(text(), "File of the module."),
      async: whenSet(flag(), "Whether the turn continues without waiting for it."),
      ...common,
      ...context,
      ...own,
    }),
    agent: handler({}),
  }),
);

/** `wrap` decides how an invalid value is handled. */
const groupsOf = (wrap: <T>(kind: Kind<T>) => Kind<T>) => {
  const group = later(() =>
    table(
      "MatcherGroup",
      {
        matcher: optional(text(), "Pattern for what the event is about; every one when not set."),
        hooks: withDefault(listOf(wrap(hookHandler)), [], "What runs."),
      },
      { lenient: true },
    ),
  );
  const groups = wrap(listOf(wrap(group)));
  return (doc: string) => withDefault(groups, [], doc);
};

type HookGroups = ReturnType<typeof groupsOf>;

const eventsOf = (groups: HookGroups) =>
  // Each name has one entry.
  Object.fromEntries(hookEventRows.map(({ name, description }) => [name, groups(description)])) as Readonly<
    Record<(typeof hookEventRows)[number]["name"], ReturnType<HookGroups>>
  >;

/** Hooks of an administrator: an invalid one is a fault. */
export const requiredHookEvents = eventsOf(groupsOf((kind) => kind));

/** Hooks of a user: an invalid one is reported where hooks are parsed, and affects no other setting. */
const hookEvents = eventsOf(groupsOf(tolerant));

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
    max_unused_days: optional(integer("i64"), "Days after which an unused memory is removed."),
    max_rollout_age_days: optional(integer("i64"), "Maximum age of threads to read."),
    max_rollouts_per_startup: optional(integer("usize"), "Threads read per start."),
    min_rollout_idle_hours: optional(integer("i64"), "Rest that a thread needs first."),
    min_rate_limit_remaining_percent: optional(
      integer("i64"),
      "Percentage of the rate limit that must remain.",
    ),
    extract_model: optional(text(), "Model that makes memories."),
    consolidation_model: optional(text(), "Model that merges them."),
    consolidation_service_tier: optional(text(), "Service tier for merging."),
  }),
);

const history = table("History", {
  persistence: withDefault(choice(["save-all", "none"]), "save-all", "Whether prompts are stored."),
  max_bytes: optional(integer("usize"), "Size at which the oldest go."),
});

export const lifecycleKeys = {
  hooks: optional(
    table(
      "HooksToml",
      {
        ...hookEvents,
        state: withDefault(tolerant(mapOf(tolerant(hookState))), {}, "Trust by hook.", {
          unlisted: "unchanged",
        }),
        max_continuations: withDefault(
          integer("u32"),
          8,
          "How often in a row hooks of Stop may continue a turn.",
          { unlisted: "unchanged" },
        ),
        claude: withDefault(flag(), false, "Whether hooks of Claude Code's settings.json run too.", {
          unlisted: "unchanged",
        }),
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
    "File names to try if there is no AGENTS.md.",
  ),
  project_root_markers: withDefault(
    listOf(text()),
    [".git"],
    "What marks the root of a project; empty: the folder itself.",
  ),
  sqlite_home: optional(filePath(), "Folder of the peer's databases."),
  log_dir: optional(filePath(), "Folder of log files; `heddle serve` writes heddle.log there."),
  thread_unload_delay_secs: optional(integer("u64"), "How long an idle thread stays loaded."),
  experimental_thread_store: optional(
    taggedBy("ThreadStoreToml", "type", {
      local: table("ThreadStoreToml", {}, { lenient: true }),
      in_memory: table("ThreadStoreToml", { id: required(text(), "Name of the store.") }, { lenient: true }),
    }),
    "The folder of the peer's thread database.",
  ),
  experimental_thread_store_endpoint: optional(text(), "Refused: the peer has removed it."),
};
