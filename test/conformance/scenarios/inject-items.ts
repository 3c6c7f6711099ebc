/** Items that a client puts into a thread's history. */
import { messageReply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, notification } from "../steps.ts";
import {
  completed,
  conversation,
  INTERRUPT_RACES,
  THREAD,
  turn,
  turnScenario,
  withThread,
} from "../turn-steps.ts";

const said = (text: string, role = "assistant") => ({
  type: "message",
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
});
const inject = (items: readonly unknown[], as = "inject"): Step =>
  call("thread/inject_items", { threadId: THREAD, items }, { as, settles: true });

export const injectItemsScenarios: readonly Scenario[] = [
  turnScenario({
    name: "inject-items/before-a-turn",
    about: "Items injected before the first turn come after the context and before the prompt.",
    model: [messageReply("Done")],
    steps: [...withThread(), inject([said("Injected")]), turn("Go"), completed, conversation],
  }),
  turnScenario({
    name: "inject-items/after-a-turn",
    about: "Items injected after a turn are part of the next request.",
    model: [messageReply("Done"), messageReply("Done", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      inject([said("One"), said("Two", "user"), said("Three", "developer")]),
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "inject-items/calls",
    about: "Calls and their outputs may be injected as well.",
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      inject([
        { type: "function_call", call_id: "c1", name: "exec_command", arguments: "{}" },
        { type: "function_call_output", call_id: "c1", output: "fine" },
        { type: "reasoning", summary: [], encrypted_content: "x" },
      ]),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "inject-items/call-without-output",
    about: "A call without its output gets one, and an output without its call is left out.",
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      inject([
        { type: "function_call", call_id: "c1", name: "exec_command", arguments: "{}" },
        { type: "function_call_output", call_id: "c2", output: "fine" },
      ]),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "inject-items/busy",
    about: "Items injected during a turn are in the next request.",
    races: INTERRUPT_RACES,
    model: [unfinishedReply("Working on"), messageReply("Done", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Go"),
      notification("item/agentMessage/delta"),
      inject([said("Injected")]),
      call("turn/interrupt", { threadId: THREAD, turnId: "{{turn.result.turn.id}}" }, { as: "interrupt" }),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "inject-items/refused",
    about: "What is no item is refused, and then nothing is injected.",
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      inject([], "nothing"),
      inject([{ a: 1 }], "no type"),
      inject([said("Fine"), 7], "not an object"),
      inject([{ type: "message", role: "user" }], "no content"),
      inject([{ type: "future_item", a: 1 }], "unknown type"),
      call(
        "thread/inject_items",
        { threadId: "00000000-0000-7000-8000-000000000000", items: [said("x")] },
        { as: "unknown thread" },
      ),
      turn("Go"),
      completed,
      conversation,
    ],
  }),
];
