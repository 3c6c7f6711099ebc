/** The small tools: plans, images, questions to the user, and the client's own tools. */
import {
  customCallDone,
  functionCallDone,
  type ModelEvent,
  messageReply,
  reply,
} from "../../support/model-events.ts";
import type { ModelReply } from "../../support/scripted-model.ts";
import type { Scenario, Step } from "../scenario.ts";
import { initialize, refused } from "../steps.ts";
import { completed, conversation, turn, turnScenario, withThread } from "../turn-steps.ts";

const PLAN_MODE = {
  collaborationMode: {
    mode: "plan",
    settings: { model: "mock-model", reasoning_effort: null, developer_instructions: "Make a plan." },
  },
};
const UPDATE_PLAN = { tables: "[tools.update_plan]\nenabled = true\n" };

/** The model calls the tool once with each of these arguments, and then has done. */
function calls(name: string, ...inputs: readonly unknown[]): readonly ModelReply[] {
  const events = inputs.map((input, index) => functionCallDone(`call_${index}`, name, input));
  return [reply("1", ...events), messageReply("Done", { id: "2" })];
}

function namespacedCall(callId: string, namespace: string, name: string): ModelEvent {
  const item = { type: "function_call", call_id: callId, namespace, name, arguments: '{"b":1}' };
  return { type: "response.output_item.done", item };
}

const QUESTION = {
  id: "colour",
  header: "Colour",
  question: "Which?",
  options: [
    { label: "Red", description: "warm" },
    { label: "Blue", description: "cold" },
  ],
};

const asks = (method: string, as = "question"): Step => ({ do: "await", message: { method }, as });

const tool = (name: string, more: object = {}) => ({
  type: "function",
  name,
  description: "Looks",
  inputSchema: { type: "object" },
  ...more,
});
const OFFERED = {
  dynamicTools: [
    tool("look"),
    {
      type: "namespace",
      name: "crm",
      description: "",
      tools: [tool("find"), tool("late", { deferLoading: true })],
    },
  ],
};

/** The client's tool is called once and answers so. */
function dynamicAnswer(name: string, about: string, answer: object): Scenario {
  return turnScenario({
    name: `tools/dynamic-${name}`,
    about,
    model: calls("look", { a: "x" }),
    steps: [
      ...withThread(OFFERED),
      turn("Go"),
      asks("item/tool/call"),
      { do: "answer", to: "question", ...answer },
      completed,
      conversation,
    ],
    volatile: [{ message: "item/completed", pointer: "/params/item/durationMs" }],
  });
}

const refusedTools = (dynamicTools: readonly object[], message: string, as: string): Step =>
  refused("thread/start", { dynamicTools }, message, as);

/** A call of a kind that nothing was offered for. */
const unoffered = (item: object): ModelEvent => ({ type: "response.output_item.done", item });
const SHELL_ACTION = {
  type: "exec",
  command: ["ls"],
  timeout_ms: null,
  working_directory: null,
  env: null,
  user: null,
};

