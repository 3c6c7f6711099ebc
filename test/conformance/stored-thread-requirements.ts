/** The requirements about stored threads, by the peer's test module that shows them; see requirements.ts. */
import { type Row, under } from "./requirement-row.ts";

export const storedThreadRequirements: Readonly<Record<string, readonly Row[]>> = {
  thread_resume: [
    [
      "stored",
      "a stored thread comes back",
      under(
        "thread-resume",
        "stored",
        "foreign",
        "without-turns",
        "pages",
        "legacy-tool-calls",
        "stable-client",
      ),
    ],
    ["compacted", "a thread goes on from its last compaction", "thread-resume/compacted"],
    [
      "usage",
      "tokens used before are told with their turn",
      under(
        "thread-resume",
        "usage",
        "usage-without-turns",
        "usage-of-no-turn",
        "usage-before-the-last-turn",
        "usage-before-an-old-turn",
        "usage-of-an-interrupted-turn",
      ),
    ],
    ["broken-off", "a turn without an end reads as interrupted", "thread-resume/broken-off"],
    [
      "metadata",
      "what was noted of a thread counts more than its folder",
      under("thread-resume", "git-branch", "times"),
    ],
    ["paths", "a thread is found by its path", "thread-resume/path"],
    [
      "settings",
      "a thread keeps its settings",
      under(
        "thread-resume",
        "reviewer",
        "reviewer-of-a-goal-first-thread",
        "approval-policy-legacy",
        "approval-policy-paginated",
        "updated-settings",
        "overrides",
        "personality",
      ),
    ],
    [
      "profiles",
      "a permission profile is resolved anew",
      under(
        "thread-resume",
        "profile-of-today",
        "profile-default",
        "profile-gone",
        "profile-gone-with-a-mode",
        "profile-overrides",
        "no-profile",
        "updated-profile",
      ),
    ],
    ["history", "a client brings a history of its own", under("thread-resume", "history", "running-history")],
    [
      "loaded",
      "a loaded thread is joined as it is",
      under(
        "thread-resume",
        "loaded",
        "loaded-instructions",
        "loaded-workspace-roots",
        "running",
        "running-pages",
        "running-path",
        "path-elsewhere",
      ),
    ],
    [
      "questions",
      "open questions are asked again",
      under("thread-resume", "open-command-question", "open-patch-question"),
    ],
    [
      "goals",
      "goals of loaded threads",
      under("thread-resume", "paused-goal", "active-goal", "goal-first", "goal-budget", "stopped-goals"),
    ],
    ["writers", "one program writes to a thread", "thread-resume/another-writer"],
    [
      "refusals",
      "threads that do not come back",
      under("thread-resume", "archived", "without-a-file", "missing-mcp-server"),
    ],
  ],
  thread_fork: [
    ["copy", "a thread in the old form is copied", under("thread-fork", "legacy", "legacy-without-turns")],
    [
      "reference",
      "a paginated fork refers to its source",
      under("thread-fork", "paginated", "several-clients"),
    ],
    [
      "settings",
      "a fork goes on with its source's permissions",
      under("thread-fork", "settings", "permission-profile", "model"),
    ],
    [
      "boundaries",
      "a fork ends with a turn or before one",
      under("thread-fork", "at-a-turn", "at-a-turn-of-a-legacy-thread", "before-an-unfinished-turn"),
    ],
    [
      "unfinished",
      "a turn that runs is interrupted in the fork",
      under("thread-fork", "unfinished-turn", "running"),
    ],
    ["name", "a fork inherits the name", "thread-fork/name"],
    ["goal", "a fork takes a goal along", "thread-fork/goal"],
    ["path", "the source may be named by its file", "thread-fork/by-path"],
    [
      "usage",
      "what the source has used is told",
      under("thread-fork", "token-usage", "token-usage-of-an-earlier-turn", "token-usage-without-turns"),
    ],
    [
      "ephemeral",
      "an ephemeral fork is not kept",
      under("thread-fork", "ephemeral-of-a-legacy-thread", "ephemeral-of-a-paginated-thread"),
    ],
    ["refusals", "forks that are refused", "thread-fork/refused"],
  ],
  thread_loaded_list: [
    ["ids", "the loaded threads are listed", "thread-loaded/ids"],
    ["pages", "they are paged through", "thread-loaded/pages"],
  ],
  thread_list: [
    [
      "stored",
      "threads of earlier days are listed",
      under("thread-list", "stored", "empty", "after-a-restart", "strange-files"),
    ],
    ["filters", "lists are filtered", under("thread-list", "filters", "relations")],
    ["pages", "lists are paged through by cursor", under("thread-list", "pages", "one-second")],
    ["orders", "lists have three orders", "thread-list/orders"],
    ["loaded", "loaded threads show their status", "thread-list/loaded"],
    ["refusals", "lists that cannot be asked for", "thread-list/refused"],
  ],
  thread_read: [
    ["summary", "a stored thread is read", under("thread-read", "stored", "stable-client")],
    ["loaded", "a loaded thread is read with its turns", "thread-read/loaded"],
    ["subscribing", "reading does not subscribe", "thread-read/without-subscribing"],
    ["refusals", "threads that cannot be read", "thread-read/refused"],
    [
      "read-state",
      "how far a thread was read",
      under("thread-read", "read-state", "read-state-of-stored-threads"),
    ],
    [
      "turns",
      "turns are paged through",
      under("thread-pages", "turns", "turns-of-a-legacy-thread", "made", "unknown-files"),
    ],
    ["items", "items are paged through", under("thread-pages", "items", "legacy")],
    ["page-refusals", "threads without pages", "thread-pages/refused"],
    [
      "search",
      "threads are found by their words",
      under("thread-search", "threads", "occurrences", "loaded", "refused"),
    ],
  ],
  conversation_summary: [
    ["refusals", "summaries of threads that are not there", "thread-read/summary-refused"],
  ],
  thread_archive: [
    ["archive", "a thread is archived", under("thread-archive", "stored", "named", "several-clients")],
    ["loaded", "a loaded thread is unloaded", under("thread-archive", "loaded", "running")],
    ["descendants", "spawned threads go along", "thread-archive/family"],
    ["refusals", "threads that cannot be archived", "thread-archive/refused"],
  ],
  thread_unarchive: [["unarchive", "a thread comes back", under("thread-archive", "stored", "family")]],
  thread_delete: [
    ["delete", "a thread and its file go", "thread-delete/stored"],
    ["loaded", "a loaded thread is unloaded", under("thread-delete", "loaded", "running")],
    ["descendants", "spawned threads go along", "thread-delete/family"],
    ["refusals", "threads that cannot be deleted", under("thread-delete", "refused", "forked")],
  ],
  thread_name_websocket: [
    ["names", "everyone hears of a new name", under("thread-names", "stored", "several-clients")],
    ["new-thread", "a name makes a thread durable", "thread-names/before-the-first-turn"],
    ["refusals", "names that are none", "thread-names/refused"],
  ],
  thread_metadata_update: [
    ["git", "git facts are replaced", under("thread-names", "metadata", "metadata-loaded")],
    ["refusals", "changes that are refused", "thread-names/metadata-refused"],
  ],
  thread_memory_mode_set: [["set", "the mode of a thread", "thread-names/memory-mode"]],
  thread_goal: [
    [
      "goals",
      "goals are set, changed and cleared",
      under("thread-goals", "stored", "loaded", "restart", "several-clients"),
    ],
    [
      "refusals",
      "goals that are refused",
      under("thread-goals", "refused", "switched-off", "largest-budget"),
    ],
  ],
  thread_revert: [
    [
      "revert",
      "a thread goes back and goes on",
      under("thread-revert", "last-turn", "first-turn", "running", "twice"),
    ],
    [
      "refusals",
      "where there is no way back",
      under("thread-revert", "refused", "stale-path", "unknown-turn", "without-a-turn"),
    ],
  ],
};
