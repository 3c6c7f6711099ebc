import { describe, expect, test } from "vitest";
import type { ThreadItem, Turn } from "../../protocol/generated/types.ts";
import { createExecEvents } from "./exec-events.ts";
import type { Notice } from "./notice.ts";

const THREAD = "thread";
const TURN = "turn";
const at = { threadId: THREAD, turnId: TURN };

const command: Extract<ThreadItem, { type: "commandExecution" }> = {
  type: "commandExecution",
  id: "call_1",
  pluginId: null,
  scriptPath: null,
  command: "bash -lc ls",
  cwd: "/w",
  processId: null,
  source: "agent",
  status: "inProgress",
  commandActions: [],
  aggregatedOutput: null,
  exitCode: null,
  durationMs: null,
};
const message = (text: string, id = "msg"): ThreadItem => ({
  type: "agentMessage",
  id,
  text,
  phase: null,
  memoryCitation: null,
  delivery: null,
  questions: null,
});
const tool: Extract<ThreadItem, { type: "mcpToolCall" }> = {
  type: "mcpToolCall",
  id: "call_2",
  server: "s",
  tool: "t",
  status: "inProgress",
  arguments: { x: 1 },
  appContext: null,
  mcpAppUi: null,
  pluginId: null,
  readOnlyHint: null,
  result: null,
  error: null,
  durationMs: null,
};
const patch = (status: "completed" | "declined"): ThreadItem => ({
  type: "fileChange",
  id: "call_3",
  status,
  changes: [
    { path: "/w/a", kind: { type: "add" }, diff: "" },
    { path: "/w/b", kind: { type: "update", move_path: "/w/c" }, diff: "" },
    { path: "/w/d", kind: { type: "delete" }, diff: "" },
  ],
});

const started = (item: ThreadItem): Notice => ({
  method: "item/started",
  params: { ...at, item, startedAtMs: 0 },
});
const completed = (item: ThreadItem): Notice => ({
  method: "item/completed",
  params: { ...at, item, completedAtMs: 0 },
});
const ended = (change: Partial<Turn>): Notice => ({
  method: "turn/completed",
  params: {
    threadId: THREAD,
    turn: {
      id: TURN,
      rootTurnId: null,
      items: [],
      itemsView: "notLoaded",
      status: "completed",
      error: null,
      startedAt: null,
      completedAt: null,
      durationMs: null,
      hookRuns: [],
      ...change,
    },
  },
});
const error = (text: string, additionalDetails: string | null = null) => ({
  message: text,
  additionalDetails,
  codexErrorInfo: null,
  misalignment: null,
});
const failure = (text: string, details?: string): Notice => ({
  method: "error",
  params: { ...at, error: error(text, details ?? null), willRetry: false },
});
const plan = (...steps: readonly ["pending" | "inProgress" | "completed", string][]): Notice => ({
  method: "turn/plan/updated",
  params: { ...at, explanation: null, plan: steps.map(([status, step]) => ({ status, step })) },
});

function read(...notices: readonly Notice[]) {
  const events = createExecEvents();
  return notices.flatMap((notice) => events(notice));
}
/** Converts a single completed item to its event body. */
const bodyOf = (item: ThreadItem) =>
  read(completed(item)).flatMap((event) => ("item" in event ? [JSON.parse(JSON.stringify(event.item))] : []));

const NO_USAGE = {
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_input_tokens: 0,
  output_tokens: 0,
  reasoning_output_tokens: 0,
};