export const toolScenarios: readonly Scenario[] = [
  turnScenario({
    name: "tools/switched-off",
    about: "Tools that a feature stands for are not there without it.",
    config: { tables: "[features]\nview_image = false\nshell_tool = false\n" },
    model: [
      reply(
        "1",
        functionCallDone("call_0", "view_image", { path: "a.png" }),
        functionCallDone("call_1", "exec_command", { cmd: "true" }),
        functionCallDone("call_2", "write_stdin", { session_id: 1 }),
      ),
      messageReply("Done", { id: "2" }),
    ],
    steps: [...withThread(), turn("Go"), completed, conversation],
  }),
  turnScenario({
    name: "tools/unknown-calls",
    about:
      "Every call that nothing can answer gets an output of its kind, so that the next request is taken.",
    model: [
      reply(
        "1",
        unoffered({ type: "local_shell_call", call_id: "call_0", status: "completed", action: SHELL_ACTION }),
        functionCallDone("call_1", "nothing", {}),
        customCallDone("call_2", "nothing", "x"),
        unoffered({
          type: "tool_search_call",
          call_id: "call_3",
          execution: "client",
          arguments: { query: "x" },
        }),
        namespacedCall("call_4", "none", "nothing"),
      ),
      reply(
        "2",
        unoffered({
          type: "tool_search_call",
          call_id: "call_5",
          execution: "client",
          arguments: { query: "y" },
        }),
      ),
      reply(
        "3",
        unoffered({ type: "local_shell_call", call_id: "call_6", status: "completed", action: SHELL_ACTION }),
      ),
      messageReply("Done", { id: "4" }),
    ],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "tools/update-plan",
    about: "The steps of a plan are told to clients; arguments that are wrong are told to the model.",
    config: UPDATE_PLAN,
    model: calls(
      "update_plan",
      {
        explanation: "why",
        plan: [
          { step: "a", status: "in_progress" },
          { step: "b", status: "pending" },
        ],
      },
      { plan: [] },
      { plan: [{ step: "a", status: "nope" }] },
      {},
      { plan: [{ step: "a", status: "pending", x: 1 }] },
      { plan: [4] },
      { plan: "x" },
    ),
    steps: [...withThread(), turn("Go"), completed, conversation],
  }),
  turnScenario({
    name: "tools/update-plan-off",
    about: "Without the setting there is no such tool.",
    model: calls("update_plan", { plan: [] }),
    steps: [...withThread(), turn("Go"), completed, conversation],
  }),
  turnScenario({
    name: "tools/update-plan-in-plan-mode",
    about: "In Plan mode the checklist is refused.",
    config: UPDATE_PLAN,
    model: calls("update_plan", { plan: [] }),
    steps: [...withThread(), turn("Go", PLAN_MODE), completed, conversation],
  }),
  turnScenario({
    name: "tools/view-image-refused",
    about: "What cannot be looked at is told to the model, and is no item.",
    files: { "workspace/a.txt": "hello", "workspace/folder/x": "1" },
    model: calls(
      "view_image",
      { path: "none.png" },
      { path: "a.txt" },
      { path: "folder" },
      { path: "a.txt", detail: "low" },
      {},
    ),
    steps: [...withThread({ cwd: "{{workspace}}" }), turn("Go"), completed, conversation],
  }),
  turnScenario({
    name: "tools/user-input-elsewhere",
    about: "Outside of Plan mode the model cannot ask the user.",
    model: calls("request_user_input", { questions: [QUESTION] }),
    steps: [...withThread(), turn("Go"), completed, conversation],
  }),
  turnScenario({
    name: "tools/user-input",
    about: "In Plan mode the questions go to the client, and its answers to the model.",
    model: calls("request_user_input", { questions: [QUESTION] }),
    steps: [
      ...withThread(),
      turn("Go", PLAN_MODE),
      asks("item/tool/requestUserInput"),
      { do: "answer", to: "question", result: { answers: { colour: { answers: ["Red"] } } } },
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "tools/user-input-refused",
    about:
      "A client that does not answer leaves the choice to the model; questions without options are refused.",
    model: calls(
      "request_user_input",
      { questions: [QUESTION] },
      { questions: [{ ...QUESTION, options: [] }] },
      { questions: [{ id: "a" }] },
    ),
    steps: [
      ...withThread(),
      turn("Go", PLAN_MODE),
      asks("item/tool/requestUserInput"),
      { do: "answer", to: "question", error: { code: -1, message: "no" } },
      completed,
      conversation,
    ],
  }),
  dynamicAnswer("call", "A call of a client's tool is an item; the client's content is the output.", {
    result: {
      contentItems: [
        { type: "inputText", text: "found" },
        { type: "inputText", text: "more" },
      ],
      success: true,
    },
  }),
  dynamicAnswer("failure", "A tool may say that it failed.", {
    result: { contentItems: [{ type: "inputText", text: "broken" }], success: false },
  }),
  dynamicAnswer("empty", "A tool may have nothing to say.", { result: { contentItems: [], success: true } }),
  dynamicAnswer("error", "A client that refuses a call is a tool that failed.", {
    error: { code: -1, message: "no" },
  }),
  dynamicAnswer("garbage", "An answer that is none is a tool that failed.", { result: { x: 1 } }),
  dynamicAnswer("remote-image", "A tool must not point to images of the web.", {
    result: {
      contentItems: [{ type: "inputImage", imageUrl: "https://example.com/a.png" }],
      success: true,
    },
  }),
  turnScenario({
    name: "tools/dynamic-namespace",
    about: "Tools of a namespace are called by both names, deferred ones too; no other name reaches them.",
    model: [
      reply("1", namespacedCall("call_0", "crm", "late")),
      reply("2", functionCallDone("call_1", "find", {})),
      messageReply("Done", { id: "3" }),
    ],
    steps: [
      ...withThread(OFFERED),
      turn("Go"),
      asks("item/tool/call"),
      {
        do: "answer",
        to: "question",
        result: { contentItems: [{ type: "inputText", text: "x" }], success: true },
      },
      completed,
      conversation,
    ],
    volatile: [{ message: "item/completed", pointer: "/params/item/durationMs" }],
  }),
  turnScenario({
    name: "tools/dynamic-refused",
    about: "Tools whose names or schemas no provider would take are refused with the thread.",
    steps: [
      initialize(),
      refusedTools([tool("")], "dynamic tool name must not be empty", "empty"),
      refusedTools(
        [tool("a b")],
        "dynamic tool name must match ^[a-zA-Z0-9_-]+$ to match Responses API: a b",
        "space",
      ),
      refusedTools([tool("mcp__a")], "dynamic tool name is reserved: mcp__a", "mcp"),
      refusedTools([tool("a"), tool("a")], "duplicate dynamic tool name: a", "twice"),
      refusedTools(
        [tool("a", { deferLoading: true })],
        "deferred dynamic tool must include a namespace: a",
        "deferred",
      ),
      refusedTools(
        [tool("a", { inputSchema: { type: "null" } })],
        "dynamic tool input schema is not supported for a: tool input schema must not be a singleton null type",
        "schema",
      ),
      refusedTools(
        [{ type: "namespace", name: "web", description: "", tools: [tool("a")] }],
        "dynamic tool namespace collides with a reserved Responses API namespace: web",
        "reserved",
      ),
      refusedTools(
        [{ type: "namespace", name: "n", description: "", tools: [] }],
        "dynamic tool namespace must contain at least one tool: n",
        "nothing",
      ),
      refusedTools(
        [tool("a"), { name: "b", description: "", inputSchema: {} }],
        "Invalid request: dynamic tools must use either canonical or legacy format consistently",
        "mixed",
      ),
      refusedTools(
        [{ type: "namespace", name: "n", description: "", tools: [tool("a", { exposeToContext: false })] }],
        "Invalid request: dynamic tools must use either canonical or legacy format consistently",
        "mixed in a namespace",
      ),
    ],
  }),
];
