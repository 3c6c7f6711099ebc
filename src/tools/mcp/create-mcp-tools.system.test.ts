import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { PermissionSubject } from "../permission.ts";
import { type BuiltServer, buildServer } from "./fixtures/build-server.ts";
import { openHttpFixture } from "./fixtures/http-server.ts";
import { type McpBench, openMcpBench, readThread } from "./fixtures/mcp-bench.ts";

let built: BuiltServer;
let common: McpBench;

beforeAll(async () => {
  built = buildServer();
  common = openMcpBench();
  await common.start("t", toml());
  await common.start("never", toml(), { approvalPolicy: "never" });
  await Promise.all([common.mcp.toolsFor("t"), common.mcp.toolsFor("never")]);
});

afterAll(async () => {
  await common.close();
  built.remove();
});

/** A bench whose threads `t` and `never` share a server that nothing has happened to. */
function shared(): McpBench {
  common.clear();
  return common;
}

function bench(options?: Parameters<typeof openMcpBench>[0]): McpBench {
  const opened = openMcpBench(options);
  onTestFinished(() => opened.close());
  return opened;
}

function toml(name = "one", mode = "well-behaved", more = ""): string {
  const args = JSON.stringify([built.file, mode]);
  return `[mcp_servers.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n${more}\n`;
}

const startup = (name: string, status: string, error: string | null = null, thread = "t") => [
  thread,
  name,
  status,
  error,
];

function started(tool: string, args: unknown = {}, readOnlyHint: boolean | null = true) {
  return {
    type: "mcpToolCall",
    id: "call-1",
    server: "one",
    tool,
    status: "inProgress",
    arguments: args,
    appContext: null,
    mcpAppUi: null,
    pluginId: null,
    readOnlyHint,
    result: null,
    error: null,
    durationMs: null,
  };
}

const completed = (tool: string, rest: object, args: unknown = {}) => ({
  ...started(tool, args),
  status: "completed",
  durationMs: "some",
  ...rest,
});

const failure = (tool: string, cause: string) =>
  `tool call error: tool call failed for \`one/${tool}\`\n\nCaused by:\n    ${cause}`;

function outputOf({ output }: { readonly output: unknown }): unknown {
  const blank = (text: string) => text.replace(/Wall time: [0-9.]+/, "Wall time: T");
  if (typeof output === "string") return blank(output);
  return (output as { text?: string }[]).map((item) =>
    item.text === undefined ? item : { ...item, text: blank(item.text) },
  );
}

const heading = { type: "input_text", text: "Wall time: T seconds\nOutput:" };

describe("what the model is offered", () => {
  test("the tools of a server form a namespace, described by the server's instructions", async () => {
    const { start, mcp } = bench();
    await start("t", toml("my-server", "well-behaved", 'enabled_tools = ["echo", "danger"]'));
    const tools = await mcp.toolsFor("t");
    expect(tools.map(({ name, namespace }) => [namespace ?? null, name])).toEqual([
      [null, "list_mcp_resources"],
      [null, "list_mcp_resource_templates"],
      [null, "read_mcp_resource"],
      [{ name: "mcp__my_server", description: "Use it well." }, "danger"],
      [{ name: "mcp__my_server", description: "Use it well." }, "echo"],
    ]);
    expect(tools.at(-1)?.spec).toEqual({
      type: "function",
      name: "echo",
      description: "Echoes",
      strict: false,
      parameters: { type: "object", properties: {} },
    });
  });

  test("a thread without servers has no such tools at all", async () => {
    const { start, mcp } = bench();
    await start("t", toml("one", "well-behaved", "enabled = false"));
    expect(await mcp.toolsFor("t")).toEqual([]);
  });

  test("a disabled tool is left out", async () => {
    const { start, mcp } = bench();
    await start("t", toml("one", "well-behaved", 'enabled_tools = ["echo"]\ndisabled_tools = ["echo"]'));
    expect((await mcp.toolsFor("t")).filter(({ namespace }) => namespace !== undefined)).toEqual([]);
  });
});

