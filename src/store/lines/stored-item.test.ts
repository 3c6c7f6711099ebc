import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinWords, splitWords } from "../../base/shlex.ts";
import type { ThreadItem, UserInput } from "../../protocol/generated/types.ts";
import { fromStoredItem, toStoredItem } from "./stored-item.ts";

const id = fc.string({ minLength: 1, maxLength: 8 });
const text = fc.string({ unit: "grapheme", maxLength: 12 });
const path = fc
  .array(fc.stringMatching(/^[a-z %#?é]{1,6}$/), { maxLength: 3 })
  .map((parts) => `/${parts.join("/")}`);
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });
const list = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { maxLength: 3 });
const one = <const T extends string>(...values: T[]) => fc.constantFrom(...values);
const millis = fc.nat(10_000_000);
const detail = maybe(one("auto", "low", "high", "original"));
const range = fc.record({ start: fc.nat(9), end: fc.nat(9) });

const input: fc.Arbitrary<UserInput> = fc.oneof(
  fc.record({
    type: fc.constant("text" as const),
    text,
    text_elements: list(fc.record({ byteRange: range, placeholder: maybe(text) })),
  }),
  fc.record({ type: fc.constant("image" as const), url: text, detail }),
  fc.record({ type: fc.constant("image" as const), fileId: text, detail }),
  fc.record({ type: fc.constant("localImage" as const), path, detail }),
  fc.record({ type: fc.constant("audio" as const), url: text }),
  fc.record({ type: fc.constant("localAudio" as const), path }),
  fc.record({ type: one("skill", "mention"), name: text, path }),
);

const action = fc.oneof(
  fc.record({ type: fc.constant("read" as const), command: text, name: text, path: fc.oneof(path, text) }),
  fc.record({ type: fc.constant("listFiles" as const), command: text, path: maybe(text) }),
  fc.record({ type: fc.constant("search" as const), command: text, query: maybe(text), path: maybe(text) }),
  fc.record({ type: fc.constant("unknown" as const), command: text }),
);

const change = fc.record({
  path,
  kind: fc.oneof(
    fc.record({ type: one("add", "delete") }),
    fc.record({ type: fc.constant("update" as const), move_path: maybe(path) }),
  ),
  diff: text,
});

const webAction = fc.oneof(
  fc.record({ type: fc.constant("search" as const), query: maybe(text), queries: maybe(list(text)) }),
  fc.record({ type: fc.constant("openPage" as const), url: maybe(text) }),
  fc.record({ type: fc.constant("findInPage" as const), url: maybe(text), pattern: maybe(text) }),
  fc.record({ type: fc.constant("other" as const) }),
);

const agentState = fc.record({
  status: one("pendingInit", "running", "interrupted", "completed", "errored", "shutdown", "notFound"),
  message: maybe(text),
});

const of = <T extends ThreadItem["type"]>(type: T) => fc.constant(type);
const callStatus = one("inProgress", "completed", "failed");

