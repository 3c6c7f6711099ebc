/** Turns that are cut short: what a client sees, and what the model is told afterwards. */
import { functionCallDone, messageReply, reply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, notification, refused } from "../steps.ts";
import {
  completed,
  conversation,
  INTERRUPT_RACES,
  THREAD,
  turn,
  turnScenario,
  UNCONFINED,
  withThread,
} from "../turn-steps.ts";

const TURN = "{{turn.result.turn.id}}";
const interrupt: Step = call(
  "turn/interrupt",
  { threadId: THREAD, turnId: TURN },
  { as: "interrupt", expect: { result: {} } },
);
const interrupted: Step = notification("turn/completed", { turn: { status: "interrupted", error: null } });
const again: readonly Step[] = [turn("Again", {}, { as: "second" }), completed, conversation];

export const interruptScenarios: readonly Scenario[] = [
  turnScenario({
    name: "interrupts/while-streaming",
    about: "An interrupted message never completes, and the model is told that the turn was aborted.",
    races: INTERRUPT_RACES,
    model: [unfinishedReply("Working on"), messageReply("Done", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Go"),
      notification("item/agentMessage/delta"),
      interrupt,
      interrupted,
      ...again,
    ],
  }),
  turnScenario({
    name: "interrupts/before-the-first-byte",
    about: "A turn can be interrupted before the model has said anything.",
    races: INTERRUPT_RACES,
    model: [messageReply("Late", { held: true }), messageReply("Done", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Go"),
      { do: "modelAsked", times: 1 },
      interrupt,
      interrupted,
      { do: "release" },
      ...again,
    ],
  }),
  turnScenario({
    name: "interrupts/while-a-command-runs",
    about: "A command goes on when its turn is interrupted; the model is told that it was aborted.",
    // How the command is ended by the cleaning is a race between the signal and the report.
    volatile: [{ message: "item/completed", pointer: "/params/item/exitCode" }],
    races: INTERRUPT_RACES,
    model: [
      reply(
        "1",
        functionCallDone("call_1", "exec_command", {
          cmd: "sleep 0.3; echo begun; sleep 20",
          yield_time_ms: 20_000,
        }),
      ),
      messageReply("Done", { id: "2" }),
    ],
    steps: [
      ...withThread(UNCONFINED),
      turn("Go"),
      notification("item/commandExecution/outputDelta"),
      interrupt,
      interrupted,
      call("thread/backgroundTerminals/clean", { threadId: THREAD }, { as: "clean", settles: true }),
      ...again,
    ],
  }),
  turnScenario({
    name: "interrupts/whatever-runs",
    about: "An empty turn id interrupts whatever runs.",
    races: INTERRUPT_RACES,
    model: [unfinishedReply("Working on"), messageReply("Done", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Go"),
      notification("item/agentMessage/delta"),
      call("turn/interrupt", { threadId: THREAD, turnId: "" }, { as: "interrupt" }),
      interrupted,
    ],
  }),
  turnScenario({
    name: "interrupts/refused",
    about: "Nothing runs, another turn runs, or the thread is unknown: then there is nothing to interrupt.",
    races: INTERRUPT_RACES,
    model: [unfinishedReply("Working on")],
    steps: [
      ...withThread(),
      refused(
        "turn/interrupt",
        { threadId: THREAD, turnId: "00000000-0000-7000-8000-000000000000" },
        "no active turn to interrupt",
        "nothing runs",
      ),
      turn("Go"),
      notification("item/agentMessage/delta"),
      refused(
        "turn/interrupt",
        { threadId: THREAD, turnId: "00000000-0000-7000-8000-000000000000" },
        { $regex: "^expected active turn id 0+-0000-7000-8000-0+ but found " },
        "another turn",
      ),
      refused(
        "turn/interrupt",
        { threadId: "00000000-0000-7000-8000-000000000000", turnId: TURN },
        "thread not found: 00000000-0000-7000-8000-000000000000",
        "another thread",
      ),
      call("turn/interrupt", { threadId: THREAD }, { as: "no turn" }),
      interrupt,
      interrupted,
    ],
  }),
  turnScenario({
    name: "interrupts/after-the-end",
    about: "A turn that has completed cannot be interrupted.",
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      refused("turn/interrupt", { threadId: THREAD, turnId: TURN }, "no active turn to interrupt", "over"),
    ],
  }),
];
