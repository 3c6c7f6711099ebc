/** Commands that a thread's model left running. */
import { functionCallDone, messageReply, reply } from "../../support/model-events.ts";
import type { Scenario } from "../scenario.ts";
import { call } from "../steps.ts";
import { completed, THREAD, turn, turnScenario, UNCONFINED, withThread } from "../turn-steps.ts";

const list = (as: string, more: object = {}) =>
  call("thread/backgroundTerminals/list", { threadId: THREAD, ...more }, { as });
const terminate = (as: string, processId: string) =>
  call("thread/backgroundTerminals/terminate", { threadId: THREAD, processId }, { as });
const leave = (id: string) =>
  reply(
    id,
    functionCallDone(`call_${id}`, "exec_command", { cmd: `sleep 30; echo ${id}`, yield_time_ms: 250 }),
  );

export const backgroundTerminalScenarios: readonly Scenario[] = [
  turnScenario({
    name: "background-terminals/one",
    about: "A command that the model left running is listed, and can be ended.",
    model: [leave("1"), messageReply("Done", { id: "9" })],
    races: ["item/completed"],
    steps: [
      ...withThread(UNCONFINED),
      list("none"),
      turn("Go"),
      completed,
      list("one"),
      terminate("not a number", "x"),
      terminate("empty", ""),
      terminate("unknown", "1"),
      list("bad cursor", { cursor: "x" }),
      terminate("terminate", "{{one.result.data.0.processId}}"),
      list("ended"),
    ],
  }),
  turnScenario({
    name: "background-terminals/clean",
    about: "All of a thread's commands are ended together.",
    model: [leave("1"), leave("2"), messageReply("Done", { id: "9" })],
    races: ["item/completed"],
    volatile: [
      { message: "response **", pointer: "/result/nextCursor" },
      { message: "response **", pointer: "/result/data/*/*" },
    ],
    steps: [
      ...withThread(UNCONFINED),
      turn("Go"),
      completed,
      list("page", { limit: 1 }),
      list("next page", { limit: 1, cursor: "{{page.result.nextCursor}}" }),
      call("thread/backgroundTerminals/clean", { threadId: THREAD }, { as: "clean", settles: true }),
      list("none left"),
    ],
  }),
];