describe("a start", () => {
  test("is told as starting and ready", async () => {
    const { start, mcp, events } = bench();
    await start("t", toml());
    await mcp.toolsFor("t");
    expect(events).toEqual([startup("one", "starting"), startup("one", "ready")]);
  });

  test("of a program that does not exist fails with the system's words", async () => {
    const { start, mcp, events } = bench();
    await start("t", '[mcp_servers.one]\ncommand = "/nowhere/at-all"');
    expect((await mcp.toolsFor("t")).length).toBe(3);
    expect(events.at(-1)).toEqual(
      startup(
        "one",
        "failed",
        "MCP client for `one` failed to start: MCP startup failed: No such file or directory (os error 2)",
      ),
    );
  });

  test("of a program that ends at once fails", async () => {
    const { start, mcp, events } = bench();
    await start("t", toml("one", "quits"));
    await mcp.toolsFor("t");
    expect(events.at(-1)).toEqual(
      startup(
        "one",
        "failed",
        "MCP client for `one` failed to start: MCP startup failed: handshaking with MCP server failed: connection closed: initialize response",
      ),
    );
  });

  test("of a program that never answers fails when its time is over", async () => {
    const { start, mcp, events } = bench();
    await start("t", toml("one", "silent", "startup_timeout_sec = 0.3"));
    await mcp.toolsFor("t");
    expect(events.at(-1)).toEqual(
      startup(
        "one",
        "failed",
        "MCP client for `one` timed out after 0 seconds. Add or adjust `startup_timeout_sec` in your config.toml:\n[mcp_servers.one]\nstartup_timeout_sec = XX",
      ),
    );
  });

  test("of a required server that fails keeps the thread from starting", async () => {
    const { start } = bench();
    await expect(start("t", toml("one", "quits", "required = true"))).rejects.toThrow(
      "required MCP servers failed to initialize: one: handshaking with MCP server failed: connection closed: initialize response",
    );
  });

  test("is not disturbed by other words on stdout, and those on stderr are logged", async () => {
    const { start, call, seen, logged } = bench();
    await start("t", toml("one", "noisy"));
    expect(outputOf(await call("t", "echo", { a: 1 }))).toEqual([
      heading,
      { type: "input_text", text: '{"name":"echo","args":{"a":1}}' },
    ]);
    await seen((line) => String(line).includes("a word on stderr"));
    expect(logged.filter((line) => line.includes("an MCP server wrote")).sort()).toEqual([
      'info an MCP server wrote {"server":"one","stream":"stderr","line":"a word on stderr"}',
      'info an MCP server wrote {"server":"one","stream":"stdout","line":"42"}',
      'info an MCP server wrote {"server":"one","stream":"stdout","line":"this is not JSON"}',
    ]);
  });

  test("that failed is tried again when the configuration is read again", async () => {
    const { start, mcp, events } = bench();
    await start("t", toml("one", "quits"));
    await mcp.toolsFor("t");
    mcp.update("t", readThread(toml()));
    await mcp.toolsFor("t");
    expect(events.map((event) => (event as unknown[])[2])).toEqual([
      "starting",
      "failed",
      "starting",
      "ready",
    ]);
  });
});

