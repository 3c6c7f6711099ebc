/** Lists of stored threads: filters, orders, pages, and what of a loaded thread shows in them. */
import { messageReply } from "../../support/model-events.ts";
import type { Scenario } from "../scenario.ts";
import { call, initialize, refused } from "../steps.ts";
import { completed, THREAD, turn, turnScenario, withThread } from "../turn-steps.ts";
import { type StoredThread, storedFiles, threadId } from "./thread-list-files.ts";

/** Cursors are each server's own; whether there is one is compared. */
export const CURSORS = [
  { message: "**response **", pointer: "**/nextCursor" },
  { message: "**response **", pointer: "**/backwardsCursor" },
];

const list = (params: Readonly<Record<string, unknown>>, as: string) => call("thread/list", params, { as });

const STORED: readonly StoredThread[] = [
  { id: threadId(1), at: "2026-01-05T12:00:01", said: ["alpha first", "alpha second"] },
  { id: threadId(2), at: "2026-01-05T12:00:02", said: ["beta"], mode: "legacy" },
  { id: threadId(3), at: "2026-01-06T12:00:03", said: ["gamma"], meta: { cwd: "/elsewhere" } },
  { id: threadId(4), at: "2026-01-07T12:00:04", said: ["delta"], meta: { source: "exec" } },
  { id: threadId(5), at: "2026-01-08T12:00:05", said: ["epsilon"], meta: { model_provider: "other" } },
  { id: threadId(6), at: "2026-01-09T12:00:06", said: ["Zeta"], meta: { originator: "somebody" } },
  { id: threadId(7), at: "2026-01-10T12:00:07", said: ["eta"], archived: true },
  {
    id: threadId(8),
    at: "2026-01-11T12:00:08",
    said: ["theta"],
    meta: { git: { commit_hash: "abc", branch: "main", repository_url: "https://example.com/a.git" } },
  },
];

const KINDS = ["cli", "vscode", "exec", "appServer", "subAgent", "unknown"];

const spawned = (parent: number, depth: number) => ({
  parent_thread_id: threadId(parent),
  source: {
    subagent: {
      thread_spawn: {
        parent_thread_id: threadId(parent),
        depth,
        agent_path: null,
        agent_nickname: "Ada",
        agent_role: "explorer",
      },
    },
  },
});

const FAMILY: readonly StoredThread[] = [
  { id: threadId(1), at: "2026-01-05T12:00:01", said: ["root"] },
  { id: threadId(2), at: "2026-01-05T12:00:02", said: ["child"], meta: spawned(1, 1) },
  { id: threadId(3), at: "2026-01-05T12:00:03", said: ["grandchild"], meta: spawned(2, 2) },
  { id: threadId(4), at: "2026-01-05T12:00:04", said: ["review"], meta: { source: { subagent: "review" } } },
  { id: threadId(5), at: "2026-01-05T12:00:05", said: ["another"] },
];

