/** How a server ends: end of input, signals, and turns that are still running. */
import { messageReply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, get, initialize, notification, STDIO, WS } from "../steps.ts";

/** A turn that waits for the model. */
const runningTurn: readonly Step[] = [
  initialize(null),
  call("thread/start", { model: "mock-model" }, { settles: true }),
  call("turn/start", {
    threadId: "{{thread/start.result.thread.id}}",
    input: [{ type: "text", text: "Hello" }],
  }),
  { do: "modelAsked", times: 1 },
  notification("item/completed"),
];
const CLEAN = { code: 0, signal: null };

/** The process may be gone before the last messages of the turn are. */
const LAST_MESSAGES = [
  "thread/tokenUsage/updated",
  "account/rateLimits/updated",
  "thread/status/changed",
  "thread/closed",
  "turn/completed",
  "item/started",
  "item/completed",
];

function drains(signal: NodeJS.Signals): Scenario {
  return {
    name: `shutdown/${signal.toLowerCase()}-waits-for-the-turn`,
    about: `After ${signal} the server goes on until no turn runs, then closes the connections and exits with 0.`,
    transports: WS,
    races: LAST_MESSAGES,
    freeOrder: [["response turn/start"]],
    model: [messageReply("Done", { held: true })],
    steps: [
      ...runningTurn,
      { do: "signal", signal, staysFor: 300 },
      { do: "release" },
      { do: "exit", expect: CLEAN },
    ],
  };
}

function forces(signal: NodeJS.Signals): Scenario {
  return {
    name: `shutdown/second-${signal.toLowerCase()}-does-not-wait`,
    about: `A second ${signal} ends the server although a turn runs; it still exits with 0.`,
    transports: WS,
    races: LAST_MESSAGES,
    freeOrder: [["response turn/start"]],
    model: [messageReply("Done", { held: true })],
    steps: [
      ...runningTurn,
      { do: "signal", signal, staysFor: 300 },
      { do: "signal", signal },
      { do: "exit", expect: CLEAN },
    ],
  };
}

export const shutdownScenarios: readonly Scenario[] = [
  drains("SIGINT"),
  drains("SIGTERM"),
  forces("SIGINT"),
  forces("SIGTERM"),
  {
    name: "shutdown/sighup-never-forces",
    about: "SIGHUP drains like the others, but however often it comes it waits for the turn.",
    transports: WS,
    races: LAST_MESSAGES,
    freeOrder: [["response turn/start"]],
    model: [messageReply("Done", { held: true })],
    steps: [
      ...runningTurn,
      { do: "signal", signal: "SIGHUP", staysFor: 300 },
      { do: "signal", signal: "SIGHUP", staysFor: 300 },
      { do: "release" },
      { do: "exit", expect: CLEAN },
    ],
  },
  ...(["SIGTERM", "SIGINT", "SIGHUP"] as const).map(
    (signal): Scenario => ({
      name: `shutdown/${signal.toLowerCase()}-when-idle`,
      about: `${signal} ends an idle WebSocket server at once with 0.`,
      transports: WS,
      steps: [initialize(), { do: "signal", signal }, { do: "exit", expect: CLEAN }],
    }),
  ),
  {
    name: "shutdown/sigterm-without-clients",
    about: "A WebSocket server whose last client has gone stays, and ends with 0 on SIGTERM.",
    transports: WS,
    steps: [
      initialize(),
      { do: "close", on: "main" },
      get("/readyz", 200),
      { do: "signal", signal: "SIGTERM" },
      { do: "exit", expect: CLEAN },
    ],
  },
  {
    name: "shutdown/end-of-input",
    about: "A stdio server exits with 0 when its input ends.",
    transports: STDIO,
    steps: [initialize(), { do: "endInput" }, { do: "exit", expect: CLEAN }],
  },
  {
    name: "shutdown/end-of-input-at-once",
    about: "A stdio server exits with 0 when its input ends before any message.",
    transports: STDIO,
    steps: [{ do: "endInput" }, { do: "exit", expect: CLEAN }],
  },
  {
    name: "shutdown/end-of-input-during-a-turn",
    about: "The end of input ends a running turn, and the server still exits with 0.",
    transports: STDIO,
    races: LAST_MESSAGES,
    freeOrder: [["response turn/start"]],
    model: [messageReply("Done", { held: true })],
    steps: [...runningTurn, { do: "endInput" }, { do: "exit", expect: CLEAN }],
  },
  ...(["SIGTERM", "SIGINT"] as const).map(
    (signal): Scenario => ({
      name: `shutdown/stdio-${signal.toLowerCase()}`,
      about: `${signal} ends a stdio server.`,
      transports: STDIO,
      steps: [initialize(), { do: "signal", signal }, { do: "exit" }],
    }),
  ),
];
