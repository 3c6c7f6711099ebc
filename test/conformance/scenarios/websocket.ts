/** The WebSocket listener: several clients, its HTTP side, and who may connect. */
import type { BearerToken, Scenario } from "../scenario.ts";
import { call, get, initialize, stillServes, upgrade, WS } from "../steps.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const CLAIMS = { iss: "codex-enroller", aud: "codex-app-server" };

const token = (changes: Partial<BearerToken> = {}): BearerToken => ({
  secret: SECRET,
  claims: CLAIMS,
  expiresIn: 60,
  ...changes,
});
const bearer = (value: string | BearerToken) => ({
  authorization: typeof value === "string" ? `Bearer ${value}` : value,
});

const CAPABILITY = {
  files: { "home/app-server-token": "super-secret-token\n" },
  args: ["--ws-auth", "capability-token", "--ws-token-file", "{{home}}/app-server-token"],
};

export const websocketScenarios: readonly Scenario[] = [
  {
    name: "websocket/connections-are-separate",
    about:
      "Each connection has its own handshake, and the same request id on two connections is two requests.",
    transports: WS,
    steps: [
      { do: "connect", as: "one" },
      { do: "connect", as: "two" },
      initialize(null, { name: "ws_client_one", on: "one", as: "initialize one" }),
      { do: "settle", on: "two", milliseconds: 200 },
      call(
        "config/read",
        { includeLayers: false },
        {
          as: "before its handshake",
          on: "two",
          expect: { error: { message: "Not initialized" } },
        },
      ),
      initialize(null, { name: "ws_client_two", on: "two", as: "initialize two" }),
      call("thread/loaded/list", {}, { as: "77 on one", on: "one", id: 77, expect: { id: 77 } }),
      call("thread/loaded/list", {}, { as: "77 on two", on: "two", id: 77, expect: { id: 77 } }),
    ],
  },
  {
    name: "websocket/thread-stays-after-disconnect",
    about: "A thread whose last client has gone stays loaded, and a new client sees it.",
    transports: WS,
    steps: [
      { do: "connect", as: "owner" },
      initialize(null, { name: "ws_thread_owner", on: "owner", as: "initialize owner" }),
      call("thread/start", { model: "mock-model" }, { on: "owner", settles: true }),
      call(
        "thread/loaded/list",
        {},
        {
          as: "loaded",
          on: "owner",
          expect: { result: { data: ["{{thread/start.result.thread.id}}"], nextCursor: null } },
        },
      ),
      { do: "close", on: "owner" },
      { do: "connect", as: "later" },
      initialize(null, { name: "ws_reconnect_client", on: "later", as: "initialize later" }),
      call(
        "thread/loaded/list",
        {},
        {
          as: "still loaded",
          on: "later",
          expect: { result: { data: ["{{thread/start.result.thread.id}}"], nextCursor: null } },
        },
      ),
    ],
  },
  {
    name: "websocket/broken-project-rules",
    about: "A warning about a project's rules goes only to the client that started a thread there.",
    transports: WS,
    // Not the server's own folder: what is wrong there, every client is told after initialize.
    config: { tables: '[projects."{{root}}/project"]\ntrust_level = "trusted"\n' },
    files: {
      "project/.git/HEAD": "ref: refs/heads/main\n",
      "project/.codex/rules/broken.rules": "prefix_rule(",
    },
    steps: [
      { do: "connect", as: "requester" },
      { do: "connect", as: "other" },
      initialize(null, { name: "requester", on: "requester", as: "initialize requester" }),
      initialize(null, { name: "other_client", on: "other", as: "initialize other" }),
      call(
        "thread/start",
        { cwd: "{{root}}/project", model: "mock-model" },
        { on: "requester", settles: true },
      ),
      { do: "await", on: "requester", message: { method: "configWarning" } },
      { do: "settle", on: "other", milliseconds: 250 },
    ],
  },
  {
    name: "websocket/health",
    about: "The listener answers readiness and health probes itself, and still takes connections.",
    transports: WS,
    steps: [
      get("/readyz", 200, {}, ""),
      get("/healthz", 200, {}, ""),
      { do: "http", path: "/readyz", method: "HEAD" },
      { do: "http", path: "/readyz", method: "POST" },
      get("/readyz?x=1", 200),
      get("/readyz/", 400),
      get("/", 400, {}, "Connection header did not include 'upgrade'"),
      get("/anything", 400),
      initialize(null, { name: "ws_health_client" }),
    ],
  },
  {
    name: "websocket/any-path-upgrades",
    about: "The path of an upgrade does not matter.",
    transports: WS,
    steps: [
      { do: "http", path: "/", upgrade: true, expect: { status: 101 } },
      { do: "http", path: "/any/path?with=query", upgrade: true, expect: { status: 101 } },
      { do: "connect", as: "elsewhere", path: "/elsewhere" },
      initialize(null, { on: "elsewhere" }),
      stillServes("over another path", "elsewhere"),
    ],
  },
  {
    name: "websocket/bad-upgrades",
    about: "An upgrade that is not a proper WebSocket handshake is refused.",
    transports: WS,
    steps: [
      get("/", 400, { connection: "Upgrade" }),
      get("/", 400, { connection: "Upgrade", upgrade: "h2c" }),
      get("/", 400, { connection: "Upgrade", upgrade: "websocket" }),
      get("/", 400, { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" }),
      get("/", 400, {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "8",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      }),
      initialize(),
    ],
  },
  {
    name: "websocket/origin",
    about: "Whatever carries an Origin header is refused, probes included, so no web page can connect.",
    transports: WS,
    steps: [
      initialize(null, { name: "ws_loopback_client" }),
      upgrade(403, { origin: "https://evil.example" }),
      upgrade(403, { origin: "http://127.0.0.1" }),
      upgrade(403, { origin: "null" }),
      get("/readyz", 403, { origin: "https://evil.example" }),
      get("/healthz", 403, { origin: "https://evil.example" }),
      get("/", 403, { origin: "https://evil.example" }),
      stillServes("after the refusals"),
    ],
  },
  {
    name: "websocket/host",
    about: "An upgrade that names another host.",
    transports: WS,
    steps: [
      upgrade(101, { host: "localhost" }),
      upgrade(101, { host: "evil.example" }),
      get("/readyz", 200, { host: "evil.example" }),
    ],
  },
  {
    name: "websocket/capability-token",
    about: "With a capability token an upgrade needs it; probes do not.",
    transports: WS,
    listen: "ws://0.0.0.0:0",
    ...CAPABILITY,
    steps: [
      upgrade(401, {}, "missing websocket bearer token"),
      upgrade(401, bearer("wrong-token"), "invalid websocket bearer token"),
      upgrade(401, { authorization: "Basic abc" }, "invalid authorization header"),
      upgrade(401, { authorization: "Bearer" }, "invalid authorization header"),
      upgrade(401, { authorization: "Bearer " }, "invalid authorization header"),
      upgrade(401, { authorization: "" }, "invalid authorization header"),
      upgrade(101, bearer("super-secret-token")),
      upgrade(101, { authorization: "bearer super-secret-token" }),
      upgrade(101, { authorization: "BEARER   super-secret-token " }),
      upgrade(403, { ...bearer("super-secret-token"), origin: "https://evil.example" }),
      get("/readyz", 200),
      get("/", 400),
      { do: "connect", as: "authorised", headers: bearer("super-secret-token") },
      initialize(null, { name: "ws_auth_client", on: "authorised" }),
    ],
  },
  {
    name: "websocket/capability-token-digest",
    about: "The capability token may be given as its SHA-256 digest.",
    transports: WS,
    args: [
      "--ws-auth",
      "capability-token",
      "--ws-token-sha256",
      "599a7f359d1e11124054f8afeae201f2d265b8988d91cb5b7d4dc4c9e2225c30",
    ],
    steps: [
      upgrade(401, {}, "missing websocket bearer token"),
      upgrade(401, bearer("wrong-token"), "invalid websocket bearer token"),
      upgrade(101, bearer("super-secret-token")),
    ],
  },
  {
    name: "websocket/signed-token",
    about:
      "A signed token must have the right signature, times, issuer and audience; each refusal says which is wrong.",
    transports: WS,
    files: { "home/app-server-signing-secret": `${SECRET}\n` },
    args: [
      "--ws-auth=signed-bearer-token",
      "--ws-shared-secret-file={{home}}/app-server-signing-secret",
      "--ws-issuer=codex-enroller",
      "--ws-audience=codex-app-server",
      "--ws-max-clock-skew-seconds=1",
    ],
    steps: [
      upgrade(401, {}, "missing websocket bearer token"),
      upgrade(401, bearer(token({ expiresIn: -30 })), "expired websocket jwt"),
      upgrade(401, bearer("not-a-jwt"), "invalid websocket jwt"),
      upgrade(401, bearer(token({ validIn: 30 })), "websocket jwt is not valid yet"),
      upgrade(
        401,
        bearer(token({ claims: { ...CLAIMS, iss: "someone-else" } })),
        "websocket jwt issuer mismatch",
      ),
      upgrade(401, bearer(token({ claims: { aud: "codex-app-server" } })), "websocket jwt issuer mismatch"),
      upgrade(
        401,
        bearer(token({ claims: { ...CLAIMS, aud: "wrong-audience" } })),
        "websocket jwt audience mismatch",
      ),
      upgrade(401, bearer(token({ claims: { iss: "codex-enroller" } })), "websocket jwt audience mismatch"),
      upgrade(401, bearer(token({ secret: "fedcba9876543210fedcba9876543210" })), "invalid websocket jwt"),
      upgrade(401, bearer({ secret: SECRET, claims: CLAIMS }), "invalid websocket jwt"),
      upgrade(101, bearer(token())),
      upgrade(101, bearer(token({ validIn: -5 }))),
      upgrade(101, bearer(token({ claims: { ...CLAIMS, aud: ["another", "codex-app-server"] } }))),
      upgrade(
        401,
        bearer(token({ claims: { ...CLAIMS, aud: ["another"] } })),
        "websocket jwt audience mismatch",
      ),
      { do: "connect", as: "authorised", headers: bearer(token()) },
      initialize(null, { name: "ws_signed_auth_client", on: "authorised" }),
    ],
  },
  {
    name: "websocket/signed-token-without-claims",
    about:
      "Without an issuer and an audience to expect, any are fine; the clock may be off by half a minute.",
    transports: WS,
    files: { "home/secret": SECRET },
    args: ["--ws-auth", "signed-bearer-token", "--ws-shared-secret-file", "{{home}}/secret"],
    steps: [
      upgrade(101, bearer(token())),
      upgrade(101, bearer(token({ claims: {} }))),
      upgrade(101, bearer(token({ claims: {}, expiresIn: -20 }))),
      upgrade(401, bearer(token({ claims: {}, expiresIn: -40 })), "expired websocket jwt"),
    ],
  },
  {
    name: "unix/connections",
    about: "The unix socket takes WebSocket connections, asks for no token and does not look at the Origin.",
    transports: ["unix"],
    steps: [
      initialize(),
      stillServes("over a unix socket"),
      { do: "connect", as: "second" },
      initialize(null, { on: "second", as: "second initialize" }),
      { do: "http", path: "/", upgrade: true, headers: { origin: "https://evil.example" } },
      { do: "http", path: "/readyz" },
    ],
  },
  {
    name: "unix/default-path",
    about: "Without a path the unix socket is in the home, for its owner only.",
    transports: ["stdio"],
    starts: false,
    steps: [
      {
        do: "serve",
        args: ["app-server", "--listen", "unix://"],
        until: "home/app-server-control/app-server-control.sock",
        expect: { mode: "600" },
      },
    ],
  },
];
