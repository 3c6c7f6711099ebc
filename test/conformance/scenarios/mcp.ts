/** MCP servers as clients see them: what they offer, their resources and their tools, without a turn. */
import { MCP_PROGRAM } from "../mcp-program.ts";
import type { Scenario } from "../scenario.ts";
import { call, initialize, notification, refused, STDIO, settle } from "../steps.ts";
import { THREAD, withThread } from "../turn-steps.ts";

const MEMO = `[mcp_servers.memo]
command = "node"
args = ["{{home}}/memo.mjs"]
`;
const OTHERS = `[mcp_servers.broken]
command = "/nowhere/at-all"
[mcp_servers.off]
command = "node"
enabled = false
[mcp_servers.web]
url = "http://127.0.0.1:1/mcp"
bearer_token_env_var = "NO_SUCH_TOKEN"
`;
const files = { "home/memo.mjs": MCP_PROGRAM };
const UNKNOWN_THREAD = "01a1de85-fee5-7681-9d26-c0647ab884d3";

const status = (as: string, params: unknown, data: unknown) =>
  call("mcpServerStatus/list", params, { as, expect: { result: { data } } });
const ready = notification("mcpServer/startupStatus/updated", { name: "memo", status: "ready" });
/** A start is told when it happens, which may be before or after the thread's own notification. */
const freeOrder = [["thread/started", "mcpServer/startupStatus/updated"]];
const tools = { detail: "toolsAndAuthOnly" };
const read = (as: string, params: unknown) => call("mcpServer/resource/read", params, { as });

export const mcpScenarios: readonly Scenario[] = [
  {
    name: "mcp/status",
    about: "Servers are listed by name with what they offer, those that cannot be started with the reason.",
    transports: STDIO,
    config: { tables: `${MEMO}enabled_tools = ["echo", "danger.one"]\n${OTHERS}` },
    files,
    steps: [
      initialize(),
      status("all", {}, [
        { name: "broken", toolsError: "MCP startup failed: No such file or directory (os error 2)" },
        { name: "memo", resources: [{ uri: "memo://a" }], authStatus: "unsupported" },
        { name: "off", toolsError: null },
        { name: "web", authStatus: "bearerToken" },
      ]),
      status("without resources", { detail: "toolsAndAuthOnly", serverName: "memo" }, [{ resources: [] }]),
      status("of nobody", { serverName: "nobody" }, []),
    ],
  },
  {
    name: "mcp/status-pages",
    about: "Pages follow one another by cursor, and a cursor of nobody's making is refused.",
    transports: STDIO,
    config: { tables: OTHERS },
    steps: [
      initialize(),
      status("first", { limit: 1 }, [{ name: "broken" }]),
      status("second", { limit: 1, cursor: "{{first.result.nextCursor}}" }, [{ name: "off" }]),
      status("none wanted", { limit: 0 }, [{ name: "broken" }]),
      refused("mcpServerStatus/list", { cursor: "x" }, "invalid cursor: x", "bad cursor"),
      refused(
        "mcpServerStatus/list",
        { cursor: "9" },
        "cursor 9 exceeds total MCP servers 3",
        "beyond the end",
      ),
      refused(
        "mcpServerStatus/list",
        { threadId: UNKNOWN_THREAD },
        `thread not found: ${UNKNOWN_THREAD}`,
        "thread",
      ),
    ],
  },
  {
    name: "mcp/status-of-thread",
    about:
      "A thread's list shows the servers of its project as they are configured now, and how those are that it has.",
    transports: STDIO,
    config: { tables: `${MEMO}[projects."{{workspace}}"]\ntrust_level = "trusted"\n` },
    files: { ...files, "workspace/.git/HEAD": "ref: refs/heads/main\n" },
    freeOrder,
    steps: [
      ...withThread({ cwd: "{{workspace}}" }),
      ready,
      status("had", { ...tools, threadId: THREAD }, [{ name: "memo", runtimeStatus: "connected" }]),
      {
        do: "write",
        path: "workspace/.codex/config.toml",
        text: `${MEMO.replaceAll("memo]", "late]")}[mcp_servers.memo]\ntool_timeout_sec = 7\n`,
      },
      status("without a thread", tools, [{ name: "memo", runtimeStatus: null }]),
      status("changed", { ...tools, threadId: THREAD }, [
        { name: "late", runtimeStatus: null },
        { name: "memo", runtimeStatus: null },
      ]),
    ],
  },
  {
    name: "mcp/status-of-the-dead",
    about: "That a thread's server has died is told, with what the server offers when it is started again.",
    transports: STDIO,
    config: { tables: MEMO },
    files,
    freeOrder,
    // Looking at the server brings it back here, of which clients hear.
    races: ["mcpServer/startupStatus/updated"],
    steps: [
      ...withThread(),
      ready,
      call("mcpServer/tool/call", { threadId: THREAD, server: "memo", tool: "die" }, { as: "die" }),
      settle(500),
      status("dead", { ...tools, threadId: THREAD }, [{ name: "memo", runtimeStatus: "failed" }]),
    ],
  },
  {
    name: "mcp/resources",
    about: "A resource is read without a thread; what the server refuses is refused in its own words.",
    transports: STDIO,
    config: { tables: MEMO },
    files,
    steps: [
      initialize(),
      read("read", { server: "memo", uri: "memo://a" }),
      read("missing", { server: "memo", uri: "memo://zz" }),
      read("unknown server", { server: "nobody", uri: "memo://a" }),
      read("unknown thread", { threadId: UNKNOWN_THREAD, server: "memo", uri: "memo://a" }),
    ],
  },
  {
    name: "mcp/login",
    about: "Only servers that are reached over HTTP can be logged in to.",
    transports: STDIO,
    config: { tables: MEMO },
    files,
    steps: [
      initialize(),
      refused(
        "mcpServer/oauth/login",
        { name: "memo" },
        "OAuth login is only supported for streamable HTTP servers.",
        "stdio",
      ),
      refused("mcpServer/oauth/login", { name: "nobody" }, "No MCP server named 'nobody' found.", "unknown"),
      call("config/mcpServer/reload", undefined, { as: "reload", expect: { result: {} } }),
    ],
  },
];
