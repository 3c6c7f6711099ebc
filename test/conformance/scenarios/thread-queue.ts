/** Turns that wait for their thread: how they are kept, in which order they start, and what may be done to them meanwhile. */
import { messageReply } from "../../support/model-events.ts";
import type { ModelReply } from "../../support/scripted-model.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize } from "../steps.ts";
import {
  completed,
  conversation,
  THREAD,
  TURN_ANSWERS,
  textInput,
  turn,
  turnScenario,
  withThread,
} from "../turn-steps.ts";

const held = (model: ModelReply): ModelReply => ({ ...model, held: true });
const replies = (count: number) =>
  Array.from({ length: count }, (_, at) => messageReply(`Answer ${at + 1}`, { id: String(at + 1) }));
const busy = (count: number): ModelReply[] =>
  replies(count).map((each, at) => (at === 0 ? held(each) : each));

const add = (text: string, as = `add ${text}`): Step =>
  call(
    "thread/queue/add",
    { threadId: THREAD, input: textInput(text), clientUserMessageId: `client-${text}` },
    { as },
  );
const list = (more: Readonly<Record<string, unknown>> = {}, as = "list"): Step =>
  call("thread/queue/list", { threadId: THREAD, ...more }, { as });
const idOf = (text: string): string => `{{add ${text}.result.queuedSubmission.id}}`;
/** Whether the peer tells of a queue that goes on before or after the end of the turn before varies. */
const DRAINS = { freeOrder: [...TURN_ANSWERS, ["thread/queue/changed"]] };
const begin = (): readonly Step[] => [...withThread(), turn("Go"), { do: "modelAsked", times: 1 }];

