/** Names and other things that are known of a thread besides its history. */
import { messageReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize } from "../steps.ts";
import { completed, THREAD, turn, turnScenario, withThread } from "../turn-steps.ts";
import { CURSORS } from "./thread-list.ts";
import { type StoredThread, storedFiles, threadId } from "./thread-list-files.ts";

const UNKNOWN = "00000000-0000-7000-8000-000000000000";
const PLAIN: StoredThread = {
  id: threadId(1),
  at: "2026-01-05T12:00:01",
  said: ["one"],
  meta: { git: { commit_hash: "abc", branch: "main", repository_url: "https://example.com/a.git" } },
};
const ARCHIVED: StoredThread = { id: threadId(2), at: "2026-01-05T12:00:02", said: ["two"], archived: true };
const LEGACY: StoredThread = { id: threadId(3), at: "2026-01-05T12:00:03", said: ["three"], mode: "legacy" };
const EPHEMERAL = "{{ephemeral.result.thread.id}}";

const name = (id: string, text: string, as = "name"): Step =>
  call("thread/name/set", { threadId: id, name: text }, { as, settles: true });
const update = (id: string, more: Readonly<Record<string, unknown>>, as: string): Step =>
  call("thread/metadata/update", { threadId: id, ...more }, { as, settles: true });
const memory = (id: string, as: string, mode = "disabled"): Step =>
  call("thread/memoryMode/set", { threadId: id, mode }, { as, settles: true });
const read = (id: string, as: string): Step => call("thread/read", { threadId: id }, { as });

export const threadNameScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-names/stored",
    about: "A thread that is not loaded gets a name, which lists show and find.",
    files: storedFiles(PLAIN, ARCHIVED, LEGACY),
    volatile: CURSORS,
    steps: [
      initialize(),
      name(threadId(1), "  Blue  moon "),
      read(threadId(1), "read"),
      name(threadId(1), "Red moon", "rename"),
      name(threadId(3), "Legacy moon", "name legacy"),
      call("thread/list", { searchTerm: "moon" }, { as: "list" }),
      call("thread/list", { searchTerm: "one" }, { as: "by its first words" }),
      name(threadId(2), "Archived", "name archived"),
    ],
  }),
  turnScenario({
    name: "thread-names/refused",
    about: "Names that are none, and threads that take none.",
    steps: [
      initialize(),
      name("abc", "x", "bad id"),
      name("abc", " ", "bad id and blank"),
      name(UNKNOWN, "x", "unknown"),
      name(UNKNOWN, "  ", "blank"),
      call("thread/start", { ephemeral: true }, { as: "ephemeral", settles: true }),
      name(EPHEMERAL, "x", "name ephemeral"),
    ],
  }),
  turnScenario({
    name: "thread-names/before-the-first-turn",
    about: "A name makes a thread durable that had no turn yet.",
    model: [messageReply("Done")],
    volatile: CURSORS,
    steps: [
      ...withThread(),
      name(THREAD, "Early"),
      read(THREAD, "read"),
      call("thread/list", {}, { as: "list" }),
      call("thread/turns/list", { threadId: THREAD }, { as: "turns" }),
      turn("Go"),
      completed,
      call("thread/list", {}, { as: "list after a turn" }),
    ],
  }),
  turnScenario({
    name: "thread-names/several-clients",
    about: "Everyone hears of a new name.",
    transports: ["ws"],
    files: storedFiles(PLAIN),
    steps: [
      initialize(),
      { do: "connect", as: "other" },
      initialize({ experimentalApi: true }, { as: "other initialize", on: "other", name: "other" }),
      name(threadId(1), "Heard"),
      { do: "settle", on: "other" },
    ],
  }),
  turnScenario({
    name: "thread-names/metadata",
    about: "What git says of a thread can be replaced, member by member.",
    files: storedFiles(PLAIN, ARCHIVED, LEGACY),
    volatile: CURSORS,
    steps: [
      initialize(),
      update(threadId(1), { gitInfo: { branch: " next " } }, "branch"),
      update(threadId(1), { gitInfo: { sha: null } }, "no commit"),
      read(threadId(1), "read"),
      update(
        threadId(1),
        { gitInfo: { sha: "def", branch: null, originUrl: "https://example.com/b" } },
        "all",
      ),
      call("thread/list", {}, { as: "list" }),
      update(threadId(2), { gitInfo: { branch: "old" } }, "archived"),
      update(threadId(3), { gitInfo: { branch: "legacy" } }, "legacy"),
      update(threadId(1), { daybreakEnabled: true }, "daybreak"),
      update(threadId(1), { daybreakEnabled: null }, "daybreak null"),
      update(threadId(1), { projectId: "" }, "no project"),
    ],
  }),
  turnScenario({
    name: "thread-names/metadata-refused",
    about: "Changes that say nothing, or something empty, are refused.",
    files: storedFiles(PLAIN),
    steps: [
      initialize(),
      update("abc", { gitInfo: { branch: "x" } }, "bad id"),
      update(UNKNOWN, { gitInfo: { branch: "x" } }, "unknown"),
      update(threadId(1), {}, "nothing"),
      update(threadId(1), { gitInfo: null }, "null"),
      update(threadId(1), { gitInfo: {} }, "empty"),
      update(threadId(1), { gitInfo: { sha: " " } }, "blank commit"),
      update(threadId(1), { gitInfo: { branch: "" } }, "blank branch"),
      update(threadId(1), { gitInfo: { originUrl: "" } }, "blank origin"),
      update(threadId(1), { projectId: "nothing" }, "unknown project"),
      call("thread/start", { ephemeral: true }, { as: "ephemeral", settles: true }),
      update(EPHEMERAL, { gitInfo: { branch: "x" } }, "update ephemeral"),
      call("thread/start", {}, { as: "thread", settles: true }),
      update(THREAD, { gitInfo: { branch: "x" } }, "before a turn"),
    ],
  }),
  turnScenario({
    name: "thread-names/metadata-loaded",
    about: "A loaded thread is changed and stays loaded.",
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      update(THREAD, { gitInfo: { branch: "x" } }, "update"),
      read(THREAD, "read"),
    ],
  }),
  turnScenario({
    name: "thread-names/memory-mode",
    about: "Whether a thread feeds memory can be said of any thread that lasts.",
    files: storedFiles(PLAIN, ARCHIVED, LEGACY),
    steps: [
      initialize(),
      memory(threadId(1), "stored"),
      call("thread/read", { threadId: threadId(1) }, { as: "read disabled" }),
      memory(threadId(1), "enabled", "enabled"),
      call("thread/read", { threadId: threadId(1) }, { as: "read enabled" }),
      memory(threadId(2), "archived"),
      memory(threadId(3), "legacy"),
      memory("abc", "bad id"),
      memory(UNKNOWN, "unknown"),
      call("thread/start", { ephemeral: true }, { as: "ephemeral", settles: true }),
      memory(EPHEMERAL, "of ephemeral"),
      call("thread/start", {}, { as: "thread", settles: true }),
      memory(THREAD, "of a new thread"),
      call("thread/list", {}, { as: "list" }),
    ],
    volatile: CURSORS,
  }),
];
