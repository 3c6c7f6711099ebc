/** Reading threads one at a time, and how far the user has read them. */
import { messageReply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, notification, STDIO } from "../steps.ts";
import { completed, INTERRUPT_RACES, THREAD, turn, turnScenario, withThread } from "../turn-steps.ts";
import { type StoredThread, storedFiles, threadId } from "./thread-list-files.ts";

const UNKNOWN = "00000000-0000-7000-8000-000000000000";
const PAGINATED: StoredThread = { id: threadId(1), at: "2026-01-05T12:00:01", said: ["one", "two"] };
const LEGACY: StoredThread = { ...PAGINATED, id: threadId(2), mode: "legacy" };
const ARCHIVED: StoredThread = { ...PAGINATED, id: threadId(3), archived: true };
const WITH_GIT: StoredThread = {
  id: threadId(4),
  at: "2026-01-05T12:00:04",
  said: ["four"],
  meta: {
    git: { commit_hash: "abc", branch: "main", repository_url: "https://example.com/a.git" },
    thread_source: "automation",
    originator: "somebody",
    source: "exec",
  },
};

const read = (id: string, as: string, more: Readonly<Record<string, unknown>> = {}): Step =>
  call("thread/read", { threadId: id, ...more }, { as });
const update = (type: string, expectedRevision: string, as: string): Step =>
  call(
    "thread/readState/update",
    { threadId: THREAD, operation: { type }, expectedRevision },
    { as, settles: true },
  );

export const threadReadScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-read/stored",
    about: "A thread that is not loaded is read from its file.",
    files: storedFiles(PAGINATED, LEGACY, ARCHIVED, WITH_GIT),
    steps: [
      initialize(),
      read(threadId(1), "plain"),
      read(threadId(2), "legacy"),
      read(threadId(2), "legacy with turns", { includeTurns: true }),
      read(threadId(3), "archived"),
      read(threadId(4), "with git"),
      call("thread/loaded/list", {}, { as: "loaded" }),
    ],
  }),
  turnScenario({
    name: "thread-read/refused",
    about: "Threads that cannot be read, or not with their turns.",
    steps: [
      initialize(),
      read("abc", "bad id"),
      read(UNKNOWN, "unknown"),
      read(UNKNOWN, "unknown with turns", { includeTurns: true }),
      call("thread/start", { ephemeral: true }, { as: "ephemeral", settles: true }),
      read("{{ephemeral.result.thread.id}}", "ephemeral"),
      read("{{ephemeral.result.thread.id}}", "ephemeral with turns", { includeTurns: true }),
      call("thread/start", {}, { as: "thread", settles: true }),
      read(THREAD, "without a turn"),
      read(THREAD, "without a turn, with turns", { includeTurns: true }),
    ],
  }),
  turnScenario({
    name: "thread-read/loaded",
    about: "A loaded thread is read with its turns, also the one that runs.",
    races: INTERRUPT_RACES,
    model: [messageReply("Done"), unfinishedReply("Working on")],
    steps: [
      ...withThread(),
      turn("First"),
      completed,
      read(THREAD, "plain"),
      read(THREAD, "with turns", { includeTurns: true }),
      turn("Second", {}, { as: "second" }),
      notification("item/agentMessage/delta"),
      read(THREAD, "while it runs", { includeTurns: true }),
      call("turn/interrupt", { threadId: THREAD, turnId: "" }, { as: "interrupt" }),
      completed,
      read(THREAD, "interrupted", { includeTurns: true }),
    ],
  }),
  turnScenario({
    name: "thread-read/without-subscribing",
    about: "Who reads a thread does not hear of it.",
    transports: ["ws"],
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      { do: "connect", as: "other" },
      initialize({ experimentalApi: true }, { as: "other initialize", on: "other", name: "other" }),
      call("thread/read", { threadId: THREAD }, { as: "read", on: "other" }),
      turn("Go"),
      completed,
      { do: "settle", on: "other" },
    ],
  }),
  turnScenario({
    name: "thread-read/stable-client",
    about: "A client without the experimental capability reads the same thread.",
    files: storedFiles(PAGINATED),
    steps: [
      initialize(undefined, { as: "initialize" }),
      read(threadId(1), "plain"),
      call("thread/list", {}, { as: "list" }),
    ],
    volatile: [{ message: "response list", pointer: "**/backwardsCursor" }],
  }),
  turnScenario({
    name: "thread-read/read-state",
    about:
      "An answer makes a thread unread; who reads it or marks it says so with the revision that was seen.",
    model: [messageReply("Done"), messageReply("Done", { id: "2" })],
    steps: [
      ...withThread(),
      read(THREAD, "before"),
      turn("First"),
      completed,
      read(THREAD, "unread"),
      update("read", "{{unread.result.readState.revision}}", "mark read"),
      update("read", "{{unread.result.readState.revision}}", "stale"),
      update("unread", "{{mark read.result.readState.revision}}", "mark unread"),
      read(THREAD, "again"),
      turn("Second", {}, { as: "second" }),
      completed,
      read(THREAD, "after a second turn"),
      update("read", "{{after a second turn.result.readState.revision}}", "read both"),
      update("unread", "{{read both.result.readState.revision}}", "unread both"),
    ],
  }),
  turnScenario({
    name: "thread-read/read-state-of-stored-threads",
    about: "Threads that are not loaded are marked too.",
    files: storedFiles(PAGINATED, LEGACY, ARCHIVED),
    steps: [
      initialize(),
      ...[1, 2, 3].flatMap((number) => [
        call(
          "thread/readState/update",
          {
            threadId: threadId(number),
            operation: { type: "unread" },
            expectedRevision: `initial:${threadId(number)}`,
          },
          { as: `unread ${number}`, settles: true },
        ),
        read(threadId(number), `read ${number}`),
      ]),
      call(
        "thread/readState/update",
        { threadId: UNKNOWN, operation: { type: "read" }, expectedRevision: `initial:${UNKNOWN}` },
        { as: "unknown" },
      ),
      call(
        "thread/readState/update",
        { threadId: "abc", operation: { type: "read" }, expectedRevision: "x" },
        { as: "bad id" },
      ),
      call("thread/start", { ephemeral: true }, { as: "ephemeral", settles: true }),
      call(
        "thread/readState/update",
        { threadId: "{{ephemeral.result.thread.id}}", operation: { type: "read" }, expectedRevision: "x" },
        { as: "ephemeral read" },
      ),
    ],
  }),
  {
    name: "thread-read/summary-refused",
    about: "Summaries of threads that are not there.",
    transports: STDIO,
    steps: [
      initialize(),
      call("getConversationSummary", { rolloutPath: "{{home}}/nothing.jsonl" }, { as: "no file" }),
      call("getConversationSummary", { conversationId: UNKNOWN }, { as: "unknown" }),
      call("getConversationSummary", { conversationId: "abc" }, { as: "bad id" }),
    ],
  },
];