describe("a call", () => {
  test("is an item with the server's result", async () => {
    const { call, events } = shared();
    const result = await call("t", "structured");
    expect(outputOf(result)).toBe('Wall time: T seconds\nOutput:\n{"answer":42}');
    expect(result.success).toBe(true);
    expect(events).toEqual([
      ["begin", started("structured")],
      [
        "complete",
        completed("structured", {
          result: {
            content: [{ type: "text", text: "unread" }],
            structuredContent: { answer: 42 },
            _meta: { trace: "t" },
          },
        }),
      ],
    ]);
  });

  test("shows an image to the model", async () => {
    const { call } = shared();
    expect(outputOf(await call("t", "image"))).toEqual([
      heading,
      { type: "input_image", image_url: "data:image/png;base64,aGk=", detail: "high" },
    ]);
  });

  test("that failed in the tool is a failed item with a result", async () => {
    const { call, events } = shared();
    expect((await call("t", "fail")).success).toBe(false);
    const result = { content: [{ type: "text", text: "it failed" }], structuredContent: null, _meta: null };
    expect(events.at(-1)).toEqual(["complete", completed("fail", { status: "failed", result })]);
  });

  test("that the server refused is a failed item with the server's error", async () => {
    const { call, events } = shared();
    const message = failure("refuse", 'Mcp error: -32050: not today({"until":"tomorrow"})');
    expect(outputOf(await call("t", "refuse"))).toEqual([heading, { type: "input_text", text: message }]);
    expect(events.at(-1)).toEqual([
      "complete",
      completed("refuse", { status: "failed", error: { message } }),
    ]);
  });

  test("with input that is no JSON is told to the model and shown to nobody", async () => {
    const { call, events } = shared();
    const [, text] = outputOf(await call("t", "echo", "{bad")) as { text: string }[];
    expect(text?.text).toMatch(/^err: /);
    expect(events).toEqual([]);
  });

  test("passes on what the server says about its progress", async () => {
    const { call, events } = shared();
    await call("t", "progress");
    expect(events[1]).toEqual(["progress", "call-1", "half done"]);
  });

  test("that takes too long ends, and the server hears of it", async () => {
    const { start, call } = bench();
    await start("t", toml("one", "well-behaved", "tool_timeout_sec = 0.2"));
    expect(outputOf(await call("t", "hang"))).toEqual([
      heading,
      { type: "input_text", text: failure("hang", "timed out awaiting tools/call after 200ms") },
    ]);
    expect(outputOf(await call("t", "cancelled"))).toEqual([
      heading,
      { type: "input_text", text: '["timed out"]' },
    ]);
  });

  test("is cancelled with its turn, and its item stays open", async () => {
    const { call, events, seen } = shared();
    const turn = new AbortController();
    const running = call("t", "hang", {}, { signal: turn.signal });
    await seen((event) => Array.isArray(event) && event[0] === "progress");
    turn.abort();
    await running;
    expect(events).toEqual([
      ["begin", started("hang")],
      ["progress", "call-1", "hanging"],
    ]);
    expect(outputOf(await call("t", "cancelled"))).toEqual([
      heading,
      { type: "input_text", text: '["the turn has ended"]' },
    ]);
  });

  test("survives the death of the server, which the next call starts again", async () => {
    const { start, call, events, mcp } = bench();
    await start("t", toml());
    expect(outputOf(await call("t", "crash"))).toEqual([
      heading,
      { type: "input_text", text: failure("crash", "Transport closed") },
    ]);
    expect(mcp.find("t")?.find("one")?.connection?.state).toEqual({ kind: "died" });
    expect((await call("t", "pid")).success).toBe(true);
    const reports = events
      .filter((event) => (event as unknown[])[0] === "t")
      .map((event) => (event as unknown[])[2]);
    expect(reports).toEqual(["starting", "ready", "starting", "ready"]);
  });

  test("with a result beyond all bounds ends the connection and not the server", async () => {
    const { start, call } = bench();
    await start("t", toml());
    expect(outputOf(await call("t", "huge"))).toEqual([
      heading,
      { type: "input_text", text: failure("huge", "Transport closed") },
    ]);
    expect((await call("t", "echo")).success).toBe(true);
  });

  test("with a large result is cut for the model and for the clients", async () => {
    const { call, events } = shared();
    const { output } = await call("t", "big");
    expect(JSON.stringify(output).length).toBeLessThan(13_000);
    expect(JSON.stringify(events.at(-1)).length).toBeLessThan(1_100_000);
  });
});

describe("permission for a call", () => {
  const message = (text: string) => [heading, { type: "input_text", text }];

  test("is asked for with what the configuration says of the tool", async () => {
    const { start, call } = bench();
    const approve = '[mcp_servers.one.tools.danger]\napproval_mode = "approve"';
    await start("t", toml("one", "well-behaved", approve));
    const asked: PermissionSubject[] = [];
    await call("t", "danger", { path: "/x" }, { asked });
    await call("t", "echo", {}, { asked });
    const subject = { kind: "mcpToolCall", itemId: "call-1", server: "one" };
    expect(asked).toMatchObject([
      { ...subject, tool: { name: "danger" }, mode: "approve", args: { path: "/x" } },
      { ...subject, tool: { name: "echo" }, mode: "auto", args: {} },
    ]);
  });

  test.each([
    [
      "declined",
      { kind: "declined", reason: "user rejected MCP tool call", cause: "answer" },
      "user rejected MCP tool call",
    ],
    ["cancelled", { kind: "cancelled" }, "user cancelled MCP tool call"],
  ] as const)("that is %s ends the call", async (_, permission, text) => {
    const { call, events } = shared();
    expect(outputOf(await call("t", "danger", {}, { permission }))).toEqual(message(text));
    expect(events.at(-1)).toMatchObject(["complete", { status: "failed", error: { message: text } }]);
  });
});

