/** Going back in a thread. */
import { messageReply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, notification } from "../steps.ts";
import {
  completed,
  conversation,
  INTERRUPT_RACES,
  THREAD,
  turn,
  turnScenario,
  withThread,
} from "../turn-steps.ts";
import { CURSORS } from "./thread-list.ts";
import { type StoredThread, storedFiles, threadId, turnId } from "./thread-list-files.ts";

const REVERT_CURSORS = [
  ...CURSORS,
  { message: "response **", pointer: "**/turnsBackwardsCursor" },
  { message: "response **", pointer: "**/itemsBackwardsCursor" },
];
const STORED: StoredThread = { id: threadId(1), at: "2026-01-05T12:00:01", said: ["one", "two"] };

const revert = (beforeTurnId: string, as = "revert", id = THREAD): Step =>
  call("thread/revert", { threadId: id, beforeTurnId }, { as, settles: true });
const turns = (as: string): Step => call("thread/turns/list", { threadId: THREAD }, { as });

export const threadRevertScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-revert/last-turn",
    about: "A thread goes back to before a turn, stays loaded, and goes on from there.",
    model: ["1", "2", "3"].map((id) => messageReply("Done", { id })),
    volatile: REVERT_CURSORS,
    steps: [
      ...withThread(),
      turn("One"),
      completed,
      turn("Two", {}, { as: "second" }),
      completed,
      revert("{{second.result.turn.id}}"),
      turns("turns"),
      call("thread/loaded/list", {}, { as: "loaded" }),
      turn("Three", {}, { as: "third" }),
      completed,
      turns("turns after another"),
      call("thread/items/list", { threadId: THREAD }, { as: "items" }),
      conversation,
    ],
  }),
  turnScenario({
    name: "thread-revert/stale-path",
    about: "The file that a revert has replaced is not gone on with.",
    model: ["1", "2"].map((id) => messageReply("Done", { id })),
    volatile: REVERT_CURSORS,
    steps: [
      ...withThread(),
      turn("One"),
      completed,
      turn("Two", {}, { as: "second" }),
      completed,
      revert("{{second.result.turn.id}}"),
      { do: "restart" },
      initialize({ experimentalApi: true }, { as: "initialize again" }),
      call(
        "thread/resume",
        { threadId: THREAD, path: "{{thread.result.thread.path}}", excludeTurns: true },
        { as: "stale", expect: { error: { code: -32600 } } },
      ),
      turns("turns of the thread"),
    ],
  }),
  turnScenario({
    name: "thread-revert/first-turn",
    about: "A thread may go back to its beginning.",
    model: [messageReply("Done"), messageReply("Done", { id: "2" })],
    volatile: REVERT_CURSORS,
    steps: [
      ...withThread(),
      turn("One"),
      completed,
      revert("{{turn.result.turn.id}}"),
      turns("turns"),
      call("thread/list", {}, { as: "list" }),
      turn("Two", {}, { as: "second" }),
      completed,
      turns("turns after another"),
    ],
  }),
  turnScenario({
    name: "thread-revert/running",
    about: "A turn that runs is ended by the way back.",
    races: INTERRUPT_RACES,
    model: [messageReply("Done"), unfinishedReply("Working on")],
    volatile: REVERT_CURSORS,
    steps: [
      ...withThread(),
      turn("One"),
      completed,
      turn("Two", {}, { as: "second" }),
      notification("item/agentMessage/delta"),
      revert("{{second.result.turn.id}}"),
      turns("turns"),
    ],
  }),
  turnScenario({
    name: "thread-revert/refused",
    about: "Threads and turns that there is no way back to.",
    files: storedFiles(STORED),
    model: [messageReply("Done")],
    volatile: REVERT_CURSORS,
    steps: [
      initialize(),
      revert("x", "bad id", "abc"),
      revert("x", "unknown", "00000000-0000-7000-8000-000000000000"),
      revert(turnId(1, 1), "not loaded", threadId(1)),
      call("thread/start", { ephemeral: true }, { as: "ephemeral", settles: true }),
      revert("x", "revert ephemeral", "{{ephemeral.result.thread.id}}"),
    ],
  }),
  turnScenario({
    name: "thread-revert/unknown-turn",
    about: "A turn that the thread does not have leaves it as it is.",
    model: [messageReply("Done")],
    volatile: REVERT_CURSORS,
    steps: [
      ...withThread(),
      turn("One"),
      completed,
      revert("nothing", "unknown turn"),
      call("thread/loaded/list", {}, { as: "loaded" }),
      turns("turns"),
    ],
  }),
  turnScenario({
    name: "thread-revert/without-a-turn",
    about: "A thread that has no turn has nothing to go back to.",
    volatile: REVERT_CURSORS,
    steps: [...withThread(), revert("x"), call("thread/loaded/list", {}, { as: "loaded" })],
  }),
  turnScenario({
    name: "thread-revert/twice",
    about: "A thread goes back step by step, and other clients hear of each.",
    transports: ["ws"],
    model: ["1", "2", "3"].map((id) => messageReply("Done", { id })),
    volatile: REVERT_CURSORS,
    steps: [
      ...withThread(),
      { do: "connect", as: "other" },
      initialize({ experimentalApi: true }, { as: "other initialize", on: "other", name: "other" }),
      turn("One"),
      completed,
      turn("Two", {}, { as: "second" }),
      completed,
      turn("Three", {}, { as: "third" }),
      completed,
      revert("{{third.result.turn.id}}", "revert the third"),
      revert("{{second.result.turn.id}}", "revert the second"),
      turns("turns"),
      call("thread/read", { threadId: THREAD }, { as: "read" }),
      { do: "settle", on: "other" },
    ],
  }),
];
