/** Questions and the clients that are asked: several of them, late ones, and turns that end before the answer. */
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, notification, settle, WS } from "../steps.ts";
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
  ANY_ORDER,
  apply,
  asks,
  asksAboutCommand,
  asksAboutFiles,
  asksAboutItem,
  DELTAS,
  DONE,
  decide,
  decideOn,
  exec,
  execBoth,
  exists,
  OWN_FOLDERS,
  patch,
  resolved,
  SHOWN_BY_CHANCE,
  UNTRUSTED,
} from "./approvals-steps.ts";

const interrupt: Step = call(
  "turn/interrupt",
  { threadId: THREAD, turnId: "{{turn.result.turn.id}}" },
  { as: "interrupt" },
);
const again: readonly Step[] = [turn("Again", {}, { as: "second" }), completed, conversation];
const notMade = exists("workspace/made", false);
const isMade: Step = { do: "read", path: "workspace/made", as: "exists" };
const connect = (as: string): readonly Step[] => [
  { do: "connect", as },
  initialize(undefined, { on: as, as: `${as} initialize`, name: as }),
];
const join = (on: string): Step =>
  call("thread/resume", { threadId: THREAD, excludeTurns: true }, { as: `${on} resume`, on, settles: true });
const on = (name: string, method: string): Step => ({ do: "await", on: name, message: { method } });
/** What a cursor says is every server's own business. */
const CURSORS = [{ message: "**response other resume", pointer: "/result/*Cursor" }];
const config = OWN_FOLDERS;
const races = [...DELTAS, ...INTERRUPT_RACES];

/** A thread that has had a turn can be joined by another client. */
const shared: readonly Step[] = [
  initialize(),
  ...connect("other"),
  call("thread/start", UNTRUSTED, { as: "thread", settles: true }),
  turn("First", {}, { as: "third" }),
  completed,
];
const FIRST = { ...DONE };