export const threadListScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-list/stored",
    about: "Threads of earlier days are listed, the newest first, as their files describe them.",
    files: storedFiles(...STORED),
    volatile: CURSORS,
    steps: [
      initialize(),
      list({}, "all"),
      list({}, "again"),
      list({ useStateDbOnly: true }, "from the index"),
    ],
  }),
  turnScenario({
    name: "thread-list/empty",
    about: "A new home has no threads, and no cursors.",
    steps: [initialize(), list({}, "all"), list({ archived: true }, "archived"), list({ limit: 0 }, "none")],
  }),
  turnScenario({
    name: "thread-list/filters",
    about: "A list may ask for kinds, providers, folders, words, origins and the archive.",
    files: storedFiles(...STORED),
    volatile: CURSORS,
    steps: [
      initialize(),
      list({ archived: true }, "archived"),
      list({ archived: false, sourceKinds: [] }, "no kinds"),
      list({ sourceKinds: ["exec"] }, "exec"),
      list({ sourceKinds: ["exec", "vscode", "cli"] }, "several kinds"),
      list({ sourceKinds: ["appServer"] }, "kind without threads"),
      list({ modelProviders: ["other"] }, "provider"),
      list({ modelProviders: ["mock", "other"] }, "providers"),
      list({ modelProviders: [] }, "no providers"),
      list({ cwd: "/elsewhere" }, "folder"),
      list({ cwd: ["/elsewhere", "{{workspace}}"] }, "folders"),
      list({ cwd: [] }, "no folders"),
      list({ cwd: "/elsewhere/below" }, "folder without threads"),
      list({ searchTerm: "alpha" }, "word"),
      list({ searchTerm: "zeta" }, "word in another case"),
      list({ searchTerm: "second" }, "word of a later turn"),
      list({ searchTerm: "" }, "empty word"),
      list({ originators: ["somebody"] }, "origin"),
      list({ originators: [] }, "no origins"),
      list({ excludedThreadIds: [threadId(1), threadId(8)] }, "without some"),
      list({ excludedThreadIds: [] }, "without none"),
      list({ sectionId: null }, "without a section"),
      list({ sectionId: "01984de2-8f74-7c91-a3b2-5c5e937cf318" }, "pinned"),
      list({ projectId: null }, "without a project"),
      list({ sortKey: "section_position" }, "by section"),
    ],
  }),
  turnScenario({
    name: "thread-list/pages",
    about: "Pages follow one another by cursor, in either direction.",
    files: storedFiles(...STORED),
    volatile: CURSORS,
    steps: [
      initialize(),
      list({ limit: 2 }, "first"),
      list({ limit: 2, cursor: "{{first.result.nextCursor}}" }, "second"),
      list({ limit: 2, cursor: "{{second.result.nextCursor}}" }, "third"),
      list({ limit: 2, sortDirection: "asc" }, "oldest"),
      list({ limit: 2, sortDirection: "asc", cursor: "{{oldest.result.nextCursor}}" }, "next oldest"),
      list({ limit: 0 }, "at least one"),
      list({ limit: 1000 }, "at most a hundred"),
    ],
  }),
  turnScenario({
    name: "thread-list/refused",
    about: "What no list can be asked for.",
    files: storedFiles(...STORED),
    steps: [
      initialize(),
      refused("thread/list", { cursor: "zzz" }, "invalid cursor: zzz", "cursor"),
      list({ parentThreadId: threadId(1), ancestorThreadId: threadId(1) }, "two relations"),
      list({ parentThreadId: "abc" }, "bad parent"),
      list({ ancestorThreadId: "abc" }, "bad ancestor"),
      list({ attachedToThreadId: "abc" }, "bad attachment"),
      list({ excludedThreadIds: ["abc"] }, "bad exclusion"),
      list({ sortKey: "name" }, "bad order"),
      list({ sourceKinds: ["martian"] }, "bad kind"),
      list({ cwd: "relative" }, "relative folder"),
      list({ projectId: "" }, "empty project"),
      list({ projectId: "nothing" }, "unknown project"),
      list({ sectionId: "nothing" }, "unknown section"),
    ],
  }),
  turnScenario({
    name: "thread-list/relations",
    about: "The threads that a thread has spawned can be asked for.",
    files: storedFiles(...FAMILY),
    volatile: CURSORS,
    steps: [
      initialize(),
      list({}, "interactive"),
      list({ parentThreadId: threadId(1) }, "children"),
      list({ ancestorThreadId: threadId(1) }, "descendants"),
      list({ ancestorThreadId: threadId(1), sortDirection: "asc" }, "descendants, oldest first"),
      list({ parentThreadId: threadId(5) }, "no children"),
      list({ parentThreadId: threadId(1), sourceKinds: ["cli"] }, "children of a kind"),
      list({ sourceKinds: ["subAgent"] }, "all agents"),
      list({ sourceKinds: ["subAgentThreadSpawn"] }, "spawned agents"),
      list({ sourceKinds: ["subAgentReview"] }, "reviews"),
    ],
  }),
  turnScenario({
    name: "thread-list/loaded",
    about: "A loaded thread is listed once it has had a turn, with its status and its environments.",
    model: [messageReply("Done"), messageReply("Done", { id: "2" })],
    volatile: CURSORS,
    steps: [
      ...withThread(),
      list({}, "before its turn"),
      turn("First words"),
      completed,
      list({}, "after its turn"),
      call("thread/start", { ephemeral: true }, { as: "ephemeral", settles: true }),
      turn("Forget this", {}, { as: "second", thread: "ephemeral" }),
      completed,
      list({}, "not the ephemeral one"),
    ],
  }),
  turnScenario({
    name: "thread-list/orders",
    about: "Lists are ordered by creation, by change or by the last turn.",
    model: ["1", "2", "3", "4"].map((id) => messageReply("Done", { id })),
    volatile: CURSORS,
    steps: [
      ...withThread(),
      turn("One"),
      completed,
      call("thread/start", {}, { as: "other", settles: true }),
      turn("Two", {}, { as: "second", thread: "other" }),
      completed,
      turn("Three", {}, { as: "third" }),
      completed,
      list({}, "by default"),
      list({ sortKey: "created_at", sortDirection: "asc" }, "by creation"),
      list({ sortKey: "updated_at" }, "by change"),
      list({ sortKey: "recency_at" }, "by turn"),
      list({ sortKey: "updated_at", limit: 1 }, "first by change"),
      list(
        { sortKey: "updated_at", limit: 1, cursor: "{{first by change.result.nextCursor}}" },
        "then by change",
      ),
    ],
  }),
  turnScenario({
    name: "thread-list/after-a-restart",
    about: "Threads and their names outlive the server.",
    model: [messageReply("Done")],
    volatile: CURSORS,
    steps: [
      ...withThread(),
      turn("Remember me"),
      completed,
      call("thread/name/set", { threadId: THREAD, name: "Kept" }, { as: "name", settles: true }),
      { do: "restart" },
      initialize({ experimentalApi: true }, { as: "initialize again" }),
      list({}, "list"),
      call("thread/read", { threadId: THREAD }, { as: "read" }),
      call("thread/loaded/list", {}, { as: "loaded" }),
    ],
  }),
  turnScenario({
    name: "thread-list/strange-files",
    about:
      "Files that are no rollouts are passed over, and those that say little are listed with what they say.",
    files: {
      ...storedFiles(
        {
          id: threadId(1),
          at: "2026-01-05T12:00:01",
          said: ["custom"],
          meta: { source: { custom: "mine" } },
        },
        { id: threadId(2), at: "2026-01-05T12:00:02", said: ["server"], meta: { source: "mcp" } },
        { id: threadId(3), at: "2026-01-05T12:00:03", said: ["bare"], meta: { model_provider: null } },
        { id: threadId(4), at: "2026-01-05T12:00:04", said: [] },
      ),
      "home/sessions/2026/01/05/rollout-2026-01-05T12-00-05-0199aaaa-0000-7000-8000-000000000005.jsonl":
        "no JSON\n",
      "home/sessions/2026/01/05/rollout-2026-01-05T12-00-06-0199aaaa-0000-7000-8000-000000000006.jsonl": "",
      "home/sessions/2026/01/05/notes.txt": "hello\n",
    },
    volatile: CURSORS,
    steps: [
      initialize(),
      list({ modelProviders: [], sourceKinds: KINDS }, "all"),
      list({ sourceKinds: ["appServer"] }, "of servers"),
      list({ sourceKinds: ["unknown"] }, "unknown"),
      ...[1, 2, 3, 4, 5, 6].map((number) =>
        call("thread/read", { threadId: threadId(number) }, { as: `read ${number}` }),
      ),
    ],
  }),
  turnScenario({
    name: "thread-list/one-second",
    about: "Threads that were made in one second follow one another over pages.",
    files: storedFiles(
      ...[1, 2, 3, 4].map((number) => ({
        id: threadId(number),
        at: "2026-01-05T12:00:01",
        said: [`number ${number}`],
      })),
    ),
    volatile: CURSORS,
    steps: [
      initialize(),
      list({}, "all"),
      list({ limit: 2 }, "first"),
      list({ limit: 2, cursor: "{{first.result.nextCursor}}" }, "second"),
    ],
  }),
];
