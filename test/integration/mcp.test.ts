import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createHeddle } from "../../src/index.ts";
import { type BuiltServer, buildServer } from "../../src/tools/mcp/fixtures/build-server.ts";
import { openHttpFixture } from "../../src/tools/mcp/fixtures/http-server.ts";
import { createTempHome } from "../support/temp-home.ts";

let built: BuiltServer;
beforeAll(() => {
  built = buildServer();
});
afterAll(() => built.remove());

function fixture(more = ""): string {
  const args = JSON.stringify([built.file]);
  return `[mcp_servers.one]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n${more}\n`;
}

async function open(config: string, env: Readonly<Record<string, string>> = {}) {
  const folders = await createTempHome({ config: `approval_policy = "never"\n${config}` });
  onTestFinished(() => folders.remove());
  const heddle = await createHeddle({
    home: folders.home,
    cwd: folders.workspace,
    env: { HOME: folders.user, PATH: process.env["PATH"] ?? "", ...env },
  });
  onTestFinished(() => heddle.close());
  return heddle.connect({ capabilities: { experimentalApi: true } });
}

test("servers are listed with what they offer", async () => {
  const client = await open(fixture('enabled_tools = ["echo"]'));
  const { data } = await client.mcpServerStatus.list({});
  expect(data).toEqual([
    {
      name: "one",
      runtimeStatus: null,
      pluginId: null,
      httpOrigin: null,
      serverInfo: {
        name: "fixture",
        title: "Fixture",
        version: "1.0.0",
        description: null,
        icons: null,
        websiteUrl: null,
      },
      serverCapabilities: { tools: {}, resources: {} },
      toolListMeta: null,
      tools: {
        echo: {
          name: "echo",
          description: "Echoes",
          inputSchema: { type: "object", properties: {} },
          annotations: { readOnlyHint: true },
        },
      },
      toolsError: null,
      resources: [{ uri: "memo://one", name: "one", mimeType: "text/plain" }],
      resourceTemplates: [{ uriTemplate: "memo://{id}", name: "any" }],
      authStatus: "unsupported",
    },
  ]);
});

test("a resource is read, also over HTTP with a token", async () => {
  const http = await openHttpFixture();
  onTestFinished(() => http.close());
  const client = await open(`[mcp_servers.web]\nurl = "${http.url}"\nbearer_token_env_var = "TOKEN"\n`, {
    TOKEN: "secret",
  });
  expect(await client.mcpServer.resource.read({ server: "web", uri: "memo://one" })).toEqual({
    contents: [{ uri: "memo://one", text: "first" }],
    originCallId: null,
  });
  expect(http.seen.at(-1)?.authorization).toBe("Bearer secret");
});

test("a client calls a tool for a thread, and hears the server's own refusal", async () => {
  const client = await open(fixture('disabled_tools = ["pid"]'));
  const { thread } = await client.thread.start({});
  const call = (tool: string, args: unknown = {}) =>
    client.mcpServer.tool.call({ threadId: thread.id, server: "one", tool, arguments: args });
  expect(await call("echo", { a: 1 })).toEqual({
    content: [{ type: "text", text: '{"name":"echo","args":{"a":1}}' }],
  });
  await expect(call("refuse")).rejects.toMatchObject({ code: -32_050, message: "not today" });
  await expect(call("pid")).rejects.toMatchObject({
    code: -32_603,
    message: "tool call failed for `one/pid`: tool 'pid' is disabled for MCP server 'one'",
  });
  await expect(call("crash")).rejects.toMatchObject({
    code: -32_603,
    message: "tool call failed for `one/crash`: Transport closed",
  });
});