describe("a question of a server", () => {
  const answered = (result: object) => ({ kind: "answered", result }) as never;
  const question = {
    threadId: "t",
    turnId: "turn-1",
    serverName: "one",
    mode: "form",
    _meta: null,
    message: "Really?",
    requestedSchema: { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] },
  };

  test.each([
    [
      "accepts",
      answered({ action: "accept", content: { sure: true }, _meta: null }),
      '{"action":"accept","content":{"sure":true}}',
    ],
    ["declines", answered({ action: "decline", content: null, _meta: null }), '{"action":"decline"}'],
    ["cancels", answered({ action: "cancel", content: null, _meta: null }), '{"action":"cancel"}'],
    ["is not there", { kind: "unanswered", reason: "nobody" } as const, '{"action":"decline"}'],
    ["has ended the turn", { kind: "abandoned" } as const, '{"action":"cancel"}'],
  ])("reaches the user who %s", async (_, answer, text) => {
    const { call, events } = shared();
    expect(outputOf(await call("t", "ask", {}, { answer }))).toEqual([heading, { type: "input_text", text }]);
    expect(events[1]).toEqual(["ask", "mcpServer/elicitation/request", question]);
  });

  test("may be a page to open, which leaves nothing to fill in", async () => {
    const { call, events } = shared();
    const answer = answered({ action: "accept", content: null, _meta: null });
    expect(outputOf(await call("t", "ask_url", {}, { answer }))).toEqual([
      heading,
      { type: "input_text", text: '{"action":"accept","content":{}}' },
    ]);
    const { requestedSchema: _, ...rest } = question;
    expect(events[1]).toEqual([
      "ask",
      "mcpServer/elicitation/request",
      { ...rest, mode: "url", message: "Sign in", url: "https://example.test/", elicitationId: "e-1" },
    ]);
  });

  test("is declined where nobody may be asked", async () => {
    const { call } = shared();
    expect(outputOf(await call("never", "ask"))).toEqual([
      heading,
      { type: "input_text", text: '{"action":"decline"}' },
    ]);
  });

  test("may be a form of the client's own, where the client has said that it shows such", async () => {
    const { start, call, events, clear } = bench();
    await start("t", toml(), {}, { "openai/form": {} });
    await start("u", toml());
    const answer = answered({ action: "accept", content: { a: "x" }, _meta: null });
    await call("t", "echo");
    clear();
    expect(outputOf(await call("t", "ask_own_form", {}, { answer }))).toEqual([
      heading,
      { type: "input_text", text: '{"action":"accept","content":{"a":"x"}}' },
    ]);
    expect(events[1]).toEqual([
      "ask",
      "mcpServer/elicitation/request",
      {
        ...question,
        mode: "openai/form",
        message: "Which?",
        requestedSchema: { type: "object", properties: { a: { type: "own/picker" } } },
      },
    ]);
    expect((await call("u", "ask_own_form", {}, { answer })).success).toBe(false);
  });

  test("is declined while calls of two threads run, because it could be for either", async () => {
    const { start, call, seen, events } = bench();
    await start("t", toml());
    await start("u", toml());
    const turn = new AbortController();
    const other = call("u", "hang", {}, { signal: turn.signal });
    await seen((event) => Array.isArray(event) && event[0] === "progress");
    expect(outputOf(await call("t", "ask"))).toEqual([
      heading,
      { type: "input_text", text: '{"action":"decline"}' },
    ]);
    expect(events.some((event) => (event as unknown[])[0] === "ask")).toBe(false);
    turn.abort();
    await other;
  });
});