const item: fc.Arbitrary<ThreadItem> = fc.oneof(
  fc.record({ type: of("userMessage"), id, clientId: maybe(text), content: list(input) }),
  fc.record({ type: of("hookPrompt"), id, fragments: list(fc.record({ text, hookRunId: text })) }),
  fc.record({
    type: of("agentMessage"),
    id,
    text,
    phase: maybe(one("commentary", "partial_answer", "final_answer")),
    memoryCitation: maybe(
      fc.record({
        entries: list(fc.record({ path, lineStart: fc.nat(9), lineEnd: fc.nat(9), note: text })),
        threadIds: list(text),
      }),
    ),
    delivery: maybe(one("async")),
    questions: maybe(list(fc.record({ title: text, options: maybe(list(text)) }))),
  }),
  fc.record({ type: of("functionCallOutput"), id, name: text, namespace: maybe(text), output: text }),
  fc.record({ type: of("plan"), id, text }),
  fc.record({ type: of("reasoning"), id, summary: list(text), content: list(text) }),
  fc.record({
    type: of("commandExecution"),
    id,
    pluginId: maybe(text),
    scriptPath: maybe(text),
    command: fc.oneof(list(text).map(joinWords), text),
    cwd: fc.oneof(path, text),
    processId: maybe(text),
    source: one("agent", "userShell", "unifiedExecStartup", "unifiedExecInteraction"),
    status: one("inProgress", "completed", "failed", "declined"),
    commandActions: list(action),
    aggregatedOutput: maybe(text),
    exitCode: maybe(fc.integer({ min: -1, max: 255 })),
    durationMs: maybe(millis),
  }),
  fc.record({
    type: of("fileChange"),
    id,
    changes: list(change),
    status: one("inProgress", "completed", "failed", "declined"),
  }),
  fc.record({
    type: of("dynamicToolCall"),
    id,
    namespace: maybe(text),
    tool: text,
    arguments: json,
    status: callStatus,
    contentItems: maybe(list(fc.record({ type: fc.constant("inputText" as const), text }))),
    success: maybe(fc.boolean()),
    durationMs: maybe(millis),
  }),
  fc.record(
    {
      type: of("mcpToolCall"),
      id,
      server: text,
      tool: text,
      status: callStatus,
      arguments: json,
      appContext: maybe(
        fc.record({
          connectorId: text,
          linkId: maybe(text),
          resourceUri: maybe(text),
          appName: maybe(text),
          actionName: maybe(text),
        }),
      ),
      mcpAppResourceUri: text,
      mcpAppUi: maybe(
        fc.record({ resourceUri: text, preferredModelDisplayMode: one("inline", "fullscreen") }),
      ),
      pluginId: maybe(text),
      readOnlyHint: maybe(fc.boolean()),
      result: maybe(fc.record({ content: list(json), structuredContent: json, _meta: json })),
      error: maybe(fc.record({ message: text })),
      durationMs: maybe(millis),
    },
    {
      requiredKeys: [
        ...(["type", "id", "server", "tool", "status", "arguments", "appContext", "mcpAppUi"] as const),
        ...(["pluginId", "readOnlyHint", "result", "error", "durationMs"] as const),
      ],
    },
  ),
  fc.record({
    type: of("collabAgentToolCall"),
    id,
    tool: one("spawnAgent", "sendInput", "wait", "listAgents"),
    status: one("inProgress", "completed", "failed", "interrupted"),
    senderThreadId: text,
    receiverThreadIds: list(text),
    prompt: maybe(text),
    model: maybe(text),
    reasoningEffort: maybe(text),
    agentsStates: fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), agentState, {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  }),
  fc.record({
    type: of("subAgentActivity"),
    id,
    model: maybe(text),
    reasoningEffort: maybe(text),
    kind: one("started", "interacted", "interrupted", "completed"),
    agentThreadId: text,
    agentPath: text,
  }),
  fc.record({ type: of("webSearch"), id, query: text, action: maybe(webAction), results: maybe(list(json)) }),
  fc.record({ type: of("imageView"), id, path: fc.oneof(path, text) }),
  fc.record({ type: of("sleep"), id, durationMs: millis }),
  fc.record({
    type: of("imageGeneration"),
    id,
    status: text,
    revisedPrompt: maybe(text),
    failure: fc.constant(null),
    generationId: maybe(text),
    result: text,
  }),
  fc.record({ type: of("enteredReviewMode"), id, review: text }),
  fc.record({ type: of("exitedReviewMode"), id, review: text }),
  fc.record({ type: of("contextCompaction"), id }),
);

