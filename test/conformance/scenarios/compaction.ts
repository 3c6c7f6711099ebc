/** A history that is replaced by its summary, on request and by itself. */
import {
  functionCallDone,
  messageDone,
  messageReply,
  responseCompleted,
  responseCreated,
  unfinishedReply,
} from "../../support/model-events.ts";
import type { ModelReply } from "../../support/scripted-model.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, refused } from "../steps.ts";
import {
  completed,
  conversation,
  INTERRUPT_RACES,
  THREAD,
  textInput,
  turn,
  turnScenario,
  UNCONFINED,
  withThread,
} from "../turn-steps.ts";

const compact: Step = call(
  "thread/compact/start",
  { threadId: THREAD },
  { as: "compact", expect: { result: {} } },
);
const SUMMARY = messageReply("SUMMARY of it all", { id: "s" });
const ROOT = 'compact_prompt = "Summarise."\n';

const costly = (text: string, id: string, tokens: number): ModelReply => ({
  events: [
    responseCreated(`resp_${id}`),
    messageDone(`msg_${id}`, text),
    responseCompleted(`resp_${id}`, { input: tokens, output: 10 }),
  ],
});
const requests: Step = { do: "model", pick: ["/body/parallel_tool_calls", "/body/reasoning", "/body/text"] };

/** What a history costs is an estimate of the whole of it, instructions included, which are every server's own. */
export const ESTIMATES = [
  { message: "thread/tokenUsage/updated", pointer: "/params/tokenUsage/last/*" },
  { message: "thread/tokenUsage/updated", pointer: "/params/tokenUsage/total/*" },
];

export const compactionScenarios: readonly Scenario[] = [
  turnScenario({
    name: "compaction/manual",
    about: "Compaction is a turn with one item; later requests hold the user's words and the summary.",
    config: { root: ROOT },
    volatile: ESTIMATES,
    model: [messageReply("One", { id: "1" }), SUMMARY, messageReply("Two", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      compact,
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      requests,
      conversation,
    ],
  }),
  turnScenario({
    name: "compaction/own-prompt",
    about: "Without a configured prompt the server has its own.",
    volatile: ESTIMATES,
    model: [messageReply("One", { id: "1" }), SUMMARY],
    steps: [...withThread(), turn("Go"), completed, compact, completed],
  }),
  turnScenario({
    name: "compaction/nothing-to-compact",
    about: "A thread without a turn can be compacted.",
    config: { root: ROOT },
    volatile: ESTIMATES,
    model: [SUMMARY, messageReply("Two", { id: "2" })],
    steps: [...withThread(), compact, completed, turn("Go", {}, { as: "second" }), completed, conversation],
  }),
  turnScenario({
    name: "compaction/twice",
    about: "A second compaction summarises the first summary.",
    config: { root: ROOT },
    volatile: ESTIMATES,
    model: [
      messageReply("One", { id: "1" }),
      SUMMARY,
      messageReply("SUMMARY again", { id: "t" }),
      messageReply("Two", { id: "2" }),
    ],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      compact,
      completed,
      compact,
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "compaction/automatic",
    about: "A history over its limit is compacted at the beginning of the next turn.",
    config: { root: `${ROOT}model_auto_compact_token_limit = 1000\n` },
    volatile: ESTIMATES,
    model: [costly("One", "1", 5000), SUMMARY, costly("Two", "2", 100)],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "compaction/automatic-within-a-turn",
    about: "A history over its limit is compacted between the calls of one turn.",
    config: { root: `${ROOT}model_auto_compact_token_limit = 1000\n` },
    volatile: ESTIMATES,
    races: ["item/commandExecution/outputDelta"],
    model: [
      {
        events: [
          responseCreated("resp_1"),
          functionCallDone("call_1", "exec_command", { cmd: "echo hello" }),
          responseCompleted("resp_1", { input: 5000, output: 10 }),
        ],
      },
      SUMMARY,
      costly("Two", "2", 100),
    ],
    steps: [...withThread(UNCONFINED), turn("Go"), completed, conversation],
  }),
  turnScenario({
    name: "compaction/fails",
    about: "A compaction that fails is a failed turn, and the history stays as it was.",
    config: { root: ROOT },
    volatile: ESTIMATES,
    model: [messageReply("One", { id: "1" }), { status: 400, body: "no" }, messageReply("Two", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      compact,
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "compaction/automatic-fails",
    about: "A turn whose compaction fails fails.",
    config: { root: `${ROOT}model_auto_compact_token_limit = 1000\n` },
    volatile: ESTIMATES,
    model: [costly("One", "1", 5000), { status: 400, body: "no" }],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "compaction/too-long-to-summarise",
    about: "A history that is too long even for its summary is shortened from its beginning.",
    config: { root: ROOT },
    volatile: ESTIMATES,
    model: [
      messageReply("One", { id: "1" }),
      {
        events: [
          responseCreated("resp_x"),
          {
            type: "response.failed",
            response: { id: "resp_x", error: { code: "context_length_exceeded", message: "too long" } },
          },
        ],
      },
      SUMMARY,
      messageReply("Two", { id: "2" }),
    ],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      compact,
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "compaction/not-steerable",
    about: "A compaction takes no steer, and an interrupt ends it.",
    config: { root: ROOT },
    volatile: ESTIMATES,
    races: INTERRUPT_RACES,
    model: [messageReply("One", { id: "1" }), unfinishedReply("Sum", "s"), messageReply("Two", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      compact,
      {
        do: "await",
        message: { method: "item/started", params: { item: { type: "contextCompaction" } } },
        as: "item",
      },
      { do: "modelAsked", times: 2 },
      call(
        "turn/steer",
        { threadId: THREAD, expectedTurnId: "{{item.params.turnId}}", input: textInput("Hey") },
        { as: "steer" },
      ),
      call("turn/interrupt", { threadId: THREAD, turnId: "{{item.params.turnId}}" }, { as: "interrupt" }),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "compaction/refused",
    about: "Compaction needs a thread that is loaded.",
    steps: [
      ...withThread(),
      refused("thread/compact/start", { threadId: "abc" }, { $regex: "^invalid thread id" }, "bad id"),
      refused(
        "thread/compact/start",
        { threadId: "00000000-0000-7000-8000-000000000000" },
        "thread not found: 00000000-0000-7000-8000-000000000000",
        "unknown thread",
      ),
    ],
  }),
];
