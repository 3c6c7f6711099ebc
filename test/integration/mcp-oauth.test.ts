import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createHeddle } from "../../src/index.ts";
import type { ServerNotifications } from "../../src/protocol/index.ts";
import {
  type OAuthFixture,
  type OAuthFixtureOptions,
  openOAuthFixture,
} from "../../src/tools/mcp/fixtures/oauth-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

async function openServer(options: OAuthFixtureOptions = {}): Promise<OAuthFixture> {
  const server = await openOAuthFixture(options);
  onTestFinished(() => server.close());
  return server;
}

async function createHome(config: string): Promise<TempHome> {
  const home = await createTempHome({ config: `approval_policy = "never"\n${config}` });
  onTestFinished(() => home.remove());
  return home;
}

async function openHeddle(folders: TempHome) {
  const heddle = await createHeddle({
    home: folders.home,
    cwd: folders.workspace,
    env: { HOME: folders.user, PATH: process.env["PATH"] ?? "" },
  });
  onTestFinished(() => heddle.close());
  const client = await heddle.connect({ capabilities: { experimentalApi: true } });
  const ended: ServerNotifications["mcpServer/oauthLogin/completed"][] = [];
  const starts: string[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of waiting) check();
  };
  client.on("mcpServer/oauthLogin/completed", (params) => {
    ended.push(params);
    wake();
  });
  client.on("mcpServer/startupStatus/updated", ({ status, error, failureReason }) => {
    starts.push([status, error, failureReason].filter((word) => word !== null).join(" | "));
    wake();
  });
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!isSo()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  const statusOf = async (threadId?: string) => {
    const { data } = await client.mcpServerStatus.list({ ...(threadId && { threadId }) });
    return data.map(({ authStatus, runtimeStatus }) => [authStatus, runtimeStatus]);
  };
  const echo = (threadId: string) =>
    client.mcpServer.tool.call({ threadId, server: "web", tool: "echo", arguments: { a: 1 } });
  return { heddle, client, ended, starts, until, statusOf, echo };
}

async function open(config: string) {
  return openHeddle(await createHome(config));
}

/** Acts as a browser that follows redirects. */
async function browse(url: string | URL): Promise<readonly [number, string]> {
  const response = await fetch(url);
  return [response.status, await response.text()];
}

function returnTo(authorizationUrl: string, query: Record<string, string>): URL {
  const { searchParams } = new URL(authorizationUrl);
  const redirect = new URL(searchParams.get("redirect_uri") ?? "");
  redirect.search = new URLSearchParams(query).toString();
  return redirect;
}

const web = (server: OAuthFixture, more = "") => `[mcp_servers.web]\nurl = "${server.url}"\n${more}`;
const ECHOED = { content: [{ type: "text", text: '{"name":"echo","args":{"a":1}}' }] };
const DONE = [200, "Authentication complete. You may close this window."];
const SIGN_IN = "Use your client's MCP OAuth sign-in flow.";

test("a user logs in, the thread that waits for it connects, and calls succeed", async () => {
  const server = await openServer({ scopes: ["read"] });
  const folders = await createHome(web(server));
  const { client, ended, starts, until, statusOf, echo } = await openHeddle(folders);
  const { thread } = await client.thread.start({});
  await until(() => starts.length === 2);
  expect(await statusOf(thread.id)).toEqual([["notLoggedIn", "authenticationRequired"]]);

  const login = await client.mcpServer.oauth.login({ name: "web", threadId: thread.id });
  expect(await browse(login.authorizationUrl)).toEqual(DONE);
  await until(() => starts.at(-1) === "ready");
  expect(ended).toEqual([{ name: "web", threadId: thread.id, loginId: login.loginId, success: true }]);
  expect(starts).toEqual([
    "starting",
    `failed | The web MCP server is not logged in. ${SIGN_IN}`,
    "starting",
    "ready",
  ]);
  expect(await echo(thread.id)).toEqual(ECHOED);
  expect(await statusOf(thread.id)).toEqual([["oAuth", "connected"]]);
  const file = join(folders.home, ".credentials.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(Object.values(JSON.parse(await readFile(file, "utf8")) as object)).toMatchObject([
    { server_name: "web", server_url: server.url, access_token: "access-1", refresh_token: "refresh-1" },
  ]);
});

