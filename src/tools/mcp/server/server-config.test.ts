import { expect, test } from "vitest";
import { readThread } from "../fixtures/mcp-bench.ts";
import { allowsTool, connectionKey, environmentFor, type McpServerConfig } from "./server-config.ts";

function read(body: string): McpServerConfig {
  const [server] = readThread(`[mcp_servers.s]\n${body}`).servers;
  if (server === undefined) throw new Error("no server");
  return server;
}

test("a server with nothing but its command has every default", () => {
  expect(read('command = "prog"')).toEqual({
    name: "s",
    enabled: true,
    required: false,
    transport: {
      kind: "stdio",
      command: "prog",
      args: [],
      env: {},
      envVars: [],
      cwd: process.cwd(),
      workspacePrograms: "refuse",
    },
    unsupported: null,
    startupTimeoutMs: 30_000,
    toolTimeoutMs: 300_000,
    enabledTools: null,
    disabledTools: [],
    parallel: false,
    defaultApproval: "auto",
    tools: new Map(),
    maxSchemaBytes: 5_000,
  });
});

test("servers that differ only in what a thread makes of them share a connection", () => {
  const plain = read('command = "prog"');
  expect(connectionKey(read('command = "prog"\nenabled_tools = ["a"]\ntool_timeout_sec = 1'))).toBe(
    connectionKey(plain),
  );
  expect(connectionKey(read('command = "prog"\nargs = ["x"]'))).not.toBe(connectionKey(plain));
});

test("a server sees only what it is meant to see of our environment", () => {
  const { transport } = read(
    'command = "prog"\nenv = { OWN = "1" }\nenv_vars = ["PASSED", { name = "TOO" }]',
  );
  if (transport.kind !== "stdio") throw new Error("not a program");
  const own = { PATH: "/bin", PASSED: "p", TOO: "t", SECRET_KEY: "s" };
  expect(environmentFor(transport, own)).toEqual({ PATH: "/bin", PASSED: "p", TOO: "t", OWN: "1" });
});

test.each([
  ['environment_id = "far"', "environment `far` is not supported by heddle"],
  [
    'env_vars = [{ name = "A", source = "remote" }]',
    "env_vars entry `A` uses source `remote`, which requires remote MCP stdio",
  ],
])("a server with %s is not run in another way than it asks for", (more, reason) => {
  expect(read(`command = "prog"\n${more}`).unsupported).toBe(reason);
});

test("a tool must be enabled, where tools are, and not disabled", () => {
  const server = read('command = "prog"\nenabled_tools = ["a", "b"]\ndisabled_tools = ["b"]');
  expect(["a", "b", "c"].map((tool) => allowsTool(server, tool))).toEqual([true, false, false]);
});