describe("an item in a file", () => {
  test("round-trips", () => {
    fc.assert(
      fc.property(item, (original) => {
        const stored = JSON.parse(JSON.stringify(toStoredItem(original))) as { type: string };
        expect(fromStoredItem(stored)).toEqual(original);
      }),
      { numRuns: 600 },
    );
  });

  test("never throws, whatever the file contains", () => {
    const kinds = [
      "UserMessage",
      "CommandExecution",
      "FileChange",
      "McpToolCall",
      "Extension",
      "CollabAgentToolCall",
    ];
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.dictionary(fc.string(), fc.jsonValue()), (type, members) => {
        const read = fromStoredItem({ ...members, type, id: "x" });
        expect(read === null || read.id === "x").toBe(true);
      }),
    );
  });

  test("of an unknown kind is omitted", () => {
    expect(fromStoredItem({ type: "FutureThing", id: "x" })).toBeNull();
    expect(fromStoredItem({ type: "toString", id: "x" })).toBeNull();
  });

  test("stores a command as argv and its folder as a file URL", () => {
    const command: ThreadItem = {
      type: "commandExecution",
      id: "call_1",
      pluginId: null,
      scriptPath: null,
      command: "/bin/bash -lc 'echo hi; echo err >&2'",
      cwd: "/sp ace",
      processId: "92586",
      source: "unifiedExecStartup",
      status: "failed",
      commandActions: [{ type: "listFiles", command: "ls", path: null }],
      aggregatedOutput: null,
      exitCode: 3,
      durationMs: 1999,
    };
    expect(toStoredItem(command)).toEqual({
      type: "CommandExecution",
      id: "call_1",
      process_id: "92586",
      command: ["/bin/bash", "-lc", "echo hi; echo err >&2"],
      cwd: "file:///sp%20ace",
      parsed_cmd: [{ type: "list_files", cmd: "ls", path: null }],
      source: "unified_exec_startup",
      status: "failed",
      exit_code: 3,
      duration: { secs: 1, nanos: 999_000_000 },
    });
  });

  test("resolves paths that a command reads against its folder", () => {
    const stored = {
      type: "CommandExecution",
      id: "c",
      command: ["a b", "it's", "", "$x", "ok=1"],
      cwd: "file:///tmp/sp%20ace",
      parsed_cmd: [{ type: "read", cmd: "cat x", name: "x", path: "x" }],
      source: "agent",
      status: "declined",
    };
    expect(fromStoredItem(stored)).toMatchObject({
      command: `'a b' "it's" '' '$x' 'ok=1'`,
      commandActions: [{ type: "read", command: "cat x", name: "x", path: "/tmp/sp ace/x" }],
    });
  });

  test("redacts secrets in a command that another program stored", () => {
    const stored = {
      type: "CommandExecution",
      id: "c",
      command: ["/bin/bash", "-lc", "rg token=abcdefgh12 src"],
      cwd: "file:///tmp",
      parsed_cmd: [
        { type: "search", cmd: "rg token=abcdefgh12 src", query: "token=abcdefgh12", path: "src" },
      ],
      source: "agent",
      status: "completed",
    };
    expect(fromStoredItem(stored)).toMatchObject({
      command: "/bin/bash -lc 'rg token=[REDACTED_SECRET] src'",
      commandActions: [
        {
          type: "search",
          command: "rg token=[REDACTED_SECRET] src",
          query: "token=[REDACTED_SECRET]",
          path: "src",
        },
      ],
    });
  });

  test("appends the new path of a moved file to its diff", () => {
    const stored = {
      type: "FileChange",
      id: "f",
      changes: {
        "/r/c": { type: "update", unified_diff: "@@\n", move_path: "/r/d" },
        "/r/a": { type: "add", content: "one\n" },
      },
      status: "completed",
    };
    expect(fromStoredItem(stored)).toEqual({
      type: "fileChange",
      id: "f",
      changes: [
        { path: "/r/a", kind: { type: "add" }, diff: "one\n" },
        { path: "/r/c", kind: { type: "update", move_path: "/r/d" }, diff: "@@\n\n\nMoved to: /r/d" },
      ],
      status: "completed",
    });
  });

  test("joins the findings of a review into one text", () => {
    const finding = (title: string) => ({
      title,
      body: "one\ntwo\n",
      code_location: { absolute_file_path: "/a.ts", line_range: { start: 1, end: 2 } },
    });
    const output = { findings: [finding("A"), finding("B")], overall_explanation: " fine " };
    expect(fromStoredItem({ type: "ExitedReviewMode", id: "x", review_output: output })).toEqual({
      type: "exitedReviewMode",
      id: "x",
      review:
        "fine\n\nFull review comments:\n\n- A — /a.ts:1-2\n  one\n  two\n\n- B — /a.ts:1-2\n  one\n  two",
    });
  });
});

test("joined words split into the same words", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (words) => {
      expect(splitWords(joinWords(words))).toEqual(words);
    }),
  );
});