test("a server that is started again uses the login that is stored", async () => {
  const server = await openServer();
  const folders = await createHome(web(server));
  const first = await openHeddle(folders);
  const { authorizationUrl } = await first.client.mcpServer.oauth.login({ name: "web" });
  await browse(authorizationUrl);
  await first.heddle.close();

  const second = await openHeddle(folders);
  const { thread } = await second.client.thread.start({});
  expect(await second.echo(thread.id)).toEqual(ECHOED);
  expect(await second.statusOf()).toEqual([["oAuth", null]]);
});

test("a token that the server no longer takes is renewed once for all calls that wait", async () => {
  const server = await openServer();
  const { client, echo } = await open(web(server));
  const { authorizationUrl } = await client.mcpServer.oauth.login({ name: "web" });
  await browse(authorizationUrl);
  const { thread } = await client.thread.start({});
  expect(await echo(thread.id)).toEqual(ECHOED);
  const { thread: other } = await client.thread.start({});

  server.revoke("access");
  const release = server.holdTokens();
  const asked = server.whenRequested("/token");
  const calls = [echo(thread.id), echo(other.id), echo(thread.id)];
  await asked;
  release();
  expect(await Promise.all(calls)).toEqual([ECHOED, ECHOED, ECHOED]);
  expect(server.tokenRequests().map(({ grant_type }) => grant_type)).toEqual([
    "authorization_code",
    "refresh_token",
  ]);
});

test("tokens that expire are renewed before they are sent, and what is stored follows", async () => {
  const server = await openServer({ expiresIn: 10 });
  const folders = await createHome(web(server));
  const { client, echo } = await openHeddle(folders);
  const { authorizationUrl } = await client.mcpServer.oauth.login({ name: "web" });
  await browse(authorizationUrl);
  const { thread } = await client.thread.start({});
  expect(await echo(thread.id)).toEqual(ECHOED);
  const sent = server.seen.flatMap(({ authorization }) => (authorization === null ? [] : [authorization]));
  expect(sent).not.toContain("Bearer access-1");
  const stored = await readFile(join(folders.home, ".credentials.json"), "utf8");
  const last = server.tokenRequests().length;
  expect(Object.values(JSON.parse(stored) as object)).toMatchObject([{ access_token: `access-${last}` }]);
});

test("a login that has lost its worth is told as such, and another one makes it good", async () => {
  const server = await openServer();
  const { client, starts, until, statusOf, echo } = await open(web(server));
  await browse((await client.mcpServer.oauth.login({ name: "web" })).authorizationUrl);
  const { thread } = await client.thread.start({});
  await until(() => starts.at(-1) === "ready");
  server.revoke("all");
  expect(await echo(thread.id)).toEqual({
    content: [{ type: "text", text: "Authentication required" }],
    isError: true,
    _meta: {
      "mcp/www_authenticate": [
        `Bearer resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp"`,
      ],
    },
  });
  expect(starts.at(-1)).toBe(
    `failed | The web MCP server requires OAuth reauthentication. ${SIGN_IN} | reauthenticationRequired`,
  );
  expect(await statusOf(thread.id)).toEqual([["notLoggedIn", "authenticationRequired"]]);

  await browse((await client.mcpServer.oauth.login({ name: "web" })).authorizationUrl);
  await until(() => starts.at(-1) === "ready");
  expect(await echo(thread.id)).toEqual(ECHOED);
});

test("a call that runs while somebody logs in again goes on, and later ones use the new connection", async () => {
  const server = await openServer();
  const { client, starts, until, echo } = await open(web(server));
  await browse((await client.mcpServer.oauth.login({ name: "web" })).authorizationUrl);
  const { thread } = await client.thread.start({});
  await until(() => starts.at(-1) === "ready");
  const asked = server.whenRequested("/mcp");
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  client.mcpServer.tool.call({ threadId: thread.id, server: "web", tool: "hang" }).then(over, over);
  await asked;
  await browse((await client.mcpServer.oauth.login({ name: "web" })).authorizationUrl);
  await until(() => starts.filter((start) => start === "ready").length === 2);
  // Calls of one thread run one after the other.
  const { thread: other } = await client.thread.start({});
  expect(await echo(other.id)).toEqual(ECHOED);
  expect(isOver).toBe(false);
  expect(server.seen.filter(({ body }) => body.includes('"initialize"'))).toMatchObject([
    { authorization: "Bearer access-1" },
    { authorization: "Bearer access-2" },
  ]);
});

