import { describe, expect, it } from "vitest";
import type { DynamicToolSpec, LegacyDynamicToolSpec } from "../../protocol/generated/types.ts";
import { readOfferedTools } from "./offered-tools.ts";

type Given = DynamicToolSpec | LegacyDynamicToolSpec;

const tool = (name: string, more: object = {}) => ({
  type: "function" as const,
  name,
  description: "",
  inputSchema: { type: "object" },
  ...more,
});
const namespace = (name: string, tools = [tool("a")], description = "") => ({
  type: "namespace" as const,
  name,
  description,
  tools,
});
const legacy = (name: string, more: object = {}): LegacyDynamicToolSpec => ({
  name,
  description: "",
  inputSchema: {},
  ...more,
});

describe("the tools that a client offers", () => {
  it("are taken as they are in the usual form", () => {
    const tools = [tool("look"), namespace("crm", [tool("look"), tool("late", { deferLoading: true })])];
    expect(readOfferedTools(tools)).toStrictEqual({ kind: "tools", tools });
  });

  it("are gathered by namespace when they come in the form of older clients", () => {
    const given = [
      legacy("a", { namespace: "n", exposeToContext: true }),
      legacy("b"),
      legacy("c", { namespace: "n", exposeToContext: false }),
    ];
    const plain = { type: "function", description: "", inputSchema: {} };
    expect(readOfferedTools(given)).toStrictEqual({
      kind: "tools",
      tools: [
        {
          type: "namespace",
          name: "n",
          description: "",
          tools: [
            { ...plain, name: "a", deferLoading: false },
            { ...plain, name: "c", deferLoading: true },
          ],
        },
        { ...plain, name: "b", deferLoading: false },
      ],
    });
  });

  it.each<[Given[], string]>([
    [[tool("")], "dynamic tool name must not be empty"],
    [[tool(" a")], "dynamic tool name has leading/trailing whitespace:  a"],
    [[tool("a b")], "dynamic tool name must match ^[a-zA-Z0-9_-]+$ to match Responses API: a b"],
    [[tool("é")], "dynamic tool name must match ^[a-zA-Z0-9_-]+$ to match Responses API: \\u{e9}"],
    [[tool("mcp__a")], "dynamic tool name is reserved: mcp__a"],
    [[tool("a"), tool("a")], "duplicate dynamic tool name: a"],
    [[namespace("n", [tool("a"), tool("a")])], "duplicate dynamic tool name in namespace n: a"],
    [[tool("a", { deferLoading: true })], "deferred dynamic tool must include a namespace: a"],
    [
      [tool("a", { inputSchema: { type: "null" } })],
      "dynamic tool input schema is not supported for a: tool input schema must not be a singleton null type",
    ],
    [
      [tool("a", { inputSchema: "x" })],
      'dynamic tool input schema is not supported for a: invalid type: string "x", expected struct JsonSchema',
    ],
    [[namespace("")], "dynamic tool namespace must not be empty"],
    [[namespace("mcp")], "dynamic tool namespace is reserved: mcp"],
    [[namespace("web")], "dynamic tool namespace collides with a reserved Responses API namespace: web"],
    [[namespace("n"), namespace("n")], "duplicate dynamic tool namespace: n"],
    [[namespace("n", [])], "dynamic tool namespace must contain at least one tool: n"],
    [
      [namespace("n", [tool("a")], "x".repeat(1025))],
      "dynamic tool namespace description must be at most 1024 characters",
    ],
    [
      [tool("a"), legacy("b")],
      "Invalid request: dynamic tools must use either canonical or legacy format consistently",
    ],
    [
      [namespace("n", [tool("a", { exposeToContext: false })])],
      "Invalid request: dynamic tools must use either canonical or legacy format consistently",
    ],
    [
      [tool("a", { namespace: "n" })],
      "Invalid request: dynamic tools must use either canonical or legacy format consistently",
    ],
  ])("%j are refused", (given, message) => {
    expect(readOfferedTools(given)).toStrictEqual({ kind: "wrong", message });
  });
});
