/** MCP servers of a thread: how their start is told, calls of the model and of clients, leave and questions. */
import { type ModelEvent, messageReply, reply } from "../../support/model-events.ts";
import type { ModelReply } from "../../support/scripted-model.ts";
import { MCP_PROGRAM } from "../mcp-program.ts";
import type { Scenario, Step } from "../scenario.ts";
import { reply as awaitReply, call, initialize, notification, send } from "../steps.ts";
import { completed, conversation, THREAD, turn, turnScenario, withThread } from "../turn-steps.ts";

const MEMO = `[mcp_servers.memo]
command = "node"
args = ["{{home}}/memo.mjs"]
`;
const files = { "home/memo.mjs": MCP_PROGRAM };
const ON_REQUEST = { approvalPolicy: "on-request" };
const ready: Step = notification("mcpServer/startupStatus/updated", { name: "memo", status: "ready" });
/** A start is told when it happens, which may be before or after the thread's own notification. */
const freeOrder = [["response turn"], ["thread/started", "mcpServer/startupStatus/updated"]];
/** How long calls take, and the model's name for them. */
const volatile = [{ message: "item/completed", pointer: "/params/item/durationMs" }];

function toolCall(id: string, name: string, args: unknown): ModelEvent {
  return {
    type: "response.output_item.done",
    item: {
      type: "function_call",
      call_id: `call_${id}`,
      name,
      namespace: "mcp__memo",
      arguments: typeof args === "string" ? args : JSON.stringify(args),
    },
  };
}

const calling = (...calls: readonly (readonly [string, unknown])[]): ModelReply[] => [
  ...calls.map(([name, args], index) => reply(String(index), toolCall(String(index), name, args))),
  messageReply("Done", { id: "end" }),
];

const toolRequest = (as: string, params: Readonly<Record<string, unknown>>) =>
  call("mcpServer/tool/call", { threadId: THREAD, server: "memo", ...params }, { as });
const answer = (result: unknown): readonly Step[] => [
  { do: "await", message: { method: "mcpServer/elicitation/request" }, as: "question" },
  { do: "answer", to: "question", result },
];

/** A client that calls a tool itself and is asked before it has the result. */
const askedCall = (tool: string, result: unknown, args: unknown = {}, as = tool): readonly Step[] => [
  send("mcpServer/tool/call", { threadId: THREAD, server: "memo", tool, arguments: args }, as),
  ...answer(result),
  awaitReply(as),
];
const ACCEPT_SURE = { action: "accept", content: { sure: true }, _meta: null };
const ACCEPT_NOTHING = { action: "accept", content: null, _meta: null };
const FULL_ACCESS = { approvalPolicy: "never", sandbox: "danger-full-access" };
const withClient = (capabilities: object, thread: object): readonly Step[] => [
  initialize({ experimentalApi: true, ...capabilities }),
  call("thread/start", thread, { as: "thread", settles: true }),
  ready,
];
const FILLS_FORMS = { extensions: { "openai/standard-form-input": {} } };