test.each([
  [
    { error: "access_denied", error_description: "No way" },
    "OAuth provider returned `access_denied`: No way",
  ],
  [
    { code: "abc", state: "wrong" },
    "failed to handle OAuth callback: it belongs to another login; start the login again",
  ],
])("a login that fails is told once, with the reason (%#)", async (query, error) => {
  const server = await openServer();
  const { client, ended, until, statusOf } = await open(web(server));
  const { authorizationUrl, loginId } = await client.mcpServer.oauth.login({ name: "web" });
  expect(await browse(returnTo(authorizationUrl, query))).toEqual([400, error]);
  await until(() => ended.length > 0);
  await expect(browse(returnTo(authorizationUrl, query))).rejects.toThrow("fetch failed");
  expect(ended).toEqual([{ name: "web", threadId: null, loginId, success: false, error }]);
  expect(await statusOf()).toEqual([["notLoggedIn", null]]);
});

test("a user who does not come back ends the login, at the time that the client has set", async () => {
  const server = await openServer();
  const { client, ended, until } = await open(web(server));
  const { loginId } = await client.mcpServer.oauth.login({ name: "web", timeoutSecs: 1 });
  await until(() => ended.length > 0);
  const error = "timed out waiting for OAuth callback";
  expect(ended).toEqual([{ name: "web", threadId: null, loginId, success: false, error }]);
});

test("a second login ends the first, also where both want one port", async () => {
  const server = await openServer();
  const other = await openServer();
  const port = new URL(other.origin).port;
  await other.close();
  const { client, ended, until } = await open(web(server, `oauth = { callback_port = ${port} }\n`));
  const first = await client.mcpServer.oauth.login({ name: "web" });
  const second = await client.mcpServer.oauth.login({ name: "web" });
  expect(await browse(second.authorizationUrl)).toEqual(DONE);
  await until(() => ended.length === 2);
  expect(ended).toEqual([
    {
      name: "web",
      threadId: null,
      loginId: first.loginId,
      success: false,
      error: "another login to MCP server 'web' was started",
    },
    { name: "web", threadId: null, loginId: second.loginId, success: true },
  ]);
});

test("a server that shuts down ends its logins while the clients can still hear it", async () => {
  const server = await openServer();
  const { heddle, client, ended } = await open(web(server));
  const { authorizationUrl, loginId } = await client.mcpServer.oauth.login({ name: "web" });
  await heddle.close();
  const error = "the server is shutting down";
  expect(ended).toEqual([{ name: "web", threadId: null, loginId, success: false, error }]);
  await expect(browse(returnTo(authorizationUrl, {}))).rejects.toThrow("fetch failed");
});

test.each([
  ['command = "none"', -32_600, "OAuth login is only supported for streamable HTTP servers."],
  [
    'url = "http://127.0.0.1:9/mcp"\nbearer_token_env_var = "TOKEN"',
    -32_600,
    "MCP server 'web' has a token of its own; remove `bearer_token_env_var` or its Authorization header to log in",
  ],
])("a login that makes no sense is refused (%#)", async (server, code, message) => {
  const { client } = await open(`[mcp_servers.web]\n${server}\n`);
  await expect(client.mcpServer.oauth.login({ name: "web" })).rejects.toMatchObject({ code, message });
  await expect(client.mcpServer.oauth.login({ name: "other" })).rejects.toMatchObject({
    code: -32_600,
    message: "No MCP server named 'other' found.",
  });
});

test("a server that does not say how to log in is told from one that does", async () => {
  const server = await openServer({ advertised: false });
  const { client, statusOf } = await open(web(server));
  await expect(client.mcpServer.oauth.login({ name: "web" })).rejects.toMatchObject({
    code: -32_603,
    message: `failed to login to MCP server 'web': ${server.url} does not say how to log in; give the server a token with \`bearer_token_env_var\``,
  });
  expect(await statusOf()).toEqual([["unsupported", null]]);
});
