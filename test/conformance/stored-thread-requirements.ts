/** The requirements about stored threads, by the peer's test module that shows them; see requirements.ts. */
import type { Row } from "./requirements.ts";

const under = (area: string, ...names: readonly string[]) => names.map((name) => `${area}/${name}`);

export const storedThreadRequirements: Readonly<Record<string, readonly Row[]>> = {
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
      under("thread-revert", "refused", "unknown-turn", "without-a-turn"),
    ],
  ],
};
