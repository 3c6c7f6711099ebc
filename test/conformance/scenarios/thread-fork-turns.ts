/** Forks that leave their source at one of its turns, or within one. */
import { messageReply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario } from "../scenario.ts";
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
import {
  again,
  fork,
  grown,
  idOf,
  LEGACY,
  list,
  PAGINATED,
  REPLIES,
  said,
  turns,
  unchanged,
} from "./thread-fork-steps.ts";
import { CURSORS } from "./thread-list.ts";
import { pathOf, storedFiles, turnId } from "./thread-list-files.ts";

const CUT = "0199cccc-0000-7000-8000-000000000001";
const told = (id: string, text: string) => ({
  type: "item_completed",
  thread_id: PAGINATED.id,
  turn_id: CUT,
  item: { type: "UserMessage", id, content: [{ type: "text", text, text_elements: [] }] },
  started_at_ms: 0,
  completed_at_ms: 1,
});
const BEGUN = { type: "task_started", turn_id: CUT, started_at: 10, model_context_window: null };
/** A paginated thread whose last turn has begun and not ended. */
const UNFINISHED = [BEGUN, said("before the fork"), told("before", "before needle")];
const FINISHED = [
  ...UNFINISHED,
  said("after the fork"),
  told("after", "after needle"),
  { type: "task_complete", turn_id: CUT, last_agent_message: null, started_at: 10, completed_at: 20 },
];

export const threadForkTurnScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-fork/at-a-turn",
    about: "A fork may end with a turn of its source, or before one.",
    model: REPLIES,
    volatile: CURSORS,
    steps: [
      ...withThread(),
      turn("One"),
      completed,
      turn("Two", {}, { as: "second" }),
      completed,
      turn("Three", {}, { as: "third" }),
      completed,
      fork(THREAD, { lastTurnId: "{{second.result.turn.id}}" }),
      fork(THREAD, { beforeTurnId: "{{third.result.turn.id}}" }, "before"),
      fork(THREAD, { beforeTurnId: "{{turn.result.turn.id}}" }, "before all"),
      turn("Mine", {}, { as: "mine", thread: "fork" }),
      completed,
      fork(
        idOf("fork"),
        { beforeTurnId: "{{mine.result.turn.id}}", ephemeral: true, excludeTurns: true },
        "ephemeral",
      ),
      list("list"),
      conversation,
    ],
    freeOrder: [["turn", "second", "third", "mine"].map((label) => `response ${label}`)],
  }),
  turnScenario({
    name: "thread-fork/at-a-turn-of-a-legacy-thread",
    about: "Threads in the old form are forked at their turns as well.",
    files: storedFiles(LEGACY),
    steps: [
      initialize(),
      fork(LEGACY.id, { lastTurnId: turnId(2, 2) }, "through"),
      fork(LEGACY.id, { beforeTurnId: turnId(2, 3) }, "before"),
      fork(LEGACY.id, { beforeTurnId: turnId(2, 1) }, "before all"),
      unchanged(LEGACY, storedFiles(LEGACY)),
    ],
  }),
  turnScenario({
    name: "thread-fork/before-an-unfinished-turn",
    about: "A turn that was never finished is shown as interrupted, and a fork may end before it.",
    files: grown(
      LEGACY,
      { type: "task_started", turn_id: CUT, model_context_window: null },
      { type: "user_message", message: "Unfinished" },
    ),
    steps: [
      initialize(),
      call("thread/read", { threadId: LEGACY.id, includeTurns: true }, { as: "read" }),
      fork(LEGACY.id, { beforeTurnId: CUT }),
    ],
  }),
  turnScenario({
    name: "thread-fork/unfinished-turn",
    about: "A turn that has not ended is in the fork as interrupted, whatever becomes of it in the source.",
    files: grown(PAGINATED, ...UNFINISHED),
    model: REPLIES,
    volatile: [...CURSORS, { message: "response found", pointer: "**/turnCursor" }],
    steps: [
      initialize(),
      fork(PAGINATED.id, { ephemeral: true, excludeTurns: true }, "ephemeral"),
      fork(PAGINATED.id, { lastTurnId: CUT }, "through the open turn"),
      fork(PAGINATED.id),
      {
        do: "write",
        path: pathOf(PAGINATED),
        text: grown(PAGINATED, ...FINISHED)[pathOf(PAGINATED)] ?? "",
      },
      turn("Go on", {}, { thread: "ephemeral" }),
      completed,
      turns("fork", "turns"),
      call(
        "thread/searchOccurrences",
        { threadId: idOf("fork"), searchTerm: "needle", limit: 1 },
        { as: "found" },
      ),
      call(
        "thread/turns/list",
        { threadId: idOf("fork"), cursor: "{{found.result.data.0.turnCursor}}", limit: 1 },
        { as: "turn where it was found", expect: { result: { data: [{ id: CUT }] } } },
      ),
      fork(idOf("fork"), { lastTurnId: CUT }, "nested"),
      turns("nested", "turns of the nested one"),
      fork(idOf("fork"), { beforeTurnId: CUT }, "nested before"),
      ...again,
      call("thread/resume", { threadId: idOf("fork") }, { as: "resume", settles: true }),
      turn("And on", {}, { as: "second", thread: "fork" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "thread-fork/running",
    about: "A thread is forked while a turn of it runs; the turn goes on in the source alone.",
    races: INTERRUPT_RACES,
    model: [messageReply("Done"), unfinishedReply("Working on"), messageReply("Done", { id: "3" })],
    volatile: CURSORS,
    steps: [
      ...withThread(),
      turn("One"),
      completed,
      turn("Two", {}, { as: "second" }),
      notification("item/agentMessage/delta"),
      fork(THREAD),
      turns("fork", "turns"),
      fork(THREAD, { lastTurnId: "{{second.result.turn.id}}" }, "through the running turn"),
      fork(THREAD, { beforeTurnId: "{{second.result.turn.id}}" }, "before it"),
      turn("Three", {}, { as: "third", thread: "fork" }),
      completed,
      call("turn/interrupt", { threadId: THREAD, turnId: "" }, { as: "interrupt" }),
      completed,
      conversation,
    ],
  }),
];
