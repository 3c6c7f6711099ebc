import { describe, expect, test } from "vitest";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { collect, PLAIN_REQUEST } from "../fixtures/collect.ts";
import type { ModelEvent, ModelRequest } from "../model.ts";
import { createDemoModel } from "./demo-model.ts";

/** All delays are zero. */
const clock = {
  now: () => 0,
  monotonic: () => 0,
  after(_delayMs: number, task: () => void) {
    queueMicrotask(task);
    return () => {};
  },
};
const model = createDemoModel({ clock });

const TOOLS = ["exec_command", "update_plan", "request_user_input", "view_image"].map((name) => ({
  type: "function",
  name,
}));
const ALL = [...TOOLS, { type: "custom", name: "apply_patch" }];

function asking(
  text: string,
  own: Partial<ModelRequest> = {},
  ...later: readonly ResponseItem[]
): ModelRequest {
  const prompt: ResponseItem = { type: "message", role: "user", content: [{ type: "input_text", text }] };
  return { ...PLAIN_REQUEST, tools: ALL, ...own, input: [prompt, ...later] };
}

async function items(request: ModelRequest): Promise<ResponseItem[]> {
  return (await collect(model, request)).flatMap((event) => (event.type === "itemDone" ? [event.item] : []));
}

async function said(request: ModelRequest): Promise<string> {
  return (await items(request))
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .flatMap((part) => (part.type === "output_text" ? [part.text] : []))
    .join("");
}

function result(output: string): ResponseItem {
  return { type: "function_call_output", call_id: "call_1", output };
}

