import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import { NO_LOGIN } from "../fixtures/no-login.ts";
import { openOAuthFixture } from "../fixtures/oauth-server.ts";
import type { HttpServer } from "../server/server-config.ts";
import type { Credentials } from "./credentials-file.ts";
import { type LoginOptions, startLogin } from "./login.ts";

async function start(
  more: Partial<LoginOptions> = {},
  login: Partial<HttpServer["login"]> = {},
  metadata: Readonly<Record<string, unknown>> = {},
) {
  const fixture = await openOAuthFixture({ scopes: ["read", "read", " "], metadata });
  onTestFinished(() => fixture.close());
  const clock = createFakeClock(1000);
  const stored: Credentials[] = [];
  const server: HttpServer = {
    kind: "http",
    url: fixture.url,
    bearerTokenEnvVar: null,
    headers: {},
    envHeaders: {},
    helper: null,
    login: { ...NO_LOGIN, ...login },
  };
  const starting = startLogin({
    name: "web",
    server,
    scopes: null,
    registration: "auto",
    headers: {},
    clock,
    createState: () => "state",
    signal: new AbortController().signal,
    timeoutMs: 5000,
    callback: { port: null, url: null },
    store: async (credentials) => void stored.push(credentials),
    ...more,
  });
  return { fixture, clock, stored, starting };
}

function redirectOf(authorizationUrl: string, query: Record<string, string>): URL {
  const redirect = new URL(new URL(authorizationUrl).searchParams.get("redirect_uri") ?? "");
  redirect.search = new URLSearchParams(query).toString();
  return redirect;
}

async function open(url: string | URL): Promise<readonly [number, string]> {
  const response = await fetch(url);
  return [response.status, await response.text()];
}

const isClosed = (authorizationUrl: string) =>
  fetch(redirectOf(authorizationUrl, {})).then(
    () => false,
    () => true,
  );

test("a user who agrees is logged in, and the listener is gone", async () => {
  const { fixture, stored, starting } = await start();
  const login = await starting;
  expect(await open(login.authorizationUrl)).toEqual([
    200,
    "Authentication complete. You may close this window.",
  ]);
  expect(await login.ended).toEqual({ kind: "succeeded" });
  expect(stored).toEqual([
    {
      serverName: "web",
      serverUrl: fixture.url,
      issuer: fixture.origin,
      clientId: "registered-client",
      accessToken: "access-1",
      expiresAt: 3_601_000,
      refreshToken: "refresh-1",
      scopes: [],
    },
  ]);
  expect(await isClosed(login.authorizationUrl)).toBe(true);
  login.cancel("too late");
  expect(await login.ended).toEqual({ kind: "succeeded" });
});

test("the user is sent with what the server offers and asks for", async () => {
  const { fixture, starting } = await start();
  const login = await starting;
  login.cancel("enough");
  const { origin, pathname, searchParams } = new URL(login.authorizationUrl);
  expect(origin + pathname).toBe(`${fixture.origin}/authorize`);
  expect(Object.fromEntries(searchParams)).toEqual({
    response_type: "code",
    client_id: "registered-client",
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: "S256",
    redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback\/[\w-]{12}$/),
    state: "state",
    scope: "read",
    resource: fixture.url,
  });
  const registration = fixture.seen.find(({ path }) => path === "/register");
  expect(JSON.parse(registration?.body ?? "")).toMatchObject({
    client_name: "Heddle",
    token_endpoint_auth_method: "none",
    application_type: "native",
    scope: "read",
  });
});

test.each([
  [{ scopes: ["asked"] }, { scopes: ["configured"] }, "asked"],
  [{}, { scopes: ["configured", "too"] }, "configured too"],
  [{}, { scopes: [] }, null],
])("scopes are those of the request, else the configured ones (%#)", async (more, login, scope) => {
  const { starting } = await start(more, login);
  const started = await starting;
  started.cancel("enough");
  expect(new URL(started.authorizationUrl).searchParams.get("scope")).toBe(scope);
});

test("a client that the user has registered is not registered again", async () => {
  const { fixture, starting } = await start({}, { clientId: "mine" });
  const login = await starting;
  login.cancel("enough");
  expect(new URL(login.authorizationUrl).searchParams.get("client_id")).toBe("mine");
  expect(fixture.seen.some(({ path }) => path === "/register")).toBe(false);
});

test("a user who does not agree ends the login", async () => {
  const { stored, starting } = await start();
  const login = await starting;
  const error = "OAuth provider returned `access_denied`: No way";
  const query = { error: "access_denied", error_description: "No way" };
  expect(await open(redirectOf(login.authorizationUrl, query))).toEqual([400, error]);
  expect(await login.ended).toEqual({ kind: "failed", error });
  expect(stored).toEqual([]);
  expect(await isClosed(login.authorizationUrl)).toBe(true);
});

