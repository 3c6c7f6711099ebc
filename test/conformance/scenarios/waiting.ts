/** Work that waits: positions of events, wake-ups, schedules, questions, usage limits. */
import { messageReply } from "../../support/model-events.ts";
import type { ModelReply } from "../../support/scripted-model.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, settle } from "../steps.ts";
import {
  completed,
  conversation,
  ownScenario,
  THREAD,
  textInput,
  turn,
  turnScenario,
  withThread,
} from "../turn-steps.ts";
import { asksAboutCommand, DELTAS, exec, exists, OWN_FOLDERS, UNTRUSTED } from "./approvals-steps.ts";

const replies = (count: number): readonly ModelReply[] =>
  Array.from({ length: count }, (_, at) => messageReply(`Answer ${at + 1}`, { id: String(at + 1) }));

/** Beyond every test, so that the wait ends by an interruption only. */
const IN_2100 = 4_102_444_800;
const LIMITED: ModelReply = {
  status: 429,
  body: { error: { type: "usage_limit_reached", message: "used up", resets_at: IN_2100 } },
};

const wake = (key: string, as: string): Step =>
  call("thread/wake", { threadId: THREAD, key, input: textInput("Build 7 has failed.") }, { as });

const schedule = (params: Readonly<Record<string, unknown>>, as: string): Step =>
  call(
    "schedule/create",
    {
      name: "nightly",
      schedule: { type: "cron", expression: "30 2 * * *", timeZone: "Europe/Berlin" },
      target: { type: "thread", threadId: THREAD },
      input: textInput("Update the dependencies."),
      ...params,
    },
    { as },
  );
/** Members of a question that differ from run to run. */
const question = (label: string, place: string) =>
  ["id", "requestId", "requestedAt", "ageMs", "until", "verdict/decidedAt"].map((member) => ({
    message: `response ${label}`,
    pointer: `${place}/${member}`,
  }));

const SCHEDULE_ID = "{{create.result.schedule.id}}";
const times = (label: string, place: string) =>
  ["createdAt", "updatedAt", "nextRunAt"].map((member) => ({
    message: `response ${label}`,
    pointer: `${place}/${member}`,
  }));

export const waitingScenarios: readonly Scenario[] = [
  ownScenario({
    name: "waiting/positions",
    about: "A client that asks for positions gets one with every durable event, and the same ones again.",
    model: replies(2),
    steps: [
      initialize({ experimentalApi: true, resumableEvents: true }),
      call("thread/start", {}, { as: "thread", settles: true }),
      turn("Go"),
      completed,
      call(
        "thread/events/list",
        { threadId: THREAD, afterSeq: null, limit: 2 },
        { as: "first page", expect: { result: { isComplete: false } } },
      ),
      call(
        "thread/events/list",
        { threadId: THREAD, afterSeq: "{{first page.result.nextSeq}}" },
        { expect: { result: { isComplete: true } } },
      ),
      call(
        "thread/subscribe",
        { threadId: THREAD, afterSeq: "{{first page.result.nextSeq}}" },
        { settles: true },
      ),
      call("thread/subscribe", { threadId: THREAD, afterSeq: "yesterday" }, { as: "no position" }),
    ],
  }),
  ownScenario({
    name: "waiting/wake",
    about: "An event wakes a thread, and the same key again is the same turn.",
    model: replies(2),
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      wake("build 7", "wake"),
      completed,
      wake("build 7", "wake again"),
      wake("", "wake without a key"),
      settle(),
      conversation,
    ],
  }),
  ownScenario({
    name: "waiting/schedules",
    about: "A schedule is created, paused, listed and deleted, and one that makes no sense is refused.",
    model: replies(1),
    volatile: [
      ...times("create", "/result/schedule"),
      ...times("pause", "/result/schedule"),
      ...times("list", "/result/data/0"),
      { message: "schedule/changed", pointer: "/params/schedule" },
    ],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      schedule({}, "create"),
      schedule({ schedule: { type: "cron", expression: "61 * * * *", timeZone: "UTC" } }, "bad line"),
      schedule({ schedule: { type: "cron", expression: "0 2 * * *", timeZone: "Mars/Base" } }, "bad zone"),
      schedule({ target: { type: "thread", threadId: "nothing" } }, "bad target"),
      call("schedule/update", { scheduleId: SCHEDULE_ID, paused: true }, { as: "pause" }),
      call("schedule/list", {}, { as: "list" }),
      call("schedule/delete", { scheduleId: SCHEDULE_ID }, { as: "delete", settles: true }),
      call("schedule/delete", { scheduleId: SCHEDULE_ID }, { as: "delete again" }),
    ],
  }),
  ownScenario({
    name: "waiting/question",
    about: "An open question is listed, and answered by its id; a second answer changes nothing.",
    model: [exec("touch made"), ...replies(1)],
    races: DELTAS,
    config: OWN_FOLDERS,
    volatile: [
      ...question("open", "/result/data/0"),
      ...question("answer", "/result/approval"),
      ...question("again", "/error/data/approval"),
      { message: "response again", pointer: "/error/message" },
    ],
    steps: [
      ...withThread(UNTRUSTED),
      turn("Go"),
      asksAboutCommand,
      call("approval/list", {}, { as: "open" }),
      call("approval/answer", { id: "nothing", decision: "accept" }, { as: "answer to nothing" }),
      call("approval/answer", { id: "{{open.result.data.0.id}}", decision: "accept" }, { as: "answer" }),
      completed,
      exists("workspace/made", true),
      call("approval/answer", { id: "{{open.result.data.0.id}}", decision: "decline" }, { as: "again" }),
      conversation,
    ],
  }),
  turnScenario({
    name: "waiting/usage-limit",
    about: "A turn waits for the end of a usage limit where that is configured, and can be interrupted.",
    model: [LIMITED],
    config: { tables: '[limits]\non_usage_limit = "suspend"\n' },
    volatile: [
      { message: "response read", pointer: "/result/thread/waiting/since" },
      { message: "response read", pointer: "/result/thread/waiting/until" },
    ],
    steps: [
      ...withThread(),
      turn("Go"),
      settle(),
      call("thread/read", { threadId: THREAD, includeTurns: false }, { as: "read" }),
      call("turn/interrupt", { threadId: THREAD, turnId: "{{turn.result.turn.id}}" }, { as: "interrupt" }),
      settle(),
    ],
  }),
  ownScenario({
    name: "waiting/fallback-model",
    about: "The same request goes to the next model while the provider is overloaded.",
    model: [{ status: 503, body: { error: { message: "overloaded" } } }, ...replies(1)],
    config: { root: 'model_fallbacks = ["mock-model-2"]' },
    steps: [...withThread(), turn("Go"), completed, { do: "model", pick: ["model"] }],
  }),
  ownScenario({
    name: "waiting/webhooks",
    about: "Without an endpoint there are no deliveries, and none to repeat or to test.",
    steps: [
      initialize(),
      call("webhook/list", {}),
      call("webhook/retry", { deliveryId: "7" }, { as: "retry" }),
      call("webhook/test", { endpointId: "nobody" }, { as: "test" }),
    ],
  }),
];
