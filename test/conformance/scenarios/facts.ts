/** Facts about all threads, and the people who use them. */
import { messageReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, notification, WS } from "../steps.ts";
import { completed, ownScenario, THREAD, textInput, turn, withThread } from "../turn-steps.ts";
import { asksAboutCommand, DELTAS, exec, OWN_FOLDERS, UNTRUSTED } from "./approvals-steps.ts";

/** Members of a response that differ from run to run. */
const volatile = (label: string, ...pointers: readonly string[]) =>
  pointers.map((pointer) => ({ message: `response ${label}`, pointer }));

const SECRET = "0123456789abcdef0123456789abcdef";

const connectAs = (person: string): readonly Step[] => [
  {
    do: "connect",
    as: person,
    headers: {
      authorization: { secret: SECRET, claims: { sub: person, scope: "read answer operate" }, expiresIn: 60 },
    },
  },
  initialize({ experimentalApi: true }, { name: person, on: person, as: `initialize ${person}` }),
];

export const factScenarios: readonly Scenario[] = [
  ownScenario({
    name: "facts/decisions",
    about: "A decision is listed with its cause and who decided, rules with their lines, and tokens as sums.",
    model: [exec("touch made"), messageReply("Done", { id: "9" })],
    races: DELTAS,
    config: OWN_FOLDERS,
    files: { "home/rules/default.rules": 'prefix_rule(pattern = ["touch"], decision = "prompt")\n' },
    volatile: [
      ...volatile("decisions", "/result/data/0/id", "/result/data/0/requestedAt"),
      ...volatile("decisions", "/result/data/0/verdict/decidedAt"),
    ],
    steps: [
      ...withThread(UNTRUSTED),
      turn("Go"),
      asksAboutCommand,
      { do: "answerOpen", result: { decision: "accept" } },
      completed,
      call("decision/list", {}, { as: "decisions" }),
      call("decision/list", { outcome: "denied" }, { as: "denied" }),
      call("decision/list", { cursor: "yesterday" }, { as: "bad cursor" }),
      call("rule/list", {}, { as: "rules" }),
      call("usage/summary", { from: "2020-01-01", to: "2019-01-01" }, { as: "no range" }),
      call(
        "usage/summary",
        { from: "2020-01-01", to: "2020-01-02", timeZone: "Mars/Base" },
        { as: "no zone" },
      ),
    ],
  }),
  ownScenario({
    name: "facts/queues",
    about: "The queues of all threads are listed, and a client that asks for it is notified of changes.",
    model: [messageReply("Done", { id: "9" })],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      call("queue/list", { subscribe: true }, { as: "empty" }),
      call("thread/queue/pause", { threadId: THREAD, reason: "lunch" }, { as: "pause" }),
      notification("queue/changed"),
      call(
        "thread/queue/add",
        { threadId: THREAD, input: textInput("Later"), clientUserMessageId: "later" },
        { as: "add" },
      ),
      notification("queue/changed"),
      call("queue/list", {}, { as: "paused" }),
      call("audit/list", {}, { as: "no audit" }),
    ],
  }),
  ownScenario({
    name: "facts/hooks",
    about: "A hook is tried without a thread, and a replay of an unknown thread is refused.",
    steps: [
      initialize(),
      call("hook/test", { eventName: "stop", input: {} }, { as: "test" }),
      call("hook/test", { eventName: "lunch", input: {} }, { as: "no event" }),
      call("hook/replay", { threadId: "01a1dea0-ad32-70b6-bb83-df91b47b9f81" }, { as: "no thread" }),
      call("hook/run/list", {}, { as: "runs" }),
    ],
  }),
  ownScenario({
    name: "facts/devices",
    about: "A device is offered a code, and an unknown one cannot be revoked.",
    volatile: volatile("pair", "/result/code", "/result/path", "/result/expiresAt"),
    steps: [
      initialize(),
      call("device/pair", { name: "phone", scopes: ["read"] }, { as: "pair" }),
      call("device/list", {}, { as: "devices" }),
      call("device/revoke", { deviceId: "nothing" }, { as: "revoke" }),
    ],
  }),
  ownScenario({
    name: "facts/people",
    about: "A client reaches the threads of its own subject, which messages and changes are recorded with.",
    transports: WS,
    model: [messageReply("Done", { id: "9" })],
    config: { tables: '[access]\nthreads = "own"\n' },
    files: { "home/secret": `${SECRET}\n` },
    args: ["--ws-auth=signed-bearer-token", "--ws-shared-secret-file={{home}}/secret"],
    volatile: [{ message: "ana: response audit", pointer: "/result/data/0/at" }],
    steps: [
      ...connectAs("ana"),
      ...connectAs("ben"),
      call("thread/start", {}, { as: "thread", on: "ana", settles: true }),
      call("thread/queue/pause", { threadId: THREAD }, { as: "pause", on: "ana" }),
      call("audit/list", {}, { as: "audit", on: "ana" }),
      call("audit/list", {}, { as: "audit of ben", on: "ben" }),
      call("thread/read", { threadId: THREAD }, { as: "read by ben", on: "ben" }),
      call("thread/list", {}, { as: "list of ben", on: "ben" }),
      turn("Go", {}, { on: "ana" }),
      { ...notification("turn/completed"), on: "ana" } as Step,
      call("thread/items/list", { threadId: THREAD, limit: 1 }, { as: "items", on: "ana" }),
    ],
  }),
];
