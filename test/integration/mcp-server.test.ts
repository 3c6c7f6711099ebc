import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client, type ClientCapabilities } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { Child } from "../support/child.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

interface Answer {
  readonly isError: boolean;
  readonly threadId: string;
  readonly content: string;
}

/** The official client with the real program; without a provider, the built-in demo model answers. */
async function connect(capabilities: ClientCapabilities = {}, config = "") {
  const home = await createTempHome({ config });
  onTestFinished(() => home.remove());
  const transport = new StdioClientTransport({
    command: HEDDLE.command,
    args: [...HEDDLE.args, "mcp-server"],
    cwd: home.workspace,
    env: serverEnvironment(home),
    stderr: "inherit",
  });
  const client = new Client({ name: "tester", version: "1" }, { capabilities });
  const events: string[] = [];
  client.fallbackNotificationHandler = ({ method }) => {
    events.push(method);
    return Promise.resolve();
  };
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, given: Record<string, unknown>, options = {}): Promise<Answer> => {
    const result = await client.callTool({ name, arguments: given }, options);
    return { isError: result.isError ?? false, ...(result.structuredContent as Omit<Answer, "isError">) };
  };
  return { client, call, events, file: (name: string) => join(home.workspace, name) };
}

const anything = {
  "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) },
};

describe("the tools", () => {
  test("are listed by name", async () => {
    const { client } = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name, inputSchema }) => [name, inputSchema.required])).toEqual([
      ["codex", ["prompt"]],
      ["codex-reply", ["prompt"]],
    ]);
    expect(client.getServerVersion()).toMatchObject({ name: "heddle" });
  });

  test("begin a conversation and go on with it, told by events", async () => {
    const { call, events } = await connect();
    const first = await call("codex", { prompt: "hello" });
    expect(first).toEqual({
      isError: false,
      threadId: expect.stringMatching(/^[0-9a-f-]{36}$/u),
      content: expect.stringContaining('You said: "hello"'),
    });
    expect([events[0], events.at(-1)]).toEqual([
      "codex/event/session_configured",
      "codex/event/task_complete",
    ]);
    expect(events).toContain("codex/event/agent_message_delta");
    const next = await call("codex-reply", { threadId: first.threadId, prompt: "again" });
    expect(next).toEqual({ ...first, content: expect.stringContaining('You said: "again"') });
  });

  test("say what went wrong in a turn", async () => {
    const { call } = await connect();
    expect(await call("codex", { prompt: "fail" })).toMatchObject({
      isError: true,
      threadId: expect.stringMatching(/./u),
    });
  });

  test("report progress to a caller that wants it", async () => {
    const { call } = await connect();
    const received: { readonly progress: number; readonly message: string }[] = [];
    const onprogress = (progress: (typeof received)[number]) => received.push(progress);
    await call("codex", { prompt: "hello" }, { onprogress });
    expect(received[0]).toEqual({ progress: 1, message: "session configured" });
    expect(received.map(({ progress }) => progress)).toEqual(received.map((_, at) => at + 1));
  });

  test("are interrupted by a caller that takes its call back", async () => {
    const { call, events } = await connect();
    const cancel = new AbortController();
    const result = call("codex", { prompt: "slow" }, { signal: cancel.signal });
    await expect.poll(() => events, { timeout: 10_000 }).toContain("codex/event/agent_message_delta");
    cancel.abort();
    await expect(result).rejects.toThrow(/abort/iu);
    await expect.poll(() => events, { timeout: 10_000 }).toContain("codex/event/turn_aborted");
  });
});

describe("an approval", () => {
  const settings = {
    prompt: "run touch made.txt",
    "approval-policy": "untrusted",
    sandbox: "danger-full-access",
  };

  test.each([
    ["accept", true],
    ["decline", false],
  ] as const)("that is elicited and met with %s decides whether the command runs", async (action, made) => {
    const { client, call, file } = await connect({ elicitation: {} });
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action };
    });
    await call("codex", settings);
    expect(asked).toEqual([expect.stringContaining("touch made.txt")]);
    expect(existsSync(file("made.txt"))).toBe(made);
  });

  test.each([
    ["approved", true],
    ["denied", false],
    ["abort", false],
  ] as const)(
    "that is answered with %s decides so in the first generation's words",
    async (decision, made) => {
      const { client, call, file } = await connect({ experimental: { legacyApprovals: {} } });
      const asked: unknown[] = [];
      client.setRequestHandler("execCommandApproval", { params: anything }, (params) => {
        asked.push(params);
        return { decision };
      });
      await call("codex", settings);
      expect(asked).toEqual([
        expect.objectContaining({
          command: expect.arrayContaining(["touch made.txt"]),
          callId: expect.any(String),
        }),
      ]);
      expect(existsSync(file("made.txt"))).toBe(made);
    },
  );

  test("of a client that cannot be asked is denied", async () => {
    const { call, file } = await connect();
    expect(await call("codex", settings)).toMatchObject({ isError: false });
    expect(existsSync(file("made.txt"))).toBe(false);
  });

  test("is taken back when its call is", async () => {
    const { client, call, events } = await connect({ elicitation: {} });
    const cancel = new AbortController();
    let withdrawn = false;
    client.setRequestHandler("elicitation/create", (_request, { mcpReq: { signal } }) => {
      cancel.abort();
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          withdrawn = true;
          resolve({ action: "cancel" });
        });
      });
    });
    await expect(call("codex", settings, { signal: cancel.signal })).rejects.toThrow(/abort/iu);
    await expect.poll(() => withdrawn, { timeout: 10_000 }).toBe(true);
    await expect.poll(() => events, { timeout: 10_000 }).toContain("codex/event/turn_aborted");
  });
});

describe("the program", () => {
  test("answers both protocols on one connection and ends with its input", async () => {
    const home = await createTempHome();
    onTestFinished(() => home.remove());
    const child = new Child({
      command: HEDDLE.command,
      args: [...HEDDLE.args, "mcp-server"],
      cwd: home.workspace,
      env: serverEnvironment(home),
    });
    const initialize = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    for (const message of [
      { jsonrpc: "2.0", id: 0, method: "initialize", params: initialize },
      { jsonrpc: "2.0", id: 1, method: "thread/start", params: {} },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "codex", arguments: { prompt: "hi" } } },
    ]) {
      child.write(`${JSON.stringify(message)}\n`);
    }
    child.endInput();
    const { code } = await child.exit;
    const messages = child.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { jsonrpc?: string; id?: unknown; result?: object });
    const results = messages.filter(({ result }) => result !== undefined);
    expect({ code, ids: new Set(results.map(({ id }) => id)), stderr: child.stderr }).toEqual({
      code: 0,
      ids: new Set([0, 1, 2]),
      stderr: "",
    });
    expect(messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
  });
});
