/** Several clients of one server: what all of them are told, and what only the subscribers of a thread are. */
import { messageReply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, settle, WS } from "../steps.ts";
import { THREAD, textInput, turn, turnScenario } from "../turn-steps.ts";

const second: readonly Step[] = [
  { do: "connect", as: "second" },
  initialize(undefined, { on: "second", as: "second initialize", name: "other" }),
];
const first: readonly Step[] = [
  initialize(),
  ...second,
  call("thread/start", {}, { as: "thread", settles: true }),
];
const seen = (method: string, on?: string): Step => ({
  do: "await",
  message: { method },
  ...(on === undefined ? {} : { on }),
});
const resume: Step = call(
  "thread/resume",
  { threadId: THREAD, excludeTurns: true },
  { as: "resume", on: "second", settles: true },
);

export const severalClientScenarios: readonly Scenario[] = [
  turnScenario({
    name: "several-clients/broadcast",
    about: "A client that is not subscribed sees the thread and its status, and nothing of its turns.",
    transports: WS,
    model: [messageReply("Done")],
    steps: [...first, turn("Go"), seen("turn/completed"), { do: "settle", on: "second" }],
  }),
  turnScenario({
    name: "several-clients/both-subscribed",
    about: "A client that resumes the thread sees its turns like the one that started it.",
    transports: WS,
    model: [messageReply("One"), messageReply("Two", { id: "2" })],
    steps: [
      ...first,
      turn("Go"),
      seen("turn/completed"),
      resume,
      turn("Again", {}, { as: "second" }),
      seen("turn/completed"),
      seen("turn/completed", "second"),
      turn("From the other", {}, { as: "third", on: "second" }),
      seen("turn/completed"),
      seen("turn/completed", "second"),
    ],
  }),
  turnScenario({
    name: "several-clients/joining-a-running-turn",
    about: "A client that joins during a turn gets the turn as it stands and the rest of it.",
    transports: WS,
    model: [unfinishedReply("Working on"), messageReply("Done", { id: "2" })],
    races: ["account/rateLimits/updated"],
    steps: [
      ...first,
      turn("Go"),
      seen("item/agentMessage/delta"),
      call("thread/resume", { threadId: THREAD }, { as: "resume", on: "second", settles: true }),
      call(
        "turn/steer",
        { threadId: THREAD, expectedTurnId: "{{turn.result.turn.id}}", input: textInput("Rather this") },
        { as: "steer", on: "second" },
      ),
      seen("turn/completed"),
      seen("turn/completed", "second"),
    ],
  }),
  turnScenario({
    name: "several-clients/one-leaves",
    about: "A client that unsubscribes or hangs up leaves the others with the thread.",
    transports: WS,
    model: [messageReply("One"), messageReply("Two", { id: "2" }), messageReply("Three", { id: "3" })],
    steps: [
      ...first,
      turn("Go"),
      seen("turn/completed"),
      resume,
      call("thread/unsubscribe", { threadId: THREAD }, { as: "unsubscribe" }),
      turn("Again", {}, { as: "second", on: "second" }),
      seen("turn/completed", "second"),
      settle(),
      { do: "close", on: "main" },
      turn("Alone", {}, { as: "third", on: "second" }),
      seen("turn/completed", "second"),
    ],
  }),
  turnScenario({
    name: "several-clients/starter-hangs-up",
    about: "A turn goes on when the client that started it hangs up.",
    transports: WS,
    model: [messageReply("Done", { held: true })],
    steps: [
      ...first,
      turn("Go"),
      { do: "modelAsked", times: 1 },
      { do: "close", on: "main" },
      { do: "release" },
      {
        do: "await",
        message: { method: "thread/status/changed", params: { status: { type: "idle" } } },
        on: "second",
      },
      call("thread/read", { threadId: THREAD, includeTurns: false }, { as: "read", on: "second" }),
      call("thread/turns/list", { threadId: THREAD, itemsView: "full" }, { as: "turns", on: "second" }),
    ],
  }),
  turnScenario({
    name: "several-clients/one-is-not-experimental",
    about: "Of two subscribers only the experimental one gets experimental notifications.",
    transports: WS,
    model: [messageReply("One"), messageReply("Two", { id: "2" })],
    steps: [
      initialize(),
      { do: "connect", as: "second" },
      initialize(null, { on: "second", as: "second initialize", name: "other" }),
      call("thread/start", {}, { as: "thread", settles: true }),
      turn("Go"),
      seen("turn/completed"),
      resume,
      turn("Again", { model: "mock-other" }, { as: "second" }),
      seen("turn/completed"),
      seen("turn/completed", "second"),
    ],
  }),
];