describe("an item", () => {
  const reasoning = (...summary: string[]): ThreadItem => ({
    type: "reasoning",
    id: "rs",
    summary,
    content: ["raw"],
  });
  const search = (action: Extract<ThreadItem, { type: "webSearch" }>["action"]): ThreadItem => ({
    type: "webSearch",
    id: "ws",
    query: "q",
    action,
    results: null,
  });

  test.each<[name: string, item: ThreadItem, shown: unknown]>([
    ["a message", message("Hi"), { type: "agent_message", text: "Hi" }],
    ["reasoning", reasoning("one", "two"), { type: "reasoning", text: "one\ntwo" }],
    ["reasoning without a summary", reasoning(" ", ""), null],
    [
      "a command",
      { ...command, status: "completed", exitCode: 0, aggregatedOutput: "out\n" },
      {
        type: "command_execution",
        command: "bash -lc ls",
        aggregated_output: "out\n",
        exit_code: 0,
        status: "completed",
      },
    ],
    [
      "a command that was declined",
      { ...command, status: "declined" },
      {
        type: "command_execution",
        command: "bash -lc ls",
        aggregated_output: "",
        exit_code: null,
        status: "declined",
      },
    ],
    [
      "a patch",
      patch("completed"),
      {
        type: "file_change",
        changes: [
          { path: "/w/a", kind: "add" },
          { path: "/w/b", kind: "update" },
          { path: "/w/d", kind: "delete" },
        ],
        status: "completed",
      },
    ],
    ["a patch that was declined", patch("declined"), expect.objectContaining({ status: "failed" })],
    [
      "a tool's answer",
      { ...tool, status: "completed", result: { content: [1], structuredContent: undefined, _meta: null } },
      {
        type: "mcp_tool_call",
        server: "s",
        tool: "t",
        arguments: { x: 1 },
        result: { content: [1], structured_content: null },
        error: null,
        status: "completed",
      },
    ],
    [
      "a tool's answer with more to it",
      { ...tool, status: "completed", result: { content: [], structuredContent: { a: 1 }, _meta: { b: 2 } } },
      expect.objectContaining({ result: { content: [], _meta: { b: 2 }, structured_content: { a: 1 } } }),
    ],
    [
      "a tool's failure",
      { ...tool, status: "failed", error: { message: "no" } },
      expect.objectContaining({ result: null, error: { message: "no" }, status: "failed" }),
    ],
    [
      "a search",
      search({ type: "search", query: "q", queries: null }),
      { type: "web_search", query: "q", action: { type: "search", query: "q" } },
    ],
    [
      "a page that was opened",
      search({ type: "openPage", url: "u" }),
      { type: "web_search", query: "q", action: { type: "open_page", url: "u" } },
    ],
    [
      "a search of which nothing is known",
      search(null),
      { type: "web_search", query: "q", action: { type: "other" } },
    ],
    [
      "a call of an agent",
      {
        type: "collabAgentToolCall",
        id: "call_4",
        tool: "spawnAgent",
        status: "inProgress",
        senderThreadId: "a",
        receiverThreadIds: ["b"],
        prompt: null,
        model: null,
        reasoningEffort: null,
        agentsStates: { b: { status: "pendingInit", message: null } },
      },
      {
        type: "collab_tool_call",
        tool: "spawn_agent",
        sender_thread_id: "a",
        receiver_thread_ids: ["b"],
        prompt: null,
        agents_states: { b: { status: "pending_init", message: null } },
        status: "in_progress",
      },
    ],
    ["what the user said", { type: "userMessage", id: "u", clientId: null, content: [] }, null],
  ])("is shown: %s", (_name, item, shown) => {
    const bodies = bodyOf(item).map(({ id: _id, ...body }) => body);
    expect(bodies).toEqual(shown === null ? [] : [shown]);
  });
});

