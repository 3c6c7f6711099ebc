import {
  Client,
  type ClientCapabilities,
  type Transport as SdkTransport,
} from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createLanes } from "../../base/lanes.ts";
import { silentLogger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import type { ServerRequests, Thread, Turn } from "../../protocol/generated/types.ts";
import { NO_EXTENSIONS } from "../../tools/mcp/client-extensions.ts";
import { createMemoryTransports } from "../../transport/memory.ts";
import type { Transport } from "../../transport/transport.ts";
import { invalidRequest } from "../connections/handler.ts";
import { partialHandlers } from "../connections/partial-handlers.fixture.ts";
import { createServer } from "../connections/server.ts";
import { createThreadSubscriptions } from "../connections/thread-subscriptions.ts";
import { serveMcp } from "./serve-mcp.ts";

const THREAD = "11111111-1111-4111-8111-111111111111";
const thread = { id: THREAD, sessionId: THREAD, name: null, path: null, cwd: "/work" } as Thread;
const turn = { id: "turn", status: "inProgress", error: null } as Turn;
const COMMAND = "item/commandExecution/requestApproval";
const PATCH = "item/fileChange/requestApproval";
const scope = { threadId: THREAD, turnId: "turn", itemId: "call", startedAtMs: 0 };

type Decide = (
  open: <M extends keyof ServerRequests>(method: M, params: ServerRequests[M]["params"]) => Promise<string>,
) => Promise<string>;

/** An app-server whose only turn asks for what the test wants to see asked, and answers with what came of it. */
function startAppServer(decide: Decide) {
  const subscriptions = createThreadSubscriptions();
  let isStarted = false;
  const server = createServer({
    lanes: createLanes(),
    clock: systemClock,
    log: silentLogger,
    subscriptions,
    describeFault: () => null,
    knowsFolder: async () => false,
    recordAudit: () => {},
    maxInFlight: () => 100,
    firstRequestId: 0,
    createHandlers: ({ notifier, requests }) =>
      partialHandlers({
        initialize({ clientInfo, capabilities }, { connection }) {
          connection.handshake = {
            phase: "ready",
            clientName: clientInfo.name,
            clientVersion: clientInfo.version,
            experimental: true,
            optedOut: new Set(capabilities?.optOutNotificationMethods ?? []),
            legacyApprovals: capabilities?.legacyApprovals ?? false,
            mcp: NO_EXTENSIONS,
          };
          return { userAgent: clientInfo.name, codexHome: "/", platformFamily: "", platformOs: "" };
        },
        "thread/start"(_params, { connection }) {
          isStarted = true;
          subscriptions.add(THREAD, connection);
          return { thread } as never;
        },
        "thread/resume"(_params, { connection }) {
          if (!isStarted) throw invalidRequest("no such thread");
          subscriptions.add(THREAD, connection);
          return { thread } as never;
        },
        "thread/unsubscribe"(_params, { connection }) {
          subscriptions.remove(THREAD, connection);
          return { status: "unsubscribed" };
        },
        "thread/loaded/list": () => ({ data: [THREAD], nextCursor: null }),
        "turn/start"(_params, { afterResponse }) {
          const tell: typeof notifier.to extends (to: never, ...rest: infer Rest) => void
            ? (...rest: Rest) => void
            : never = (...rest) => notifier.to(subscriptions.of(THREAD), ...rest);
          afterResponse(() => {
            void decide(async (method, params) => {
              const request = requests.open(THREAD, method, params);
              const answer = await request.answer;
              tell("serverRequest/resolved", { threadId: THREAD, requestId: request.id });
              return JSON.stringify(answer.kind === "answered" ? answer.result : answer);
            }).then((text) => {
              const item = { type: "agentMessage", id: "1", text } as never;
              tell("item/completed", { ...scope, completedAtMs: 0, item });
              tell("turn/completed", { threadId: THREAD, turn: { ...turn, status: "completed" } });
            });
          });
          return { turn };
        },
      }),
  });
  onTestFinished(() => server.close());
  return { connect: server.connect, followers: () => subscriptions.of(THREAD).size };
}

interface ReceivedMessage {
  readonly method?: string;
  readonly id?: unknown;
}

const anything = {
  "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) },
};

/** The client's end as a transport of the SDK; `isForSdk` says whether a message is for the SDK. */
function toSdkTransport(transport: Transport, isForSdk: (message: ReceivedMessage) => boolean): SdkTransport {
  const sdk: SdkTransport = {
    start() {
      transport.start({
        message(text) {
          const message = JSON.parse(text) as ReceivedMessage;
          if (isForSdk(message)) sdk.onmessage?.(message as never);
        },
        closed: () => sdk.onclose?.(),
      });
      return Promise.resolve();
    },
    send(message) {
      transport.send(JSON.stringify(message), "response");
      return Promise.resolve();
    },
    close() {
      transport.close();
      return Promise.resolve();
    },
  };
  return sdk;
}

/** A mute client receives requests and leaves the answers to the test. */
async function connect(decide: Decide, capabilities: ClientCapabilities = {}, mute?: "mute") {
  const server = startAppServer(decide);
  const [theirs, ours] = createMemoryTransports();
  const received: ReceivedMessage[] = [];
  const client = new Client({ name: "tester", version: "1" }, { capabilities });
  const served = serveMcp({
    transport: theirs,
    connect: server.connect,
    version: "1.0.0",
    cwd: "/work",
    clock: systemClock,
    log: silentLogger,
  });
  const isFor = ({ id, method }: ReceivedMessage) =>
    mute === undefined || id === undefined || method === undefined;
  await client.connect(toSdkTransport(ours, (message) => received.push(message) > 0 && isFor(message)));
  onTestFinished(async () => {
    await client.close();
    await served;
  });
  const ask = async (prompt = "go") => {
    const { content } = await client.callTool({ name: "codex", arguments: { prompt } });
    return content;
  };
  const methods = () => received.flatMap(({ method }) => (method === undefined ? [] : [method]));
  return { client, ours, received, ask, methods, followers: server.followers };
}

const decisionText = (decision: string) => [{ type: "text", text: JSON.stringify({ decision }) }];
const runCommand: Decide = (open) =>
  open(COMMAND, { ...scope, kind: "command", command: "rm -rf 'a b'", cwd: "/work", reason: "must go" });
const changeFile: Decide = (open) => open(PATCH, scope);

describe("an approval", () => {
  test.each([
    ["accept", "accept"],
    ["decline", "decline"],
    ["cancel", "cancel"],
  ] as const)("that is elicited and met with %s is answered with %s", async (action, decision) => {
    const { client, received, ask } = await connect(runCommand, { elicitation: {} });
    client.setRequestHandler("elicitation/create", () => ({ action }));
    expect(await ask()).toEqual(decisionText(decision));
    expect(received.find(({ method }) => method === "elicitation/create")).toEqual({
      jsonrpc: "2.0",
      method: "elicitation/create",
      id: "mcp-0",
      params: {
        message: "must go\nAllow the agent to run `rm -rf 'a b'` in `/work`?",
        requestedSchema: { type: "object", properties: {} },
        threadId: THREAD,
        codex_elicitation: "exec-approval",
        codex_mcp_tool_call_id: expect.any(String),
        codex_event_id: "turn",
        codex_call_id: "call",
        codex_command: ["rm", "-rf", "a b"],
        codex_cwd: "/work",
        codex_parsed_cmd: [],
      },
    });
  });

  test.each([
    [{ decision: "approved" }, "accept"],
    [{ decision: "perhaps" }, "unanswered"],
    [{ action: "decline", decision: "approved" }, "decline"],
    [{ action: "constructor" }, "decline"],
    [{}, "decline"],
  ])("that is elicited takes %j for %s", async (result, outcome) => {
    const { received, ours, ask } = await connect(runCommand, { elicitation: {} }, "mute");
    const content = ask();
    await expect.poll(() => received.find(({ method }) => method === "elicitation/create")).toBeDefined();
    ours.send(JSON.stringify({ jsonrpc: "2.0", id: "mcp-0", result }), "response");
    expect(JSON.stringify(await content)).toContain(outcome);
  });

  test("that is elicited from a client that fails is denied", async () => {
    const { client, ask } = await connect(changeFile, { elicitation: {} });
    client.setRequestHandler("elicitation/create", () => {
      throw new Error("no screen");
    });
    expect(await ask()).toEqual(decisionText("decline"));
  });

  test("that nobody can be asked about is denied", async () => {
    const { ask } = await connect(runCommand);
    expect(await ask()).toEqual(decisionText("decline"));
  });

  test("goes as the typed request to a client that declared so, and its answer comes back", async () => {
    const { client, received, ask } = await connect(runCommand, {
      elicitation: {},
      experimental: { legacyApprovals: {} },
    });
    client.setRequestHandler("execCommandApproval", { params: anything }, () => ({
      decision: "approved_for_session",
    }));
    expect(await ask()).toEqual(decisionText("acceptForSession"));
    expect(received.find(({ method }) => method === "execCommandApproval")).toEqual({
      jsonrpc: "2.0",
      method: "execCommandApproval",
      id: 0,
      params: {
        conversationId: THREAD,
        callId: "call",
        command: ["rm", "-rf", "a b"],
        cwd: "/work",
        reason: "must go",
        parsedCmd: [],
      },
    });
  });

  test("is answered by the client that has a session of its own as well", async () => {
    const { client, ours, received, ask } = await connect(runCommand, {
      experimental: { legacyApprovals: {} },
    });
    ours.send(JSON.stringify({ id: "mine", method: "thread/loaded/list", params: {} }), "response");
    await expect.poll(() => received.some(({ id }) => id === "mine")).toBe(true);
    client.setRequestHandler("execCommandApproval", { params: anything }, () => ({ decision: "approved" }));
    expect(await ask()).toEqual(decisionText("accept"));
  });

  test("that needs another kind of client is refused at once", async () => {
    const { ask } = await connect((open) => open("currentTime/read", { threadId: THREAD }));
    expect(await ask()).toEqual([{ type: "text", text: expect.stringContaining("cannot be answered") }]);
  });
});

describe("one connection", () => {
  test("carries requests of the app-server beside those of MCP", async () => {
    const { client, ours, received, methods } = await connect(runCommand);
    ours.send(JSON.stringify({ id: "mine", method: "thread/loaded/list", params: {} }), "response");
    ours.send(JSON.stringify({ id: "bad", method: "thread/loaded/list" }), "response");
    ours.send(JSON.stringify({ id: "again", method: "initialize", params: {} }), "response");
    await client.ping();
    await expect.poll(() => received.filter(({ id }) => typeof id === "string").length).toBe(3);
    expect(received.filter(({ id }) => typeof id === "string")).toEqual([
      { jsonrpc: "2.0", id: "mine", result: { data: [THREAD], nextCursor: null } },
      {
        jsonrpc: "2.0",
        id: "bad",
        error: { code: -32_600, message: "Invalid request: missing field `params`" },
      },
      { jsonrpc: "2.0", id: "again", error: expect.objectContaining({ code: -32_600 }) },
    ]);
    expect(methods()).toEqual([]);
  });

  test("tells every event of a call with the call that it belongs to", async () => {
    const { received, ask, methods } = await connect(changeFile);
    await ask();
    expect(methods()).toEqual([
      "codex/event/apply_patch_approval_request",
      "codex/event/server_request_resolved",
      "codex/event/agent_message",
      "codex/event/task_complete",
    ]);
    expect(received.find(({ method }) => method === "codex/event/task_complete")).toEqual({
      jsonrpc: "2.0",
      method: "codex/event/task_complete",
      params: {
        _meta: { requestId: expect.any(Number), threadId: THREAD },
        conversationId: THREAD,
        id: "turn",
        msg: { type: "task_complete", turn_id: "turn", last_agent_message: '{"decision":"decline"}' },
      },
    });
  });
});

describe("a thread", () => {
  test("is followed by its calls, and no longer than the last of them runs", async () => {
    const gates = [createDeferred<string>(), createDeferred<string>(), createDeferred<string>()];
    let turns = 0;
    const { client, ask, followers } = await connect(() => gates[turns++]?.promise ?? Promise.resolve(""));
    const reply = async () => {
      const call = { name: "codex-reply", arguments: { prompt: "go on", threadId: THREAD } };
      return (await client.callTool(call)).content;
    };
    const first = ask();
    await expect.poll(() => turns).toBe(1);
    const second = reply();
    await expect.poll(() => turns).toBe(2);
    gates[0]?.resolve("one");
    expect(await Promise.all([first, second])).toEqual([
      [{ type: "text", text: "one" }],
      [{ type: "text", text: "one" }],
    ]);
    await expect.poll(followers).toBe(0);

    const third = reply();
    await expect.poll(() => turns).toBe(3);
    expect(followers()).toBe(1);
    gates[2]?.resolve("three");
    expect(await third).toEqual([{ type: "text", text: "three" }]);
    await expect.poll(followers).toBe(0);
  });
});

describe("arguments", () => {
  test.each([
    ["codex", {}, "missing field `prompt`"],
    ["codex", { prompt: 1 }, "`prompt` must be of type string"],
    ["codex", { prompt: "go", sandbox: "none" }, "`sandbox` must be one of"],
    ["codex", { prompt: "go", config: [] }, "`config` must be of type object"],
    ["codex", { prompt: "go", more: true }, "unknown field `more`"],
    ["codex-reply", { prompt: "go" }, "either threadId or conversationId must be provided"],
    ["codex-reply", { prompt: "go", threadId: THREAD }, `Session not found for thread_id: ${THREAD}`],
    ["other", {}, "Unknown tool 'other'"],
  ])("of %s that are %j are refused with the reason", async (name, given, reason) => {
    const { client } = await connect(runCommand);
    const { isError, content } = await client.callTool({ name, arguments: given });
    expect({ isError, content }).toEqual({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining(reason) }],
    });
  });
});
