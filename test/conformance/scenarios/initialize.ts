/** The handshake: who the client is, what it may use, and what it is told. */
import { messageReply } from "../../support/model-events.ts";
import type { Scenario } from "../scenario.ts";
import {
  call,
  initialize,
  notification,
  refused,
  STDIO,
  STDIO_AND_WS,
  settle,
  stillServes,
  WS,
} from "../steps.ts";

function client(name: string, title: string | null = null) {
  return { clientInfo: { name, title, version: "0.1.0" }, capabilities: null };
}

const userAgent = (start: string) => ({ result: { userAgent: { $regex: `^${start}/` } } });

export const initializeScenarios: readonly Scenario[] = [
  {
    name: "initialize/answer",
    about: "The answer names the client in the user agent, the home and the platform.",
    transports: STDIO_AND_WS,
    steps: [
      call("initialize", client("codex_vscode", "Codex VS Code Extension"), {
        settles: true,
        expect: {
          result: {
            userAgent: { $regex: "^codex_vscode/.* \\(codex_vscode; 0\\.1\\.0\\)$" },
            codexHome: "{{home}}",
            platformFamily: "unix",
          },
        },
      }),
    ],
  },
  ...["codex_app_server_daemon", "codex-backend"].map(
    (name): Scenario => ({
      name: `initialize/originator-not-from-${name.replaceAll("_", "-")}`,
      about: `A client that calls itself ${name} does not become the originator.`,
      transports: STDIO,
      steps: [call("initialize", client(name), { settles: true, expect: userAgent("codex_cli_rs") })],
    }),
  ),
  {
    name: "initialize/originator-from-environment",
    about: "The environment can name the originator, and then no client does.",
    transports: STDIO_AND_WS,
    env: { CODEX_INTERNAL_ORIGINATOR_OVERRIDE: "codex_originator_via_env_var" },
    steps: [
      call("initialize", client("codex_vscode"), {
        settles: true,
        expect: userAgent("codex_originator_via_env_var"),
      }),
    ],
  },
  {
    name: "initialize/first-client-is-the-originator",
    about:
      "The first client of a process is the originator for all; the end of the user agent names the client that asks.",
    transports: WS,
    steps: [
      initialize(null, { name: "first" }),
      { do: "connect", as: "second" },
      initialize(null, {
        name: "second",
        on: "second",
        as: "second initialize",
        expect: { result: { userAgent: { $regex: "^first/.* \\(second; 1\\.0\\.0\\)$" } } },
      }),
    ],
  },
  {
    name: "initialize/bad-client-name",
    about: "A client name that cannot stand in a header is refused, and the client may try again.",
    transports: STDIO_AND_WS,
    steps: [
      refused(
        "initialize",
        client("bad\rname"),
        "Invalid clientInfo.name: 'bad\rname'. Must be a valid HTTP header value.",
        "bad name",
      ),
      refused("thread/loaded/list", {}, "Not initialized", "still not initialized"),
      initialize(),
    ],
  },
  {
    name: "initialize/bad-params",
    about: "Malformed initialize params are refused with the reason, and the client may try again.",
    transports: STDIO_AND_WS,
    steps: [
      refused("initialize", {}, "Invalid request: missing field `clientInfo`", "no client info"),
      refused("initialize", undefined, "Invalid request: missing field `params`", "no params"),
      refused("initialize", { clientInfo: {} }, "Invalid request: missing field `name`", "no name"),
      refused(
        "initialize",
        { clientInfo: { name: "a" } },
        "Invalid request: missing field `version`",
        "no version",
      ),
      call("initialize", { clientInfo: { name: 5, version: "1" } }, { as: "name a number" }),
      call(
        "initialize",
        { clientInfo: { name: "a", version: "1" }, capabilities: 5 },
        { as: "capabilities a number" },
      ),
      call(
        "initialize",
        { clientInfo: { name: "a", version: "1" }, capabilities: { optOutNotificationMethods: "x" } },
        { as: "opt-outs a text" },
      ),
      call("initialize", { clientInfo: { name: "a", version: "1" } }, { as: "the least", settles: true }),
    ],
  },
  {
    name: "initialize/before-and-twice",
    about:
      "Before initialize every known method is refused as not initialized; a second initialize is refused.",
    transports: STDIO_AND_WS,
    steps: [
      refused("thread/loaded/list", {}, "Not initialized", "list before"),
      refused("config/read", { includeLayers: false }, "Not initialized", "config before"),
      refused("thread/queue/list", { threadId: "x" }, "Not initialized", "experimental before"),
      refused("turn/start", {}, { $regex: "^Invalid request: missing field" }, "malformed before"),
      refused(
        "no/such/method",
        {},
        { $regex: "^Invalid request: unknown variant `no/such/method`, expected one of `initialize`, " },
        "unknown before",
      ),
      initialize(),
      refused("initialize", client("again"), "Already initialized", "second initialize"),
      stillServes("after the second initialize"),
    ],
  },
  {
    name: "initialize/opt-out",
    about:
      "A notification whose exact method the client has opted out of is not sent to it; unknown names are accepted.",
    transports: STDIO_AND_WS,
    steps: [
      initialize({
        experimentalApi: true,
        optOutNotificationMethods: [
          "thread/started",
          "remoteControl/status/changed",
          "no/such/notification",
          "thread/",
        ],
      }),
      call("thread/start", {}, { settles: true, expect: { result: { thread: { preview: "" } } } }),
      settle(200),
    ],
  },
  {
    name: "initialize/opt-out-of-nothing",
    about: "A null or empty list of opt-outs changes nothing.",
    transports: WS,
    steps: [
      initialize({ experimentalApi: false, optOutNotificationMethods: null }),
      { do: "connect", as: "second" },
      initialize({ optOutNotificationMethods: [] }, { on: "second", as: "second initialize" }),
    ],
  },
  {
    name: "initialize/client-name-in-notify",
    about: "The program named by `notify` is told the name of the client that started the turn.",
    transports: STDIO,
    freeOrder: [["response turn/start"]],
    model: [messageReply("Done")],
    config: {
      root: `notify = ["sh", "-c", 'printf %s "$1" > "$0.part" && mv "$0.part" "$0"', "{{home}}/notify.json"]`,
    },
    steps: [
      initialize(null, { name: "xcode" }),
      call("thread/start", {}, { settles: true }),
      call("turn/start", {
        threadId: "{{thread/start.result.thread.id}}",
        input: [{ type: "text", text: "Hello" }],
      }),
      notification("turn/completed"),
      settle(1500),
      { do: "read", path: "home/notify.json", as: "json", expect: { client: "xcode" } },
    ],
  },
];