describe("the events of a turn", () => {
  test("number the items in order of first appearance", () => {
    const events = read(
      {
        method: "turn/started",
        params: { threadId: THREAD, turn: (ended({}).params as { turn: Turn }).turn },
      },
      started(message("")),
      started(command),
      started(tool),
      completed({ ...tool, status: "completed" }),
      completed({ ...command, status: "failed", exitCode: 2 }),
      completed(message("Done")),
    );
    expect(
      events.map((event) => ("item" in event ? [event.type, event.item.id, event.item.type] : event.type)),
    ).toEqual([
      "turn.started",
      ["item.started", "item_0", "command_execution"],
      ["item.started", "item_1", "mcp_tool_call"],
      ["item.completed", "item_1", "mcp_tool_call"],
      ["item.completed", "item_0", "command_execution"],
      ["item.completed", "item_2", "agent_message"],
    ]);
  });

  test("show a plan as one list that completes with the turn", () => {
    const todo = (...items: readonly [string, boolean][]) => ({
      id: "item_0",
      type: "todo_list",
      items: items.map(([text, isDone]) => ({ text, completed: isDone })),
    });
    expect(
      read(
        plan(["inProgress", "one"], ["pending", "two"]),
        plan(["completed", "one"], ["inProgress", "two"]),
        ended({}),
      ),
    ).toEqual([
      { type: "item.started", item: todo(["one", false], ["two", false]) },
      { type: "item.updated", item: todo(["one", true], ["two", false]) },
      { type: "item.completed", item: todo(["one", true], ["two", false]) },
      { type: "turn.completed", usage: NO_USAGE },
    ]);
  });

  test("end with the usage of the thread", () => {
    const total = {
      totalTokens: 15,
      inputTokens: 10,
      cachedInputTokens: 4,
      cacheWriteInputTokens: 3,
      outputTokens: 5,
      reasoningOutputTokens: 2,
    };
    const usage: Notice = {
      method: "thread/tokenUsage/updated",
      params: { ...at, tokenUsage: { total, last: { ...total, inputTokens: 1 }, modelContextWindow: null } },
    };
    expect(read(usage, ended({}))).toEqual([
      {
        type: "turn.completed",
        usage: {
          input_tokens: 10,
          cached_input_tokens: 4,
          cache_write_input_tokens: 3,
          output_tokens: 5,
          reasoning_output_tokens: 2,
        },
      },
    ]);
  });

  test.each<[name: string, notices: readonly Notice[], messages: readonly string[]]>([
    ["its own error", [failure("a"), ended({ status: "failed", error: error("b", "c") })], ["a", "b (c)"]],
    [
      "the last one that was told",
      [failure("a", "why"), ended({ status: "failed" })],
      ["a (why)", "a (why)"],
    ],
    ["none", [ended({ status: "failed" })], ["turn failed"]],
  ])("end in a failure with %s", (_name, notices, messages) => {
    const events = read(...notices);
    const said = events.flatMap((event) => {
      if (event.type === "error") return [event.message];
      return event.type === "turn.failed" ? [event.error.message] : [];
    });
    expect(said).toEqual(messages);
    expect(events.at(-1)?.type).toBe("turn.failed");
  });

  test("omit an interruption, but complete started items once", () => {
    const ran: ThreadItem = { ...tool, status: "completed" };
    const items: ThreadItem[] = [ran, { ...command, status: "failed" }, message("half")];
    const events = read(
      started(command),
      started(tool),
      completed(ran),
      ended({ status: "interrupted", items }),
    );
    expect(events.map((event) => ("item" in event ? [event.type, event.item.id] : event.type))).toEqual([
      ["item.started", "item_0"],
      ["item.started", "item_1"],
      ["item.completed", "item_1"],
      ["item.completed", "item_0"],
    ]);
  });

  test.each<[notice: Notice, message: string]>([
    [{ method: "warning", params: { threadId: THREAD, message: "w" } }, "w"],
    [{ method: "configWarning", params: { summary: "s", details: "d" } }, "s (d)"],
    [{ method: "configWarning", params: { summary: "s", details: "" } }, "s"],
    [{ method: "deprecationNotice", params: { summary: "s", details: null } }, "s"],
    [
      {
        method: "model/rerouted",
        params: { ...at, fromModel: "a", toModel: "b", reason: "highRiskCyberActivity" },
      },
      "model rerouted: a -> b (highRiskCyberActivity)",
    ],
  ])("show a warning as an item: %j", (notice, text) => {
    expect(read(notice)).toEqual([
      { type: "item.completed", item: { id: "item_0", type: "error", message: text } },
    ]);
  });
});