describe("a connection", () => {
  test("tells the server what the thread's client can do, and is shared only by threads of such clients", async () => {
    const { start, call } = bench();
    const ui = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] } };
    await start("t", toml(), {}, ui);
    await start("u", toml());
    const elicitation = { form: {}, url: {} };
    const capabilitiesOf = async (thread: string) => {
      const [, item] = (await call(thread, "capabilities")).output as { text: string }[];
      return JSON.parse(item?.text ?? "") as unknown;
    };
    expect(await capabilitiesOf("t")).toEqual({ elicitation, extensions: ui });
    expect(await capabilitiesOf("u")).toEqual({ elicitation });
  });

  const pidOf = async ({ call }: McpBench, thread: string) => {
    const [, item] = (await call(thread, "pid")).output as { text: string }[];
    return Number(item?.text);
  };

  test("is shared by threads with the same configuration, and both hear of its start", async () => {
    const opened = bench();
    await opened.start("t", toml());
    await opened.start("u", toml("one", "well-behaved", "tool_timeout_sec = 5"));
    expect(await pidOf(opened, "u")).toBe(await pidOf(opened, "t"));
    const reports = opened.events.filter((event) => ["t", "u"].includes(String((event as unknown[])[0])));
    expect(reports.map((event) => `${(event as string[])[0]} ${(event as string[])[2]}`).sort()).toEqual([
      "t ready",
      "t starting",
      "u ready",
      "u starting",
    ]);
  });

  test("ends with the last thread that uses it", async () => {
    const opened = bench();
    await opened.start("t", toml());
    await opened.start("u", toml());
    const pid = await pidOf(opened, "t");
    opened.mcp.forget("t");
    expect(await pidOf(opened, "u")).toBe(pid);
    opened.mcp.forget("u");
    await whenGone(pid);
  });

  test("leaves no process behind when it is closed, also none that ignores its signal", async () => {
    const opened = bench();
    await opened.start("t", toml("one", "stubborn"));
    const pid = await pidOf(opened, "t");
    await opened.seen((line) => /child \d+/.test(String(line)));
    const child = Number(/child (\d+)/.exec(opened.logged.join("\n"))?.[1]);
    await opened.close();
    await Promise.all([whenGone(pid), whenGone(child)]);
  });

  test("that is closed while it starts ends at once", async () => {
    const opened = bench();
    await opened.start("t", toml("one", "silent"));
    await opened.close();
    expect(opened.events).toEqual([startup("one", "starting")]);
  });
});

describe("a server over HTTP", () => {
  test("gets the configured headers and serves tools and questions", async () => {
    const http = await openHttpFixture();
    onTestFinished(() => http.close());
    const { start, call, close } = bench({ env: { TOKEN: "secret", TRACE: "on" } });
    const config = `[mcp_servers.one]\nurl = "${http.url}"\nbearer_token_env_var = "TOKEN"\nhttp_headers = { "X-One" = "1" }\nenv_http_headers = { "X-Trace" = "TRACE" }`;
    await start("t", config);
    const answer = { kind: "answered", result: { action: "decline", content: null, _meta: null } } as const;
    expect(outputOf(await call("t", "ask", {}, { answer }))).toEqual([
      heading,
      { type: "input_text", text: '{"action":"decline"}' },
    ]);
    const { authorization, "x-one": one, "x-trace": trace, "user-agent": agent } = http.seen.at(-1) ?? {};
    expect({ authorization, one, trace, agent }).toEqual({
      authorization: "Bearer secret",
      one: "1",
      trace: "on",
      agent: "heddle-test",
    });
    await close();
  });

  test("is not asked without the token that it is configured for", async () => {
    const { start, mcp, events } = bench();
    await start("t", '[mcp_servers.one]\nurl = "http://127.0.0.1:1/"\nbearer_token_env_var = "TOKEN"');
    await mcp.toolsFor("t");
    expect(events.at(-1)).toEqual(
      startup(
        "one",
        "failed",
        "MCP client for `one` failed to start: MCP startup failed: Environment variable TOKEN for MCP server 'one' is not set",
      ),
    );
  });
});

async function whenGone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await pause(10);
  }
}
