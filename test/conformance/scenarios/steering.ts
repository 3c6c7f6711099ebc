/** Words for a turn that runs: when the model hears them, and when they are refused. */
import {
  functionCallDone,
  messageReply,
  reply,
  responseCreated,
  streamedReply,
  unfinishedReply,
} from "../../support/model-events.ts";
import type { ModelReply } from "../../support/scripted-model.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, notification, refused } from "../steps.ts";
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

const TURN = "{{turn.result.turn.id}}";
const steer = (text: string, more: Readonly<Record<string, unknown>> = {}): Step =>
  call(
    "turn/steer",
    { threadId: THREAD, expectedTurnId: TURN, input: textInput(text), ...more },
    { as: "steer", expect: { result: { turnId: TURN } } },
  );
const held = (model: ModelReply): ModelReply => ({ ...model, held: true });
const PATIENT = { tables: "[features]\ninstant_interrupt = false\n" };
const DONE = messageReply("Done", { id: "2" });
const SLOW_COMMAND = reply(
  "1",
  functionCallDone("call_1", "exec_command", { cmd: "sleep 0.8; echo over", yield_time_ms: 10_000 }),
);
const commandRuns = notification("item/started", { item: { type: "commandExecution" } });

export const steeringScenarios: readonly Scenario[] = [
  turnScenario({
    name: "steering/instant",
    about: "A steer cuts the response that streams, which is forgotten, and asks again.",
    races: INTERRUPT_RACES,
    model: [unfinishedReply("Working on"), DONE],
    steps: [
      ...withThread(),
      turn("Go"),
      notification("item/agentMessage/delta"),
      steer("Rather this", { clientUserMessageId: "mine-2" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "steering/before-the-first-byte",
    about:
      "A steer before the model has said anything is heard when the response begins, and asks again with both messages.",
    races: INTERRUPT_RACES,
    // It goes on only far enough to be cut, so that nothing of it can get out before.
    model: [held({ events: [responseCreated("resp_1")], open: true }), DONE],
    steps: [
      ...withThread(),
      turn("Go"),
      { do: "modelAsked", times: 1 },
      steer("Rather this"),
      { do: "release" },
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "steering/patient",
    about: "Without instant interrupts the response ends first, and both stay in the history.",
    config: PATIENT,
    model: [held(streamedReply(["Fin", "ished"])), DONE],
    steps: [
      ...withThread(),
      turn("Go"),
      { do: "modelAsked", times: 1 },
      steer("And this"),
      { do: "release" },
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "steering/during-a-command",
    about: "A steer while a command runs is heard after the command.",
    races: [...INTERRUPT_RACES, "item/commandExecution/outputDelta"],
    model: [SLOW_COMMAND, DONE],
    steps: [...withThread(UNCONFINED), turn("Go"), commandRuns, steer("Also this"), completed, conversation],
  }),
  turnScenario({
    name: "steering/during-a-command-patient",
    about: "A steer while a command runs is heard after the command, without instant interrupts too.",
    config: PATIENT,
    races: [...INTERRUPT_RACES, "item/commandExecution/outputDelta"],
    model: [SLOW_COMMAND, DONE],
    steps: [...withThread(UNCONFINED), turn("Go"), commandRuns, steer("Also this"), completed, conversation],
  }),
  turnScenario({
    name: "steering/by-starting-a-turn",
    about: "Starting a turn on a busy thread steers the turn that runs and answers with it.",
    races: INTERRUPT_RACES,
    model: [unfinishedReply("Working on"), DONE],
    steps: [
      ...withThread(),
      turn("Go"),
      notification("item/agentMessage/delta"),
      call(
        "turn/start",
        { threadId: THREAD, input: textInput("Rather this"), clientUserMessageId: "mine-2" },
        { as: "second", expect: { result: { turn: { id: TURN } } } },
      ),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "steering/twice",
    about: "Several steers are each a message of the same turn.",
    config: PATIENT,
    model: [held(messageReply("First")), DONE],
    steps: [
      ...withThread(),
      turn("Go"),
      { do: "modelAsked", times: 1 },
      steer("One"),
      steer("Two"),
      { do: "release" },
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "steering/refused",
    about: "A steer needs a turn that runs, its id, and something to say.",
    races: INTERRUPT_RACES,
    model: [unfinishedReply("Working on")],
    steps: [
      ...withThread(),
      refused(
        "turn/steer",
        { threadId: THREAD, expectedTurnId: "turn-x", input: textInput("Hey") },
        "no active turn to steer",
        "nothing runs",
      ),
      refused(
        "turn/steer",
        {
          threadId: "00000000-0000-7000-8000-000000000000",
          expectedTurnId: "turn-x",
          input: textInput("Hey"),
        },
        "thread not found: 00000000-0000-7000-8000-000000000000",
        "unknown thread",
      ),
      turn("Go"),
      notification("item/agentMessage/delta"),
      refused(
        "turn/steer",
        { threadId: THREAD, expectedTurnId: "turn-x", input: textInput("Hey") },
        { $regex: "^expected active turn id `turn-x` but found `" },
        "another turn",
      ),
      call(
        "turn/steer",
        { threadId: THREAD, expectedTurnId: "", input: textInput("Hey") },
        { as: "empty turn" },
      ),
      refused(
        "turn/steer",
        { threadId: THREAD, expectedTurnId: TURN, input: [] },
        "input must not be empty",
        "nothing said",
      ),
      call("turn/steer", { threadId: THREAD, input: textInput("Hey") }, { as: "no turn" }),
      call(
        "turn/steer",
        { threadId: THREAD, expectedTurnId: TURN, input: textInput("x".repeat(1_048_577)) },
        { as: "too long", expect: { error: { code: -32602 } } },
      ),
      call(
        "turn/steer",
        {
          threadId: THREAD,
          expectedTurnId: TURN,
          input: [],
          additionalContext: { note: { value: "x", kind: "untrusted" } },
        },
        { as: "context only" },
      ),
      call("turn/interrupt", { threadId: THREAD, turnId: TURN }, { as: "interrupt" }),
      completed,
    ],
  }),
];