export const approvalClientScenarios: readonly Scenario[] = [
  turnScenario({
    name: "approvals/two-clients",
    about: "All clients of a thread are asked under one id; the first answer counts and all are told.",
    transports: WS,
    config,
    races,
    volatile: CURSORS,
    model: [FIRST, exec("touch made"), DONE],
    steps: [
      ...shared,
      join("other"),
      turn("Go"),
      asksAboutCommand,
      asks("commandExecution", "same", "other"),
      decideOn("other", "decline", "same"),
      on("other", "serverRequest/resolved"),
      decideOn("main", "accept"),
      completed,
      on("other", "turn/completed"),
      settle(),
      notMade,
    ],
  }),
  turnScenario({
    name: "approvals/stranger-answers",
    about: "A connection that was not asked answers, and then the one that was.",
    transports: WS,
    config,
    races,
    volatile: CURSORS,
    model: [exec("touch made"), DONE],
    steps: [
      initialize(),
      ...connect("other"),
      call("thread/start", UNTRUSTED, { as: "thread", settles: true }),
      turn("Go"),
      asksAboutCommand,
      decideOn("other", "decline"),
      call("thread/loaded/list", {}, { as: "other list", on: "other", settles: true }),
      decide("accept"),
      completed,
      isMade,
    ],
  }),
  turnScenario({
    name: "approvals/yes-and-no",
    about: "An answer with a result and an error, and then one that says no.",
    config,
    races,
    model: [exec("touch made"), DONE],
    steps: [
      ...withThread(UNTRUSTED),
      turn("Go"),
      asksAboutCommand,
      {
        do: "raw",
        text: '{"id":{{ask.id}},"result":{"decision":"accept"},"error":{"code":1,"message":"no"}}',
      },
      decide("decline"),
      completed,
      isMade,
    ],
  }),
  turnScenario({
    name: "approvals/late-client",
    about: "A client that joins while a question is open is asked it too.",
    transports: WS,
    config,
    races,
    volatile: CURSORS,
    model: [FIRST, exec("touch made"), DONE],
    steps: [
      ...shared,
      turn("Go"),
      asksAboutCommand,
      join("other"),
      asks("commandExecution", "same", "other"),
      decideOn("other", "accept", "same"),
      completed,
      on("other", "turn/completed"),
      exists("workspace/made", true),
    ],
  }),
  turnScenario({
    name: "approvals/asker-hangs-up",
    about: "A question stays open when the client that was asked hangs up, and another one answers it.",
    transports: WS,
    config,
    races,
    volatile: CURSORS,
    model: [FIRST, exec("touch made"), DONE],
    steps: [
      ...shared,
      turn("Go"),
      asksAboutCommand,
      { do: "close", on: "main" },
      join("other"),
      asks("commandExecution", "same", "other"),
      decideOn("other", "accept", "same"),
      on("other", "turn/completed"),
      exists("workspace/made", true),
    ],
  }),
  turnScenario({
    name: "approvals/late-answer",
    about: "A second answer and one to a question that was never asked are ignored.",
    config,
    races,
    model: [exec("touch made"), DONE],
    steps: [
      ...withThread(UNTRUSTED),
      turn("Go"),
      asksAboutCommand,
      decide("decline"),
      resolved,
      decide("accept"),
      { do: "raw", text: '{"id":4711,"result":{"decision":"accept"}}' },
      completed,
      settle(),
      notMade,
    ],
  }),
  turnScenario({
    name: "approvals/interrupt",
    about:
      "A turn that is interrupted ends before its question is told to be over; a late answer is ignored.",
    races,
    model: [exec("touch made"), DONE],
    steps: [
      ...withThread(UNTRUSTED),
      turn("Go"),
      asksAboutCommand,
      interrupt,
      completed,
      resolved,
      decide("accept"),
      settle(),
      notMade,
      ...again,
    ],
  }),
  turnScenario({
    name: "approvals/patch-interrupt",
    about: "The same with a patch.",
    config,
    races,
    // How long it took until then.
    volatile: [{ message: "conversation", pointer: "/1/added/1/output" }],
    model: [apply(patch("*** Add File: made", "+x")), DONE],
    steps: [
      ...withThread({ ...UNTRUSTED, model: "gpt-5.5" }),
      turn("Go"),
      asksAboutFiles,
      interrupt,
      completed,
      resolved,
      decide("accept"),
      settle(),
      notMade,
      ...again,
    ],
  }),
  turnScenario({
    name: "approvals/steered",
    about: "A turn that is steered while it asks goes on asking, and hears the words afterwards.",
    config,
    races,
    model: [exec("touch made"), DONE],
    steps: [
      ...withThread(UNTRUSTED),
      turn("Go"),
      asksAboutCommand,
      call(
        "turn/steer",
        {
          threadId: THREAD,
          expectedTurnId: "{{turn.result.turn.id}}",
          input: [{ type: "text", text: "Also this" }],
        },
        { as: "steer", settles: true },
      ),
      decide("accept"),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "approvals/policy-of-a-turn",
    about: "The policy and the sandbox that a turn names hold from it on.",
    config,
    races: SHOWN_BY_CHANCE,
    model: [exec("touch made"), { ...DONE }, exec("touch other", "2"), DONE],
    steps: [
      ...withThread(UNTRUSTED),
      turn("Go", { approvalPolicy: "never", sandboxPolicy: { type: "readOnly" } }),
      completed,
      notMade,
      turn("Again", { sandboxPolicy: { type: "workspaceWrite" } }, { as: "second" }),
      completed,
      exists("workspace/other", true),
      conversation,
    ],
  }),
  turnScenario({
    name: "approvals/cancel-of-two",
    about: "A cancel ends the turn and takes back the other question of it.",
    config,
    races,
    ...ANY_ORDER,
    model: [execBoth("touch made", "touch other"), DONE],
    steps: [
      ...withThread(UNTRUSTED),
      turn("Go"),
      asksAboutItem("call_1", "one"),
      asksAboutItem("call_2", "two"),
      decide("cancel", "one"),
      notification("turn/completed", { turn: { status: "interrupted" } }),
      settle(),
      notMade,
      ...again,
    ],
  }),
];