describe("the demo model", () => {
  test("is deterministic, with a different id per conversation state", async () => {
    const first = await collect(model, asking("hello"));
    expect(await collect(model, asking("hello"))).toEqual(first);
    const ids = await Promise.all(
      [asking("hello"), asking("hello "), asking("run pwd"), asking("run pwd", {}, result("x"))].map(
        async (request) => {
          const end = (await collect(model, request)).at(-1);
          return end?.type === "completed" ? end.responseId : "";
        },
      ),
    );
    expect(new Set(ids).size).toBe(4);
  });

  test("answers a plain message in several deltas", async () => {
    const events = await collect(model, asking("Good morning"));
    expect(events.filter(({ type }) => type === "textDelta").length).toBeGreaterThan(3);
    expect(await said(asking("Good morning"))).toContain('You said: "Good morning"');
  });

  test.each([
    ["run ls -la", "exec_command", { cmd: "ls -la" }],
    ["Please run pwd", "exec_command", { cmd: "pwd" }],
    ["view a.png", "view_image", { path: "a.png" }],
  ])("calls the tool for: %s", async (prompt, name, args) => {
    const call = (await items(asking(prompt))).at(-1);
    expect(call?.type === "function_call" && [call.name, JSON.parse(call.arguments)]).toEqual([name, args]);
  });

  test.each([
    ["create a.txt", "*** Add File: a.txt\n+This file was made by the demo model."],
    ["edit a.txt", "*** Update File: a.txt\n@@\n+This line was added by the demo model."],
    ["delete a.txt", "*** Delete File: a.txt"],
  ])("sends a patch for: %s", async (prompt, hunk) => {
    expect((await items(asking(prompt))).at(-1)).toMatchObject({
      type: "custom_tool_call",
      name: "apply_patch",
      input: `*** Begin Patch\n${hunk}\n*** End Patch\n`,
    });
  });

  test("makes plans and asks back", async () => {
    const inputs = await Promise.all(
      ["plan", "ask"].map(async (prompt) => {
        const call = (await items(asking(prompt))).at(-1);
        return call?.type === "function_call"
          ? (JSON.parse(call.arguments) as Record<string, unknown>)
          : null;
      }),
    );
    expect(inputs[0]?.["plan"]).toHaveLength(3);
    expect(inputs[1]?.["questions"]).toHaveLength(1);
  });

  test("describes a call of a tool that is not offered", async () => {
    for (const prompt of ["run pwd", "edit a.txt", "plan", "ask", "view a.png"]) {
      const request = asking(prompt, { tools: [] });
      expect((await items(request)).map(({ type }) => type)).toEqual(["message"]);
      expect(await said(request)).toMatch(/^I would .* is not available here\.$/);
    }
  });

  test("describes the result of a call instead of repeating it", async () => {
    const output = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nno such file\n";
    expect(await said(asking("run cat x", {}, result(output)))).toBe(
      "The command ended with exit code 3. It printed: no such file",
    );
    expect(await said(asking("run sleep 9", {}, result("Process running with session ID 7")))).toBe(
      "The command is still running in session 7.",
    );
    expect(await said(asking("run rm x", {}, result("rejected by user")))).toBe(
      "The command did not run: rejected by user",
    );
    expect(await said(asking("create a", {}, result("Success. Updated: A a")))).toBe(
      "The patch is in place.",
    );
    expect(await said(asking("ask", {}, result('{"answers":{}}')))).toContain("You answered");
  });

  test("thinks aloud", async () => {
    const events = await collect(model, asking("think about it"));
    const parts = events.filter(({ type }) => type === "reasoningSummaryPartAdded");
    expect(parts).toHaveLength(2);
    const [thought] = await items(asking("think about it"));
    const deltas = events.flatMap((event) => (event.type === "reasoningSummaryDelta" ? [event.delta] : []));
    expect(thought?.type === "reasoning" && thought.summary.map(({ text }) => text).join("")).toBe(
      deltas.join(""),
    );
    const usage = events.flatMap((event) => (event.type === "completed" ? [event.usage] : []))[0];
    expect(usage?.reasoningOutputTokens).toBeGreaterThan(0);
  });

  test("fails and disconnects on request", async () => {
    const types = async (prompt: string) => (await collect(model, asking(prompt))).map(({ type }) => type);
    expect((await types("fail")).at(-1)).toBe("failed");
    const stumbled = await types("stumble");
    expect([stumbled.filter((type) => type === "retrying").length, stumbled.at(-1)]).toEqual([
      1,
      "completed",
    ]);
    // The engine would keep a complete message and request the response once more.
    expect(stumbled.indexOf("itemDone")).toBeGreaterThan(stumbled.indexOf("retrying"));
  });

  test("streams slowly", async () => {
    const deltas = (events: ModelEvent[]) => events.filter(({ type }) => type === "textDelta").length;
    expect(deltas(await collect(model, asking("slow")))).toBeGreaterThan(30);
  });

  test("lists its scripts", async () => {
    expect((await said(asking("help"))).split("\n")).toHaveLength(14);
  });

  const rules = (sandbox: string, policy: string) =>
    `<permissions instructions>\nA sandbox of mode \`${sandbox}\`.\nThe approval policy is \`${policy}\`.\n</permissions instructions>`;
  const FOR_PLAN = {
    type: "function",
    name: "request_user_input",
    description: "This tool is only available in Plan mode.",
  };

  test.each([
    [
      "read-only",
      "never",
      /^Not in this thread \(the sandbox is read-only and the approval policy never asks\): `create <file>`, `edit <file>`, `delete <file>`\.$/mu,
    ],
    ["read-only", "on-request", null],
    ["workspace-write", "never", null],
  ])(
    "lists usable scripts for the sandbox %s and the policy %s",
    async (sandbox, policy, unavailableScripts) => {
      const context: ResponseItem = {
        type: "message",
        role: "developer",
        content: [{ type: "input_text", text: rules(sandbox, policy) }],
      };
      const request = asking("help");
      const list = await said({ ...request, input: [context, ...request.input] });
      expect(/^- `create <file>`/mu.test(list)).toBe(unavailableScripts === null);
      if (unavailableScripts === null) expect(list).not.toContain("Not in this thread");
      else expect(list).toMatch(unavailableScripts);
    },
  );

  test("lists only tools of the thread, and questions in Plan mode only", async () => {
    const tools = [
      ...ALL.filter(({ name }) => name !== "request_user_input" && name !== "view_image"),
      FOR_PLAN,
    ];
    const list = await said(asking("help", { tools }));
    expect(list).toContain("Not in this thread (only in Plan mode): `ask`.");
    expect(list).toContain("Not in this thread (the tool is not offered): `view <image>`.");
    const plan: ResponseItem = {
      type: "message",
      role: "developer",
      content: [{ type: "input_text", text: "<collaboration_mode># Plan Mode</collaboration_mode>" }],
    };
    const request = asking("help", { tools });
    expect(await said({ ...request, input: [plan, ...request.input] })).toMatch(/^- `ask`/mu);
    expect(await said(asking("ask", {}, result("unavailable in Default mode")))).toBe(
      "I could not ask: unavailable in Default mode",
    );
  });

  test("follows an output schema", async () => {
    const schema = {
      type: "object",
      properties: {
        title: { type: "string" },
        kind: { enum: ["a", "b"] },
        list: { type: "array", items: {} },
        deep: { type: "object", properties: { n: { type: "integer" }, on: { type: "boolean" } } },
      },
    };
    const format = { type: "json_schema" as const, strict: true, schema, name: "x" };
    expect(JSON.parse(await said(asking("run ls", { text: { format } })))).toEqual({
      title: "run ls",
      kind: "a",
      list: [],
      deep: { n: 0, on: false },
    });
  });

  test.each([
    ["call weather", {}],
    ['call weather {"city": "Oslo"}', { city: "Oslo" }],
  ])("calls any tool that is offered: %s", async (text, input) => {
    const tools = [{ type: "function", name: "weather" }];
    const [call] = await items(asking(text, { tools }));
    expect(call).toMatchObject({ type: "function_call", name: "weather", arguments: JSON.stringify(input) });
    expect(await said(asking(text, { tools }, result("rain")))).toBe("The tool `weather` answered: rain");
  });

  test.each([
    ["call weather {}", "not available here"],
    ["call exec_command [1]", "must be a JSON object"],
    ["call exec_command {", "must be a JSON object"],
  ])("explains why it does not call: %s", async (text, reason) => {
    expect(await said(asking(text))).toContain(reason);
  });
});