test("the answer to another login ends this one, and no code is redeemed", async () => {
  const { fixture, starting } = await start();
  const login = await starting;
  const error = "failed to handle OAuth callback: it belongs to another login; start the login again";
  const query = { code: "abc", state: "of another" };
  expect(await open(redirectOf(login.authorizationUrl, query))).toEqual([400, error]);
  expect(await login.ended).toEqual({ kind: "failed", error });
  expect(fixture.tokenRequests()).toEqual([]);
});

test("a code that the provider does not take ends the login with its reason", async () => {
  const { starting } = await start();
  const login = await starting;
  const error = "failed to handle OAuth callback: no such code; start the login again";
  const query = { code: "abc", state: "state" };
  expect(await open(redirectOf(login.authorizationUrl, query))).toEqual([400, error]);
  expect(await login.ended).toEqual({ kind: "failed", error });
});

test("what is no callback is answered and not taken for one", async () => {
  const { starting } = await start();
  const login = await starting;
  const elsewhere = redirectOf(login.authorizationUrl, { code: "abc", state: "state" });
  elsewhere.pathname = "/callback/another";
  expect(await open(elsewhere)).toEqual([400, "Invalid OAuth callback"]);
  expect(await open(redirectOf(login.authorizationUrl, { foo: "1" }))).toEqual([
    400,
    "Invalid OAuth callback",
  ]);
  const posted = await fetch(redirectOf(login.authorizationUrl, { code: "abc", state: "state" }), {
    method: "POST",
  });
  expect(await posted.text()).toBe("Invalid OAuth callback");
  expect(await open(login.authorizationUrl)).toMatchObject([200, {}]);
  expect(await login.ended).toEqual({ kind: "succeeded" });
});

test("a user who does not come back in time ends the login", async () => {
  const { clock, starting } = await start();
  const login = await starting;
  clock.advance(5000);
  expect(await login.ended).toEqual({ kind: "failed", error: "timed out waiting for OAuth callback" });
  expect(await isClosed(login.authorizationUrl)).toBe(true);
});

test("time no longer counts once the user is back, and a login that is cancelled then stores nothing", async () => {
  const { fixture, clock, stored, starting } = await start();
  const login = await starting;
  const release = fixture.holdTokens();
  const page = open(login.authorizationUrl);
  await fixture.whenRequested("/token");
  clock.advance(5000);
  login.cancel("not any more");
  release();
  expect(await page).toEqual([400, "not any more"]);
  expect(await login.ended).toEqual({ kind: "failed", error: "not any more" });
  expect(stored).toEqual([]);
});

test("a start that nobody waits for any more is given up", async () => {
  const aborter = new AbortController();
  aborter.abort(new Error("the server is shutting down"));
  const { starting } = await start({ signal: aborter.signal });
  await expect(starting).rejects.toThrow("the server is shutting down");
});

test("tokens that could not be stored are no login", async () => {
  const store = async () => Promise.reject(new Error("the disk is full"));
  const { starting } = await start({ store });
  const login = await starting;
  const error = "failed to handle OAuth callback: the disk is full; start the login again";
  expect(await open(login.authorizationUrl)).toEqual([400, error]);
  expect(await login.ended).toEqual({ kind: "failed", error });
});

test.each([
  [
    { registration_endpoint: undefined },
    {},
    /^Dynamic client registration not supported by .*; register a client there and set `oauth.client_id`/,
  ],
  [
    { authorization_endpoint: "https://good.example/authorize" },
    {},
    /^OAuth authorization endpoint origin does not match the authorization server origin/,
  ],
  [{ authorization_endpoint: "ftp://127.0.0.1/" }, {}, /^the authorization server names an address that no/],
  [{}, { registration: "cimd" }, /^heddle has no client metadata document; log in with `dcr`, or register/],
  [{}, { callback: { port: 0, url: null } }, /^invalid MCP OAuth callback port `0`: port must be between 1/],
  [{}, { callback: { port: null, url: "x" } }, /^invalid MCP OAuth callback URL `x`$/],
] as const)("a login that cannot be is refused with the reason (%#)", async (metadata, more, reason) => {
  const { starting } = await start(more, {}, metadata);
  await expect(starting).rejects.toThrow(reason);
});

test("a page elsewhere may bring the user back, by the same path", async () => {
  const { starting } = await start({ callback: { port: null, url: "https://tunnel.example/back/" } });
  const login = await starting;
  login.cancel("enough");
  expect(new URL(login.authorizationUrl).searchParams.get("redirect_uri")).toMatch(
    /^https:\/\/tunnel\.example\/back\/[\w-]{12}$/,
  );
});
