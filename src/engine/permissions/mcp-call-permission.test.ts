import { describe, expect, test } from "vitest";
import { answered, CLIENT, mcpCall, openPermissions } from "./permissions.fixture.ts";

const say = (action: string, meta: unknown = null) => ({
  kind: "answered",
  result: { action, content: null, _meta: meta },
  from: "editor",
});
const decision = (outcome: string, reason: string | null, by: object = CLIENT) => ({
  subject: "mcpTool",
  outcome,
  by,
  reason,
  atMs: undefined,
});

describe("permission to call a tool of an MCP server", () => {
  test("is asked for with a form that has nothing to fill in", async () => {
    const { questions, answer } = await answered(mcpCall, say("accept"));
    expect(answer).toEqual({ kind: "approved" });
    expect(questions).toEqual([
      {
        threadId: "thread",
        turnId: "turn",
        serverName: "one",
        mode: "form",
        _meta: {
          codex_approval_kind: "mcp_tool_call",
          persist: ["session", "always"],
          tool_title: "Danger",
          tool_description: "Destroys",
          tool_params: { path: "/x" },
          tool_params_display: [{ name: "path", value: "/x", display_name: "path" }],
        },
        message: 'Allow the one MCP server to run tool "danger"?',
        requestedSchema: { type: "object", properties: {} },
      },
    ]);
  });

  test.each([
    ["decline", "user rejected MCP tool call"],
    ["cancel", "user cancelled MCP tool call"],
  ])("is refused with %s, and the turn goes on", async (action, reason) => {
    const bench = await answered(mcpCall, say(action));
    expect(bench.answer).toEqual({ kind: "declined", reason, cause: "answer" });
    expect(bench.turn.signal.aborted).toBe(false);
    expect(await bench.recorded()).toEqual([decision("denied", reason)]);
  });

  test("is refused where nobody answers", async () => {
    const bench = await answered(mcpCall, { kind: "unanswered", reason: "late", cause: "timeOut" });
    expect(bench.answer).toMatchObject({ reason: "user cancelled MCP tool call" });
    expect(await bench.recorded()).toEqual([decision("denied", "late", { kind: "timeOut" })]);
  });

  test.each([
    ["session", "for the session"],
    ["always", "for good"],
  ])("lasts: %s", async (persist, reason) => {
    const bench = await answered(mcpCall, say("accept", { persist }));
    expect(bench.done).toEqual([`granted: ${persist}`]);
    expect(await bench.recorded()).toEqual([decision("approved", reason)]);
  });

  test("lasts only where the question has offered that", async () => {
    const policy = {
      mcpCall: () =>
        ({ kind: "ask", mayLast: false, cause: { kind: "policy", policy: "on-request", why: "" } }) as const,
    };
    const bench = await answered(mcpCall, say("accept", { persist: "always" }), { policy });
    expect(bench.done).toEqual([]);
    expect(bench.questions[0]).not.toHaveProperty("_meta.persist");
    expect(await bench.recorded()).toEqual([decision("approved", null)]);
  });

  test("is given or refused unasked by the policy, which is recorded", async () => {
    const reason = "nobody may be asked";
    const forbidden = openPermissions({ policy: { mcpCall: () => ({ kind: "forbid", reason }) } });
    expect(await forbidden.request(mcpCall)).toEqual({ kind: "declined", reason, cause: "policy" });
    expect(await forbidden.recorded()).toEqual([decision("denied", reason, { kind: "policy" })]);
    const basis = { kind: "sessionGrant" } as const;
    const allowed = openPermissions({ policy: { mcpCall: () => ({ kind: "run", basis }) } });
    expect(await allowed.request(mcpCall)).toEqual({ kind: "approved" });
    expect(await allowed.recorded()).toEqual([decision("approved", null, basis)]);
  });

  test("that cannot be recorded is none, and nothing is kept for later", async () => {
    const close = () => Promise.reject(new Error("a full disk"));
    const bench = await answered(mcpCall, say("accept", { persist: "always" }), { decisions: { close } });
    expect(bench.answer).toMatchObject({
      kind: "declined",
      reason: "approval request failed: the decision could not be recorded: a full disk",
    });
    expect(bench.done).toEqual([]);
  });
});
