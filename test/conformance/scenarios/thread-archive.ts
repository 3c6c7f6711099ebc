/** Archiving threads and bringing them back. */
import { messageReply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, notification } from "../steps.ts";
import { completed, INTERRUPT_RACES, THREAD, turn, turnScenario, withThread } from "../turn-steps.ts";
import { CURSORS } from "./thread-list.ts";
import { type StoredThread, storedFiles, threadId } from "./thread-list-files.ts";

const UNKNOWN = "00000000-0000-7000-8000-000000000000";
const PLAIN: StoredThread = { id: threadId(1), at: "2026-01-05T12:00:01", said: ["one"] };
const ARCHIVED: StoredThread = { id: threadId(2), at: "2026-01-05T12:00:02", said: ["two"], archived: true };
const CHILD: StoredThread = {
  id: threadId(3),
  at: "2026-01-05T12:00:03",
  said: ["three"],
  meta: {
    parent_thread_id: threadId(1),
    source: { subagent: { thread_spawn: { parent_thread_id: threadId(1), depth: 1 } } },
  },
};

const archive = (id: string, as = "archive"): Step =>
  call("thread/archive", { threadId: id }, { as, settles: true });
const unarchive = (id: string, as = "unarchive"): Step =>
  call("thread/unarchive", { threadId: id }, { as, settles: true });
const list = (as: string, archived = false): Step => call("thread/list", { archived }, { as });

export const threadArchiveScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-archive/stored",
    about: "A thread that is archived moves to another folder and another list, and back.",
    files: storedFiles(PLAIN, ARCHIVED),
    volatile: CURSORS,
    steps: [
      initialize(),
      archive(threadId(1)),
      list("without it"),
      list("archive with it", true),
      call("thread/read", { threadId: threadId(1) }, { as: "read archived" }),
      archive(threadId(1), "archive again"),
      unarchive(threadId(1)),
      unarchive(threadId(2), "unarchive the other"),
      list("both"),
      list("empty archive", true),
      unarchive(threadId(1), "unarchive again"),
    ],
  }),
  turnScenario({
    name: "thread-archive/refused",
    about: "Threads that cannot be archived, or brought back.",
    files: storedFiles(ARCHIVED),
    steps: [
      initialize(),
      archive("abc", "bad id"),
      archive(UNKNOWN, "unknown"),
      archive(threadId(2), "archived"),
      unarchive("abc", "bad id back"),
      unarchive(UNKNOWN, "unknown back"),
      call("thread/start", {}, { as: "thread", settles: true }),
      archive(THREAD, "without a turn"),
      call("thread/loaded/list", {}, { as: "loaded" }),
      call("thread/start", { ephemeral: true }, { as: "ephemeral", settles: true }),
      archive("{{ephemeral.result.thread.id}}", "ephemeral archive"),
    ],
  }),
  turnScenario({
    name: "thread-archive/loaded",
    about: "A loaded thread is unloaded first.",
    model: [messageReply("Done")],
    volatile: CURSORS,
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      archive(THREAD),
      call("thread/loaded/list", {}, { as: "loaded" }),
      call("thread/read", { threadId: THREAD, includeTurns: true }, { as: "read" }),
      turn("Again", {}, { as: "second" }),
      call("thread/resume", { threadId: THREAD }, { as: "resume" }),
      unarchive(THREAD),
      list("list"),
    ],
  }),
  turnScenario({
    name: "thread-archive/running",
    about: "A turn that runs is ended by the archive.",
    races: INTERRUPT_RACES,
    model: [unfinishedReply("Working on")],
    steps: [
      ...withThread(),
      turn("Go"),
      notification("item/agentMessage/delta"),
      archive(THREAD),
      call("thread/read", { threadId: THREAD, includeTurns: true }, { as: "read" }),
    ],
  }),
  turnScenario({
    name: "thread-archive/family",
    about: "The threads that a thread has spawned are archived along with it, and come back with it.",
    files: storedFiles(PLAIN, CHILD),
    volatile: CURSORS,
    steps: [
      initialize(),
      call("thread/list", { sourceKinds: ["vscode", "subAgent"] }, { as: "before" }),
      archive(threadId(1)),
      call("thread/list", { archived: true, sourceKinds: ["vscode", "subAgent"] }, { as: "archived" }),
      unarchive(threadId(1)),
      call("thread/list", { sourceKinds: ["vscode", "subAgent"] }, { as: "after" }),
    ],
  }),
  turnScenario({
    name: "thread-archive/several-clients",
    about: "Everyone hears of it.",
    transports: ["ws"],
    files: storedFiles(PLAIN),
    steps: [
      initialize(),
      { do: "connect", as: "other" },
      initialize({ experimentalApi: true }, { as: "other initialize", on: "other", name: "other" }),
      archive(threadId(1)),
      { do: "settle", on: "other" },
      unarchive(threadId(1)),
      { do: "settle", on: "other" },
    ],
  }),
  turnScenario({
    name: "thread-archive/named",
    about: "A thread keeps its name in the archive.",
    files: storedFiles(PLAIN),
    volatile: CURSORS,
    steps: [
      initialize(),
      call("thread/name/set", { threadId: threadId(1), name: "Kept" }, { as: "name", settles: true }),
      archive(threadId(1)),
      list("archived", true),
      unarchive(threadId(1)),
      list("back"),
    ],
  }),
];
