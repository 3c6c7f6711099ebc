/** Logins to MCP servers over OAuth, with a server of our own that wants one and plays the browser. */
import { OAUTH_PROGRAM } from "../oauth-program.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, notification, STDIO } from "../steps.ts";
import { THREAD, withThread } from "../turn-steps.ts";

const HELPER = `[mcp_servers.helper]
command = "node"
args = ["{{home}}/oauth.mjs"]
`;
const PRINT_HEADERS = `printf '{"X-Gateway":"open"}'`;
const AUTHORIZATION_URL = "{{login.result.authorizationUrl}}";

const ask = (tool: string, args: unknown = {}, as = tool) =>
  call("mcpServer/tool/call", { threadId: THREAD, server: "helper", tool, arguments: args }, { as });
const status = (as: string, authStatus: string) =>
  call(
    "mcpServerStatus/list",
    { serverName: "web", detail: "toolsAndAuthOnly" },
    { as, expect: { result: { data: [{ name: "web", authStatus }] } } },
  );
const login = (params: Readonly<Record<string, unknown>> = {}) =>
  call("mcpServer/oauth/login", { name: "web", ...params }, { as: "login" });
const ended = (params: Readonly<Record<string, unknown>>) =>
  notification("mcpServer/oauthLogin/completed", { name: "web", threadId: null, ...params });

/** A thread with the helper, and the server over HTTP in the configuration, which is known once it listens. */
const preparedWith = (listening: unknown, more: Readonly<Record<string, unknown>>): readonly Step[] => [
  ...withThread(),
  notification("mcpServer/startupStatus/updated", { name: "helper", status: "ready" }),
  ask("listen", listening),
  call(
    "config/value/write",
    {
      keyPath: "mcp_servers.web",
      value: { url: "{{listen.result.structuredContent.url}}", ...more },
      mergeStrategy: "replace",
    },
    { as: "configure" },
  ),
];
const prepared = preparedWith({}, {});
/** A thread that starts after a login can call the server. */
const greeted: readonly Step[] = [
  call("thread/start", {}, { as: "second", settles: true }),
  call(
    "mcpServer/tool/call",
    { threadId: "{{second.result.thread.id}}", server: "web", tool: "greet" },
    { as: "greet", expect: { result: { content: [{ text: "Hello" }] } } },
  ),
];

const base = {
  transports: STDIO,
  config: { root: 'mcp_oauth_credentials_store = "file"\n', tables: HELPER },
  files: { "home/oauth.mjs": OAUTH_PROGRAM },
  // Whether the clients or the browser hear first how a login ended is a matter of chance.
  freeOrder: [
    ["mcpServer/oauthLogin/completed", "response browse", "response comeBack", "response of another"],
  ],
  races: ["mcpServer/startupStatus/updated"],
  volatile: [
    { message: "response login", pointer: "/result/authorizationUrl" },
    { message: "response configure", pointer: "/result/version" },
  ],
} satisfies Partial<Scenario>;

export const mcpOauthScenarios: readonly Scenario[] = [
  {
    ...base,
    name: "mcp-oauth/login",
    about:
      "A user who agrees in the browser is logged in, and a thread that starts then can call the server.",
    steps: [
      ...prepared,
      status("before", "notLoggedIn"),
      login(),
      ask("browse", { url: AUTHORIZATION_URL }),
      ended({ success: true }),
      status("after", "oAuth"),
      ...greeted,
      ask("revoke", { all: false }),
      call(
        "mcpServer/tool/call",
        { threadId: "{{second.result.thread.id}}", server: "web", tool: "greet" },
        { as: "renewed", expect: { result: { content: [{ text: "Hello" }] } } },
      ),
      ask("revoke", { all: true }, "revoke all"),
      call(
        "mcpServer/tool/call",
        { threadId: "{{second.result.thread.id}}", server: "web", tool: "greet" },
        { as: "worthless", expect: { result: { isError: true } } },
      ),
      status("at last", "notLoggedIn"),
    ],
  },
  {
    ...base,
    name: "mcp-oauth/own-path",
    about: "A server may say for its own path alone how to log in to it, and need not say who it is.",
    steps: [
      ...preparedWith({ place: "path" }, {}),
      login(),
      ask("browse", { url: AUTHORIZATION_URL }),
      ended({ success: true }),
      ...greeted,
    ],
  },
  {
    ...base,
    name: "mcp-oauth/headers-helper",
    about: "Headers that a program prints go with discovery, token and MCP requests; a look does not run it.",
    steps: [
      ...preparedWith({ place: "gateway" }, { http_headers_helper: PRINT_HEADERS }),
      login(),
      ask("browse", { url: AUTHORIZATION_URL }),
      ended({ success: true }),
      ...greeted,
      call(
        "mcpServer/tool/call",
        { threadId: THREAD, server: "helper", tool: "strangers", arguments: {} },
        { as: "strangers", expect: { result: { content: [{ text: "" }] } } },
      ),
    ],
  },
  {
    ...base,
    name: "mcp-oauth/forbidden",
    about: "A server that the administrator does not allow is not logged in to, and its program is not run.",
    config: {
      tables: `[mcp_servers.web]\nurl = "http://127.0.0.1:1/mcp"\nhttp_headers_helper = "touch {{home}}/ran"\n`,
    },
    files: { "system/requirements.toml": '[mcp_servers.web.identity]\nurl = "https://allowed.test/mcp"\n' },
    steps: [
      initialize(),
      call("mcpServer/oauth/login", { name: "web" }, { as: "refused" }),
      { do: "read", path: "home/ran", as: "exists", expect: false },
    ],
  },
  {
    ...base,
    name: "mcp-oauth/denial",
    about: "A user who declines ends the login, and is shown what the provider says.",
    steps: [
      ...prepared,
      login(),
      ask("comeBack", { url: AUTHORIZATION_URL, query: "error=access_denied&error_description=No%20way" }),
      ended({ success: false, error: "OAuth provider returned `access_denied`: No way" }),
    ],
  },
  {
    ...base,
    name: "mcp-oauth/other-state",
    about: "What is no answer is not taken for one, and the answer to another login ends this one.",
    steps: [
      ...prepared,
      login(),
      ask("comeBack", { url: AUTHORIZATION_URL, query: "foo=1" }, "no answer"),
      ask("comeBack", { url: AUTHORIZATION_URL, query: "code=abc&state=other" }, "of another"),
      ended({ success: false }),
    ],
  },
  {
    ...base,
    name: "mcp-oauth/time-out",
    about: "A user who does not come back in time ends the login.",
    steps: [
      ...prepared,
      login({ timeoutSecs: 1 }),
      ended({ success: false, error: "timed out waiting for OAuth callback" }),
    ],
  },
];
