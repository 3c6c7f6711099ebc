import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../base/json-object.ts";
import { prepareLine } from "../../lines/line.ts";
import { convert, currentSession, modelHistory, shown, transcript } from "./transcript.fixture.ts";

const kinds = (items: readonly JsonObject[]) => items.map(({ type }) => type);
const texts = (items: readonly JsonObject[]) => JSON.stringify(items);

function statuses(entries: readonly unknown[]): unknown[] {
  return convert(entries).lines.flatMap(({ body }) => {
    const { type, error } = body.payload as JsonObject;
    if (type === "turn_aborted") return ["aborted"];
    return type === "task_complete" ? [error ?? "complete"] : [];
  });
}

describe("a session", () => {
  test("shows messages, thoughts, commands, edits and other calls", () => {
    const items = shown(convert(currentSession()));
    expect(items.map(({ id: _id, ...item }) => item)).toEqual([
      { type: "UserMessage", content: [{ type: "text", text: "List the files", text_elements: [] }] },
      { type: "Reasoning", summary_text: ["A listing will do."], raw_content: [] },
      { type: "AgentMessage", content: [{ type: "Text", text: "I list them." }] },
      {
        type: "CommandExecution",
        command: ["bash", "-lc", "ls -a"],
        cwd: "file:///repo",
        parsed_cmd: [{ type: "unknown", cmd: "ls -a" }],
        source: "agent",
        status: "completed",
        aggregated_output: "README.md\nsrc",
        exit_code: 0,
        duration: { secs: 1, nanos: 0 },
      },
      {
        type: "FileChange",
        changes: {
          "/repo/README.md": {
            type: "update",
            unified_diff: "@@ -4,2 +4,2 @@\n x\n-a\n+b\n",
            move_path: null,
          },
        },
        status: "completed",
      },
      {
        type: "McpToolCall",
        server: "docs",
        tool: "find",
        arguments: { query: "heddle" },
        status: "failed",
        error: { message: "nothing" },
        duration: { secs: 2, nanos: 0 },
      },
      { type: "AgentMessage", content: [{ type: "Text", text: "Done." }] },
      {
        type: "UserMessage",
        content: [
          { type: "text", text: "And this picture?", text_elements: [] },
          { type: "image", image_url: "data:image/png;base64,aGk=" },
        ],
      },
      {
        type: "DynamicToolCall",
        namespace: "claude-code",
        tool: "Read",
        arguments: { file_path: "/repo/src" },
        status: "failed",
        content_items: [{ type: "inputText", text: "[Request interrupted by user for tool use]" }],
        success: false,
        duration: { secs: 1, nanos: 0 },
      },
    ]);
  });

  test("is modelHistory with its calls and outputs, and without thoughts", () => {
    expect(modelHistory(convert(currentSession())).slice(0, 5)).toEqual([
      { type: "message", role: "user", content: [{ type: "input_text", text: "List the files" }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I list them." }] },
      {
        type: "function_call",
        name: "exec_command",
        arguments: '{"cmd":"ls -a","workdir":"/repo"}',
        call_id: "toolu_1",
      },
      { type: "function_call_output", call_id: "toolu_1", output: "README.md\nsrc" },
      {
        type: "function_call",
        name: "Edit",
        arguments: '{"file_path":"/repo/README.md","old_string":"a","new_string":"b"}',
        call_id: "toolu_2",
      },
    ]);
  });

  test("has the ids and lines of before when it is converted again", () => {
    expect(convert(currentSession())).toEqual(convert(currentSession()));
  });

  test("of the first versions, with plain texts and results without details, reads the same way", () => {
    const t = transcript("0.2.9");
    const items = shown(
      convert([
        t.user("Run it"),
        t.assistant([{ type: "text", text: "Running" }, t.use("toolu_1", "Bash", { command: "false" })]),
        t.user([t.result("toolu_1", "Error: Exit code 1\nfailed", true)], {
          toolUseResult: "Error: Exit code 1",
        }),
        t.assistant("A plain answer"),
      ]),
    );
    expect(items.map(({ type, exit_code, status }) => [type, exit_code, status])).toEqual([
      ["UserMessage", undefined, undefined],
      ["AgentMessage", undefined, undefined],
      ["CommandExecution", 1, "failed"],
      ["AgentMessage", undefined, undefined],
    ]);
  });
});

describe("turns", () => {
  test("begin with each message of the user and end by completion, interruption or error", () => {
    const t = transcript();
    const error = { isApiErrorMessage: true };
    expect(
      statuses([
        t.user("One"),
        t.assistant([{ type: "text", text: "1" }]),
        t.user("Two"),
        t.user("[Request interrupted by user]"),
        t.user("Three"),
        t.assistant([{ type: "text", text: "API Error: 529" }], error),
        t.user("Four"),
        t.assistant([{ type: "text", text: "API Error: 529" }], error),
        t.assistant([{ type: "text", text: "4" }]),
      ]),
    ).toEqual(["complete", "aborted", { message: "API Error: 529" }, "complete"]);
  });

  test("go on with what was said while the model was at work", () => {
    const t = transcript();
    const converted = convert([
      t.user("One"),
      t.entry("attachment", { attachment: { type: "queued_command", prompt: "And two" } }),
      t.assistant([{ type: "text", text: "Both" }]),
    ]);
    expect([kinds(shown(converted)), kinds(modelHistory(converted))]).toEqual([
      ["UserMessage", "UserMessage", "AgentMessage"],
      ["message", "message", "message"],
    ]);
  });

  test("never go back in time", () => {
    const t = transcript();
    const late = t.user("One", { timestamp: "2026-03-05T00:00:00.000Z" });
    const { lines } = convert([
      late,
      t.assistant([{ type: "text", text: "1" }]),
      t.user("?", { timestamp: "never" }),
    ]);
    const times = lines.map(({ atMs }) => atMs);
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });
});

describe("what the program adds to a conversation", () => {
  test("a command for the model is shown as it was typed, and the model is told what it stands for", () => {
    const t = transcript();
    const command =
      "<command-message>review</command-message><command-name>/review</command-name><command-args>src</command-args>";
    const converted = convert([
      t.user(command),
      t.user([{ type: "text", text: "Review the code in src." }], { isMeta: true }),
      t.assistant([{ type: "text", text: "Fine" }]),
    ]);
    expect(texts(shown(converted))).toContain('"text":"/review src"');
    expect(kinds(shown(converted))).toEqual(["UserMessage", "AgentMessage"]);
    expect(texts(modelHistory(converted))).toContain("Review the code in src.");
  });

  test("a command that stayed local is left out with what it printed", () => {
    const t = transcript();
    const converted = convert([
      t.user("Caveat: The messages below were made by local commands", { isMeta: true }),
      t.user("<command-name>/model</command-name><command-args></command-args>"),
      t.user("<local-command-stdout>Set</local-command-stdout>"),
      t.user("Hello"),
    ]);
    expect([kinds(shown(converted)), converted.skipped]).toEqual([
      ["UserMessage"],
      ["internal note", "local command"],
    ]);
  });

  test("a shell command of the user is a turn of its own", () => {
    const t = transcript();
    const converted = convert([
      t.user("<bash-input>pwd</bash-input>"),
      t.user("<bash-stdout>/repo</bash-stdout><bash-stderr></bash-stderr>"),
    ]);
    expect(shown(converted)).toMatchObject([
      {
        type: "CommandExecution",
        source: "user_shell",
        command: ["bash", "-lc", "pwd"],
        aggregated_output: "/repo",
      },
    ]);
    expect(texts(modelHistory(converted))).toContain("<user_shell_command>");
  });

  test("a compaction replaces what the model knows, and everything is still shown", () => {
    const t = transcript();
    const converted = convert([
      t.user("One"),
      t.assistant([t.use("toolu_1", "Bash", { command: "ls" })]),
      t.entry("system", { subtype: "compact_boundary", parentUuid: null }),
      t.user("They said one.", { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
      t.user([t.result("toolu_1", "late")]),
      t.assistant([{ type: "text", text: "On we go" }]),
    ]);
    expect(kinds(shown(converted))).toEqual([
      "UserMessage",
      "CommandExecution",
      "ContextCompaction",
      "AgentMessage",
    ]);
    expect(texts(modelHistory(converted))).toBe(
      JSON.stringify([
        { type: "message", role: "user", content: [{ type: "input_text", text: "They said one." }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "On we go" }] },
      ]),
    );
    expect(converted.skipped).toEqual(["result of an unknown call"]);
  });
});

describe("calls", () => {
  const outputOf = (input: JsonObject, name: string, details?: unknown) => {
    const t = transcript();
    const [, item] = shown(
      convert([
        t.user("Do"),
        t.assistant([t.use("toolu_1", name, input)]),
        t.user([t.result("toolu_1", "done")], { toolUseResult: details }),
      ]),
    );
    return item;
  };

  test("that write a new file add it, and edits without details replace their lines", () => {
    expect(outputOf({ file_path: "a.txt", content: "x\n" }, "Write")).toMatchObject({
      changes: { "/repo/a.txt": { type: "add", content: "x\n" } },
    });
    expect(
      outputOf({ file_path: "/a", edits: [{ old_string: "a", new_string: "b\nc" }] }, "MultiEdit"),
    ).toMatchObject({ changes: { "/a": { type: "update", unified_diff: "@@ -1,1 +1,2 @@\n-a\n+b\n+c\n" } } });
    expect(outputOf({ file_path: "/a", content: "b" }, "Write", { originalFile: "a" })).toMatchObject({
      changes: { "/a": { type: "update" } },
    });
  });

  test("that the user refused are declined, and those without a result failed", () => {
    const t = transcript();
    const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    const items = shown(
      convert([
        t.user("Do"),
        t.assistant([
          t.use("toolu_1", "Bash", { command: "rm -rf /" }),
          t.use("toolu_2", "Bash", { command: "sleep 9" }),
        ]),
        t.user([t.result("toolu_1", refusal, true)]),
      ]),
    );
    expect(items.map(({ status }) => status)).toEqual([undefined, "declined", "failed"]);
  });
});

test("any transcript converts, and each call that the model remembers has one output", () => {
  const id = fc.constantFrom("toolu_1", "toolu_2", "", "a b", "x".repeat(80));
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "<bash-input>ls</bash-input>",
      "<bash-stdout>x</bash-stdout>",
      "<command-name>/x</command-name>",
      "<command-message>x</command-message><command-name>x</command-name>",
      "<local-command-stdout>",
      "<system-reminder>x",
      "[Request interrupted by user]",
    ),
  );
  const anything = fc.jsonValue();
  const block = fc.oneof(
    fc.record({
      type: fc.constantFrom("text", "thinking", "image", "other"),
      text,
      thinking: text,
      source: anything,
    }),
    fc.record({
      type: fc.constant("tool_use"),
      id,
      name: fc.oneof(fc.string(), fc.constantFrom("Bash", "Edit", "Write", "MultiEdit", "mcp__a__b")),
      input: anything,
    }),
    fc.record({
      type: fc.constant("tool_result"),
      tool_use_id: id,
      content: fc.oneof(text, anything),
      is_error: anything,
    }),
    anything,
  );
  const content = fc.oneof(text, fc.array(block, { maxLength: 4 }), anything);
  const entry = fc.oneof(
    fc.record(
      {
        type: fc.constantFrom("user", "assistant", "system", "attachment", "summary", "compact_boundary"),
        uuid: fc.option(fc.constantFrom("a", "b", "c", "d")),
        message: fc.oneof(fc.record({ content }), anything),
        timestamp: fc.oneof(
          fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
          fc.string(),
        ),
        cwd: fc.oneof(fc.string(), fc.constant("/x")),
        isMeta: fc.boolean(),
        isCompactSummary: fc.boolean(),
        toolUseResult: anything,
        attachment: fc.oneof(fc.record({ type: fc.constant("queued_command"), prompt: content }), anything),
      },
      { requiredKeys: ["type"] },
    ),
    anything,
  );
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), (entries) => {
      const converted = convert(entries);
      for (const { body, atMs } of converted.lines) prepareLine(body, atMs);
      const items = converted.lines.flatMap(({ body }) =>
        body.type === "response_item" ? [body.payload] : [],
      );
      const ids = (type: string) =>
        items.filter((item) => item.type === type).map((item) => String(item["call_id"]));
      expect(ids("function_call_output").sort()).toEqual(ids("function_call").sort());
      expect(new Set(ids("function_call")).size).toBe(ids("function_call").length);
      const all = modelHistory(converted);
      const isAnswered = (call: JsonObject) =>
        all.some((item) => item["type"] === "function_call_output" && item["call_id"] === call["call_id"]);
      expect(all.filter((item) => item["type"] === "function_call").every(isAnswered)).toBe(true);
      expect(
        items
          .filter(({ type }) => type === "function_call")
          .every((call) => /^[\w-]{1,64}$/.test(String(call["name"]))),
      ).toBe(true);
    }),
  );
});