export const mcpTurnScenarios: readonly Scenario[] = [
  turnScenario({
    name: "mcp/calls",
    about: "A call is an item with the server's result, its error or the reason why it was not made.",
    config: { tables: MEMO },
    files,
    freeOrder,
    volatile,
    model: calling(
      ["echo", { message: "hi" }],
      ["image", {}],
      ["fail", {}],
      ["refuse", {}],
      ["danger_one", {}],
    ),
    steps: [...withThread(), ready, turn("Go"), completed, conversation],
  }),
  turnScenario({
    name: "mcp/permission",
    about: "Permission to call a harmful tool is asked for; a no or a cancellation is told to the model.",
    config: { tables: MEMO },
    files,
    freeOrder,
    volatile,
    model: calling(
      ["danger_one", { a: 1 }],
      ["danger_one", {}],
      ["danger_one", ""],
      ["danger_one", {}],
      ["danger_one", {}],
    ),
    steps: [
      ...withThread(ON_REQUEST),
      ready,
      turn("Go"),
      ...answer({ action: "accept", content: {} }),
      ...answer({ action: "decline", content: null }),
      ...answer({ action: "cancel", content: null }),
      ...answer({ action: "accept", content: null, _meta: { persist: "session" } }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "mcp/questions",
    about: "A server's question goes to the client, a form or a page, and the answer back to the server.",
    config: { tables: MEMO },
    files,
    freeOrder,
    volatile,
    model: calling(["ask", {}], ["page", {}]),
    steps: [
      ...withThread(ON_REQUEST),
      ready,
      turn("Go"),
      ...answer({ action: "accept", content: { sure: true } }),
      ...answer({ action: "decline", content: null }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "mcp/time-out",
    about: "A call that takes too long fails; the turn goes on.",
    config: { tables: `${MEMO}tool_timeout_sec = 1\n` },
    files,
    freeOrder,
    volatile,
    model: calling(["hang", {}]),
    steps: [...withThread(), ready, turn("Go"), completed, conversation],
  }),
  turnScenario({
    name: "mcp/client-calls",
    about:
      "A client calls tools itself, without permission; what the server refuses is refused in its own words.",
    config: { tables: MEMO },
    files,
    freeOrder,
    steps: [
      ...withThread(),
      ready,
      toolRequest("echo", { tool: "echo", arguments: { message: "z" }, _meta: { q: 1 } }),
      toolRequest("danger", { tool: "danger.one" }),
      toolRequest("failed", { tool: "fail" }),
      toolRequest("refused", { tool: "nothing" }),
      toolRequest("bad arguments", { tool: "echo", arguments: [1] }),
      toolRequest("asks where nobody may be asked", { tool: "ask" }),
      call(
        "mcpServer/tool/call",
        { threadId: THREAD, server: "nobody", tool: "echo" },
        { as: "unknown server" },
      ),
      call("mcpServerStatus/list", { threadId: THREAD }, { as: "status" }),
    ],
  }),
  turnScenario({
    name: "mcp/client-questions",
    about: "A question outside of a turn makes the thread wait; a yes to a page is a yes to an empty form.",
    config: { tables: MEMO },
    files,
    freeOrder,
    steps: [
      ...withThread(ON_REQUEST),
      ready,
      ...askedCall("ask", ACCEPT_SURE),
      ...askedCall("page", ACCEPT_NOTHING),
    ],
  }),
  turnScenario({
    name: "mcp/question-notes",
    about: "Notes of a server go with its question, but for the token of its progress.",
    config: { tables: MEMO },
    files,
    freeOrder,
    steps: [
      ...withClient({ mcpServerOpenaiFormElicitation: true }, ON_REQUEST),
      ...askedCall("ask", ACCEPT_SURE, { meta: { progressToken: "p", note: { kept: 1 } } }, "noted"),
      ...askedCall("ask", ACCEPT_SURE, { meta: { progressToken: 7 } }, "token alone"),
      ...askedCall("ask", ACCEPT_SURE, { meta: {} }, "empty"),
      ...askedCall("own_form", ACCEPT_SURE, { meta: { progressToken: "p", note: 1 } }, "noted form"),
      ...askedCall("own_form", ACCEPT_SURE, { meta: { progressToken: "p" } }, "token of a form"),
    ],
  }),
  turnScenario({
    name: "mcp/extensions",
    about: "Servers hear which extensions the client has that are meant for them, and may then use them.",
    config: { tables: MEMO },
    files,
    freeOrder,
    volatile,
    model: calling(["extensions", {}]),
    steps: [
      ...withClient(
        {
          mcpServerOpenaiFormElicitation: true,
          extensions: {
            "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"], more: { kept: true } },
            "openai/standard-form-input": {},
            "other/unknown": {},
          },
        },
        ON_REQUEST,
      ),
      turn("Go"),
      completed,
      conversation,
      toolRequest("extensions", { tool: "extensions" }),
      ...askedCall("own_form", { action: "accept", content: { template: "a" }, _meta: null }),
    ],
  }),
  turnScenario({
    name: "mcp/own-form-elsewhere",
    about: "A server that sends forms which the client has not asked for is refused.",
    config: { tables: MEMO },
    files,
    freeOrder,
    steps: [...withThread(ON_REQUEST), ready, toolRequest("own form", { tool: "own_form" })],
  }),
  turnScenario({
    name: "mcp/questions-in-full-access",
    about: "A user whose client fills in forms is asked for input also where nobody is asked for permission.",
    config: { tables: MEMO },
    files,
    freeOrder,
    steps: [
      ...withClient(FILLS_FORMS, { ...FULL_ACCESS, threadSource: "user" }),
      ...askedCall("ask", ACCEPT_SURE),
      toolRequest("page", { tool: "page" }),
    ],
  }),
  turnScenario({
    name: "mcp/questions-after-resume",
    about: "Whether forms are filled in is a matter of the client that resumes a user's thread.",
    config: { tables: MEMO },
    files,
    freeOrder,
    model: [messageReply("Done", { id: "1" })],
    steps: [
      ...withClient({}, { ...FULL_ACCESS, threadSource: "user" }),
      toolRequest("before", { tool: "ask" }),
      turn("Go"),
      completed,
      { do: "restart" },
      initialize({ experimentalApi: true, ...FILLS_FORMS }, { as: "again" }),
      call(
        "thread/resume",
        { threadId: THREAD, excludeTurns: true, ...FULL_ACCESS },
        { as: "resume", settles: true },
      ),
      ready,
      ...askedCall("ask", ACCEPT_SURE),
    ],
  }),
  turnScenario({
    name: "mcp/questions-in-full-access-declined",
    about: "A thread that is no user's has nobody to fill in a form.",
    config: { tables: MEMO },
    files,
    freeOrder,
    steps: [...withClient(FILLS_FORMS, FULL_ACCESS), toolRequest("ask", { tool: "ask" })],
  }),
];
