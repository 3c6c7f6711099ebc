/** Logins to MCP servers over OAuth, with a server of our own that wants one and plays the browser. */
import { OAUTH_PROGRAM } from "../oauth-program.ts";
import type { Scenario, Step } from "../scenario.ts";
import { call, notification, STDIO } from "../steps.ts";
import { THREAD, withThread } from "../turn-steps.ts";

const HELPER = `[mcp_servers.helper]
command = "node"
args = ["{{home}}/oauth.mjs"]
`;
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
const prepared: readonly Step[] = [
  ...withThread(),
  notification("mcpServer/startupStatus/updated", { name: "helper", status: "ready" }),
  ask("listen"),
  call(
    "config/value/write",
    {
      keyPath: "mcp_servers.web",
      value: { url: "{{listen.result.structuredContent.url}}" },
      mergeStrategy: "replace",
    },
    { as: "configure" },
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
      call("thread/start", {}, { as: "second", settles: true }),
      call(
        "mcpServer/tool/call",
        { threadId: "{{second.result.thread.id}}", server: "web", tool: "greet" },
        { as: "greet", expect: { result: { content: [{ text: "Hello" }] } } },
      ),
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
