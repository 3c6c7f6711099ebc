/** Deleting threads for good. */
import { messageReply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, notification } from "../steps.ts";
import { completed, INTERRUPT_RACES, THREAD, turn, turnScenario, withThread } from "../turn-steps.ts";
import { CURSORS } from "./thread-list.ts";
import { pathOf, type StoredThread, storedFiles, threadId } from "./thread-list-files.ts";

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
const remove = (id: string, as = "delete"): Step =>
  call("thread/delete", { threadId: id }, { as, settles: true });

export const threadDeleteScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-delete/stored",
    about: "A deleted thread and its file are gone, from the archive too.",
    files: storedFiles(PLAIN, ARCHIVED),
    volatile: CURSORS,
    steps: [
      initialize(),
      remove(threadId(1)),
      remove(threadId(2), "delete archived"),
      call("thread/list", {}, { as: "list" }),
      call("thread/list", { archived: true }, { as: "archive" }),
      call("thread/read", { threadId: threadId(1) }, { as: "read" }),
      { do: "read", path: pathOf(PLAIN), as: "exists" },
      { do: "read", path: pathOf(ARCHIVED), as: "exists" },
      remove(threadId(1), "delete again"),
    ],
  }),
  turnScenario({
    name: "thread-delete/refused",
    about: "Threads that cannot be deleted.",
    steps: [
      initialize(),
      remove("abc", "bad id"),
      remove("00000000-0000-7000-8000-000000000000", "unknown"),
      call("thread/start", { ephemeral: true }, { as: "ephemeral", settles: true }),
      remove("{{ephemeral.result.thread.id}}", "delete ephemeral"),
      call("thread/start", {}, { as: "thread", settles: true }),
      remove(THREAD, "delete without a turn"),
      call("thread/loaded/list", {}, { as: "loaded" }),
    ],
  }),
  turnScenario({
    name: "thread-delete/loaded",
    about: "A loaded thread is unloaded first.",
    model: [messageReply("Done")],
    volatile: CURSORS,
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      remove(THREAD),
      call("thread/loaded/list", {}, { as: "loaded" }),
      call("thread/list", {}, { as: "list" }),
      turn("Again", {}, { as: "second" }),
    ],
  }),
  turnScenario({
    name: "thread-delete/running",
    about: "A turn that runs is ended by the deletion.",
    races: INTERRUPT_RACES,
    model: [unfinishedReply("Working on")],
    steps: [...withThread(), turn("Go"), notification("item/agentMessage/delta"), remove(THREAD)],
  }),
  turnScenario({
    name: "thread-delete/family",
    about: "What a thread has spawned goes with it.",
    files: storedFiles(PLAIN, CHILD),
    volatile: CURSORS,
    steps: [
      initialize(),
      call("thread/list", { sourceKinds: ["vscode", "subAgent"] }, { as: "before" }),
      remove(threadId(1)),
      call("thread/list", { sourceKinds: ["vscode", "subAgent"] }, { as: "after" }),
    ],
  }),
  turnScenario({
    name: "thread-delete/forked",
    about: "A thread that a fork goes on from stays until the fork has gone.",
    model: [messageReply("Done")],
    volatile: [
      ...CURSORS,
      { message: "response fork", pointer: "/result/thread/preview" },
      { message: "thread/started", pointer: "/params/thread/preview" },
    ],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      call("thread/fork", { threadId: THREAD, excludeTurns: true }, { as: "fork", settles: true }),
      remove(THREAD, "delete the source"),
      call("thread/list", {}, { as: "both" }),
      remove("{{fork.result.thread.id}}", "delete the fork"),
      remove(THREAD, "delete the source again"),
      call("thread/list", {}, { as: "none" }),
    ],
  }),
];
