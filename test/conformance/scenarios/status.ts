/** The status of a thread as clients see it, and the end of a subscription. */
import { messageReply, unfinishedReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, notification, settle } from "../steps.ts";
import { completed, INTERRUPT_RACES, THREAD, turn, turnScenario, withThread } from "../turn-steps.ts";

const unsubscribe = (status: string, as: string): Step =>
  call("thread/unsubscribe", { threadId: THREAD }, { as, expect: { result: { status } } });
const read = (as: string): Step => call("thread/read", { threadId: THREAD, includeTurns: false }, { as });
const loaded = (as: string): Step => call("thread/loaded/list", {}, { as });
const idle = notification("thread/status/changed", { status: { type: "idle" } });

export const statusScenarios: readonly Scenario[] = [
  turnScenario({
    name: "status/opted-out",
    about: "A client that does not want status changes sees the turn without them.",
    model: [messageReply("Done")],
    steps: [
      initialize({ experimentalApi: true, optOutNotificationMethods: ["thread/status/changed"] }),
      call("thread/start", {}, { as: "thread", settles: true }),
      turn("Go"),
      completed,
    ],
  }),
  turnScenario({
    name: "status/read",
    about: "The status that a thread is read with is the one that was last told.",
    races: INTERRUPT_RACES,
    model: [unfinishedReply("Working on"), { status: 400, body: "no" }],
    steps: [
      ...withThread(),
      turn("Go"),
      notification("item/agentMessage/delta"),
      read("read while active"),
      call("turn/interrupt", { threadId: THREAD, turnId: "{{turn.result.turn.id}}" }, { as: "interrupt" }),
      completed,
      read("read when idle"),
      turn("Again", {}, { as: "second" }),
      completed,
      read("read after an error"),
    ],
  }),
  turnScenario({
    name: "status/unsubscribe",
    about: "A thread without subscribers stays loaded and says nothing of its items.",
    model: [messageReply("Done"), messageReply("Done", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Go"),
      idle,
      completed,
      unsubscribe("unsubscribed", "unsubscribe"),
      unsubscribe("notSubscribed", "unsubscribe again"),
      loaded("loaded"),
      turn("Again", {}, { as: "second" }),
      idle,
      settle(),
      loaded("still loaded"),
    ],
  }),
  turnScenario({
    name: "status/unsubscribe-during-a-turn",
    about: "A turn goes on when its only subscriber leaves.",
    model: [messageReply("Done", { held: true })],
    steps: [
      ...withThread(),
      turn("Go"),
      { do: "modelAsked", times: 1 },
      unsubscribe("unsubscribed", "unsubscribe"),
      { do: "release" },
      idle,
      settle(),
      loaded("loaded"),
      call("thread/resume", { threadId: THREAD, excludeTurns: true }, { as: "resume", settles: true }),
    ],
  }),
  turnScenario({
    name: "status/unsubscribe-refused",
    about: "A thread that is not loaded has no subscription to end.",
    steps: [
      ...withThread(),
      call("thread/unsubscribe", { threadId: "00000000-0000-7000-8000-000000000000" }, { as: "unknown" }),
      call("thread/unsubscribe", { threadId: "abc" }, { as: "bad id" }),
    ],
  }),
];