export const threadQueueScenarios: readonly Scenario[] = [
  turnScenario({
    name: "thread-queue/idle",
    about: "A turn that is added to a thread in which nothing runs starts at once.",
    model: replies(1),
    steps: [...withThread(), add("now"), completed, list(), conversation],
  }),
  turnScenario({
    ...DRAINS,
    name: "thread-queue/order",
    about: "Turns that were added while another runs start one after the other, in their order.",
    model: busy(3),
    steps: [
      ...begin(),
      add("one"),
      add("two"),
      list(),
      { do: "release" },
      completed,
      completed,
      completed,
      list({}, "list in the end"),
      conversation,
    ],
  }),
  turnScenario({
    ...DRAINS,
    name: "thread-queue/changes",
    about: "Waiting turns can be changed, put in another order and taken out.",
    model: busy(3),
    steps: [
      ...begin(),
      add("one"),
      add("two"),
      add("three"),
      call("thread/queue/update", {
        threadId: THREAD,
        queuedSubmissionId: idOf("two"),
        input: textInput("second"),
      }),
      call("thread/queue/reorder", {
        threadId: THREAD,
        queuedSubmissionIds: [idOf("three"), idOf("two"), idOf("one")],
      }),
      call("thread/queue/delete", { threadId: THREAD, queuedSubmissionId: idOf("one") }, { as: "delete" }),
      call("thread/queue/delete", { threadId: THREAD, queuedSubmissionId: idOf("one") }, { as: "again" }),
      list(),
      { do: "release" },
      completed,
      completed,
      completed,
      conversation,
    ],
  }),
  turnScenario({
    ...DRAINS,
    name: "thread-queue/pages",
    about: "The queue is listed in pages.",
    model: busy(4),
    steps: [
      ...begin(),
      add("one"),
      add("two"),
      add("three"),
      list({ limit: 2 }, "first page"),
      list({ limit: 2, cursor: "{{first page.result.nextCursor}}" }, "second page"),
      list({ limit: 0 }, "a page of nothing"),
      list({ cursor: "7" }, "beyond the end"),
      call("thread/queue/list", { threadId: THREAD, cursor: "x" }, { as: "no cursor" }),
      { do: "release" },
      completed,
      completed,
      completed,
      completed,
    ],
  }),
  turnScenario({
    ...DRAINS,
    name: "thread-queue/start",
    about: "A waiting turn can be started by hand, and not while another runs.",
    model: busy(4),
    steps: [
      ...begin(),
      call("thread/queue/start", { threadId: THREAD }, { as: "empty and busy" }),
      add("one"),
      add("two"),
      call("thread/queue/start", { threadId: THREAD }, { as: "busy" }),
      call(
        "thread/queue/start",
        { threadId: THREAD, queuedSubmissionId: "nowhere" },
        { as: "unknown, busy" },
      ),
      { do: "release" },
      completed,
      completed,
      completed,
      call("thread/queue/start", { threadId: THREAD }, { as: "empty" }),
      call("thread/queue/start", { threadId: THREAD, queuedSubmissionId: "nowhere" }, { as: "unknown" }),
      list(),
    ],
  }),
  turnScenario({
    ...DRAINS,
    name: "thread-queue/refused",
    about: "What cannot be queued is refused in words.",
    model: busy(2),
    steps: [
      ...begin(),
      call(
        "thread/queue/add",
        { threadId: THREAD, input: [], clientUserMessageId: "c" },
        { as: "nothing to say" },
      ),
      call("thread/queue/add", { threadId: THREAD, input: textInput("x") }, { as: "no client id" }),
      call(
        "thread/queue/add",
        { threadId: THREAD, input: textInput("x".repeat(1_048_577)), clientUserMessageId: "c" },
        { as: "too long" },
      ),
      call(
        "thread/queue/update",
        { threadId: THREAD, queuedSubmissionId: "nowhere", input: textInput("x") },
        { as: "unknown" },
      ),
      add("one"),
      call(
        "thread/queue/update",
        { threadId: THREAD, queuedSubmissionId: idOf("one"), input: [] },
        { as: "update to nothing" },
      ),
      ...[[], [idOf("one"), idOf("one")], ["nowhere"]].map((ids, at) =>
        call(
          "thread/queue/reorder",
          { threadId: THREAD, queuedSubmissionIds: ids },
          { as: `reorder ${at + 1}` },
        ),
      ),
      list(),
      { do: "release" },
      completed,
      completed,
    ],
  }),
  turnScenario({
    name: "thread-queue/threads",
    about: "Threads that are unknown, archived or not kept have no queue.",
    model: replies(1),
    steps: [
      initialize(),
      ...["not-an-id", "0199a213-81c0-7800-8aa1-bbab2a035a53"].flatMap((threadId, at) => [
        call("thread/queue/list", { threadId }, { as: `list ${at + 1}` }),
        call(
          "thread/queue/add",
          { threadId, input: textInput("x"), clientUserMessageId: "c" },
          { as: `add ${at + 1}` },
        ),
        call("thread/queue/start", { threadId }, { as: `start ${at + 1}` }),
      ]),
      call("thread/start", { ephemeral: true }, { as: "thread", settles: true }),
      add("ephemeral"),
      list({}, "list of what is not kept"),
      call("thread/start", {}, { as: "kept", settles: true }),
      turn("Go", {}, { thread: "kept" }),
      completed,
      call("thread/archive", { threadId: "{{kept.result.thread.id}}" }, { as: "archive", settles: true }),
      call("thread/queue/list", { threadId: "{{kept.result.thread.id}}" }, { as: "list of the archived" }),
      call(
        "thread/queue/add",
        { threadId: "{{kept.result.thread.id}}", input: textInput("x"), clientUserMessageId: "c" },
        { as: "add to the archived" },
      ),
    ],
  }),
  turnScenario({
    name: "thread-queue/unloaded",
    about: "A thread that is not loaded keeps what is added, and goes on when it is resumed.",
    model: replies(2),
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      { do: "restart" },
      initialize(),
      add("later"),
      list(),
      call("thread/queue/start", { threadId: THREAD }, { as: "start of the unloaded" }),
      call("thread/resume", { threadId: THREAD }, { as: "resume" }),
      completed,
      list({}, "list in the end"),
      conversation,
    ],
  }),
  turnScenario({
    ...DRAINS,
    name: "thread-queue/same-key",
    about: "The same message of a client that is added twice is queued once.",
    model: busy(2),
    steps: [...begin(), add("one"), add("one", "again"), list(), { do: "release" }, completed, completed],
  }),
  turnScenario({
    name: "thread-queue/new-thread",
    about: "A thread without a turn has a queue as well.",
    model: replies(1),
    steps: [
      ...withThread(),
      list(),
      call("thread/queue/start", { threadId: THREAD }, { as: "start" }),
      add("x"),
      completed,
    ],
  }),
  turnScenario({
    name: "thread-queue/failed-turn",
    about: "A turn that fails does not hold up those behind it.",
    model: [{ status: 400, body: "no" }, ...replies(1)],
    steps: [...withThread(), add("fails"), completed, add("works"), completed, list()],
  }),
  turnScenario({
    name: "thread-queue/interrupted",
    about: "After an interrupted turn the queue goes on; the peer waits until somebody starts a turn.",
    model: busy(3),
    steps: [
      ...begin(),
      add("one"),
      call("turn/interrupt", { threadId: THREAD, turnId: "{{turn.result.turn.id}}" }, { as: "interrupt" }),
      completed,
      { do: "settle", milliseconds: 400 },
      list({}, "list after the interruption"),
      { do: "release" },
    ],
  }),
];
