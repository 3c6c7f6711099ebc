import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ServerNotifications, ThreadItem, Turn } from "../../protocol/generated/types.ts";
import { everyNotification } from "./any-params.fixture.ts";
import type { NotificationMethod } from "./legacy-event.ts";
import { toLegacyEvents } from "./to-legacy-events.ts";

const scope = { threadId: "thread", turnId: "turn" };
const eventsOf = <M extends NotificationMethod>(
  method: M,
  params: ServerNotifications[M],
  lastAgentMessage: string | null = null,
) => toLegacyEvents(method, params, { lastAgentMessage });
const started = (item: ThreadItem) => eventsOf("item/started", { ...scope, item, startedAtMs: 1 });
const completed = (item: ThreadItem) => eventsOf("item/completed", { ...scope, item, completedAtMs: 2 });

function turn(more: Partial<Turn>): Turn {
  return {
    id: "turn",
    rootTurnId: null,
    items: [],
    itemsView: "notLoaded",
    status: "completed",
    error: null,
    startedAt: null,
    completedAt: null,
    durationMs: null,
    hookRuns: [],
    ...more,
  };
}

const failed = { message: "no", codexErrorInfo: null, additionalDetails: null, misalignment: null };

describe("every notification", () => {
  test.each(everyNotification())(
    "%s becomes events that have a name and can be written",
    (method, params) => {
      fc.assert(
        fc.property(params, (given) => {
          const events = toLegacyEvents(method as NotificationMethod, given as never, {
            lastAgentMessage: null,
          });
          for (const event of events) {
            expect(event.type).toMatch(/^[a-z][a-z_]*$/u);
            expect(JSON.parse(JSON.stringify(event))).toMatchObject({ type: event.type });
          }
          const isItem = method === "item/started" || method === "item/completed";
          if (!isItem) expect(events.length).toBeGreaterThan(0);
        }),
        { numRuns: 30 },
      );
    },
  );

  test("without a counterpart becomes an event that is named after it", () => {
    expect(eventsOf("item/mcpToolCall/progress", { ...scope, itemId: "call", message: "half" })).toEqual([
      { type: "item_mcp_tool_call_progress", turn_id: "turn", item_id: "call", message: "half" },
    ]);
  });
});

describe("an item", () => {
  const command: ThreadItem = {
    type: "commandExecution",
    id: "call",
    pluginId: null,
    scriptPath: null,
    command: "/bin/bash -lc 'cat notes.txt'",
    cwd: "/work",
    processId: null,
    source: "agent",
    status: "inProgress",
    commandActions: [{ type: "listFiles", command: "ls", path: null }],
    aggregatedOutput: null,
    exitCode: null,
    durationMs: null,
  };
  const members = {
    call_id: "call",
    turn_id: "turn",
    command: ["/bin/bash", "-lc", "cat notes.txt"],
    cwd: "/work",
    parsed_cmd: [{ type: "list_files", cmd: "ls", path: null }],
    source: "agent",
  };

  test("that is a command begins and ends with its words and its output", () => {
    expect(started(command)).toEqual([{ type: "exec_command_begin", ...members }]);
    const ended = { ...command, status: "failed", aggregatedOutput: "no\n", exitCode: 1, durationMs: 1500 };
    expect(completed(ended as ThreadItem)).toEqual([
      {
        type: "exec_command_end",
        ...members,
        stdout: "no\n",
        stderr: "",
        aggregated_output: "no\n",
        exit_code: 1,
        duration: { secs: 1, nanos: 500_000_000 },
        formatted_output: "no\n",
        status: "failed",
      },
    ]);
  });

  test("that is a patch is told as a map of paths", () => {
    const item: ThreadItem = {
      type: "fileChange",
      id: "call",
      status: "completed",
      changes: [
        { path: "/a", kind: { type: "add" }, diff: "text\n" },
        { path: "/b", kind: { type: "update", move_path: null }, diff: "@@ -1 +1 @@\n" },
      ],
    };
    const changes = {
      "/a": { type: "add", content: "text\n" },
      "/b": { type: "update", unified_diff: "@@ -1 +1 @@\n", move_path: null },
    };
    expect(started(item)).toEqual([
      { type: "patch_apply_begin", call_id: "call", turn_id: "turn", auto_approved: false, changes },
    ]);
    expect(completed(item)).toEqual([
      {
        type: "patch_apply_end",
        call_id: "call",
        turn_id: "turn",
        stdout: "",
        stderr: "",
        success: true,
        changes,
        status: "completed",
      },
    ]);
  });

  test("that is a message is told once, when it is whole", () => {
    const words: ThreadItem = {
      type: "userMessage",
      id: "1",
      clientId: null,
      content: [
        { type: "text", text: "look", text_elements: [] },
        { type: "image", url: "data:," },
      ],
    };
    expect([started(words), completed(words)]).toEqual([
      [],
      [{ type: "user_message", message: "look", images: ["data:,"] }],
    ]);
    const thought: ThreadItem = { type: "reasoning", id: "2", summary: ["a", "b"], content: ["c"] };
    expect(completed(thought)).toEqual([
      { type: "agent_reasoning", text: "a" },
      { type: "agent_reasoning", text: "b" },
      { type: "agent_reasoning_raw_content", text: "c" },
    ]);
  });

  test("of a later kind keeps its members under an event of its own", () => {
    expect(started({ type: "sleep", id: "nap", durationMs: 5 })).toEqual([
      { type: "sleep_begin", call_id: "nap", turn_id: "turn", duration_ms: 5 },
    ]);
  });
});

describe("a turn", () => {
  test.each([
    ["completed", {}, { type: "task_complete", turn_id: "turn", last_agent_message: "done" }],
    [
      "interrupted",
      { status: "interrupted" },
      { type: "turn_aborted", turn_id: "turn", reason: "interrupted" },
    ],
    [
      "failed",
      { status: "failed", error: failed },
      { type: "task_complete", turn_id: "turn", last_agent_message: "done", error: { message: "no" } },
    ],
  ] as const)("that is %s ends so", (_name, more, event) => {
    expect(eventsOf("turn/completed", { threadId: "thread", turn: turn(more) }, "done")).toEqual([event]);
  });

  test.each([
    [true, "stream_error"],
    [false, "error"],
  ])("whose error is tried again (%s) says %s", (willRetry, type) => {
    expect(eventsOf("error", { ...scope, error: failed, willRetry })).toEqual([{ type, message: "no" }]);
  });

  test("streams the output of a command as base64", () => {
    expect(eventsOf("item/commandExecution/outputDelta", { ...scope, itemId: "call", delta: "é" })).toEqual([
      { type: "exec_command_output_delta", call_id: "call", stream: "stdout", chunk: "w6k=" },
    ]);
  });

  test("tells its plan with the older names of the states", () => {
    const plan = [{ step: "one", status: "inProgress" as const }];
    expect(eventsOf("turn/plan/updated", { ...scope, explanation: null, plan })).toEqual([
      { type: "plan_update", explanation: null, plan: [{ step: "one", status: "in_progress" }] },
    ]);
  });
});
