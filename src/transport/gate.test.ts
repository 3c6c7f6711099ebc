import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { createGate, type GateOptions, isHttpRefusal } from "./gate.ts";
import { createTickets } from "./tickets.ts";
import type { TokenHolder } from "./token-holder.ts";

type Headers = Readonly<Record<string, string>>;

function requestOf(headers: Headers, url = "/", localAddress = "127.0.0.1"): IncomingMessage {
  const distinct = Object.entries(headers).map(([name, value]) => [name, [value]]);
  const headersDistinct = Object.fromEntries(distinct) as object;
  return { headers, headersDistinct, url, socket: { localAddress } } as IncomingMessage;
}

const NAMES = { hosts: ["heddle.example", "other.example:8443"], origins: ["https://app.example"] };

function gateWith(options: Partial<GateOptions> = {}) {
  const defaults = { names: NAMES, judgeUpgrade: null, tickets: null, isOnLoopback: () => true };
  return createGate({ ...defaults, ...options });
}

const statusOf = (judged: Awaited<ReturnType<ReturnType<typeof createGate>["judgeUpgrade"]>>) =>
  isHttpRefusal(judged) ? judged.status : null;

describe("access to a loopback listener", () => {
  test.each<[Headers, number | null]>([
    [{ host: "localhost" }, null],
    [{ host: "127.0.0.1:4510" }, null],
    [{ host: "[::1]:4510" }, null],
    [{ host: "app.localhost:1" }, null],
    [{ host: "heddle.example" }, null],
    [{ host: "HEDDLE.example:443" }, null],
    [{ host: "other.example:8443" }, null],
    [{ host: "other.example" }, 403],
    [{ host: "other.example:1" }, 403],
    [{ host: "sub.heddle.example" }, 403],
    [{ host: "heddle.example." }, 403],
    [{ host: "heddle.example@evil.example" }, 403],
    [{ host: "127.0.0.1.evil.example" }, 403],
    [{ host: "" }, 403],
    [{}, 403],
    [{ host: "localhost", origin: "https://app.example" }, null],
    [{ host: "localhost", origin: "https://APP.example" }, null],
    [{ host: "localhost", origin: "http://app.example" }, 403],
    [{ host: "localhost", origin: "https://app.example.evil.example" }, 403],
    [{ host: "localhost", origin: "https://app.example:8443" }, 403],
    [{ host: "localhost", origin: "null" }, 403],
    [{ host: "localhost", origin: "" }, 403],
    [{ host: "evil.example", origin: "https://app.example" }, 403],
  ])("%j: %s", (headers, status) => {
    expect(gateWith().refuse(requestOf(headers))?.status ?? null).toBe(status);
  });

  test.each<[Partial<GateOptions>, Headers, string | null]>([
    [{}, { origin: "https://APP.example" }, "https://APP.example"],
    [{}, { origin: "https://evil.example" }, null],
    [{}, {}, null],
    [{ names: null }, { origin: "https://app.example" }, null],
  ])("with %j and %j the page %s may read answers", (options, headers, page) => {
    expect(gateWith(options).allowedOrigin(requestOf(headers))).toBe(page);
  });

  test("on other addresses every host is served, and only allowed origins", () => {
    const gate = gateWith({ isOnLoopback: () => false });
    expect(gate.refuse(requestOf({ host: "any.example" }))).toBeNull();
    expect(gate.refuse(requestOf({ host: "any.example", origin: "https://any.example" }))?.status).toBe(403);
  });

  test("a unix socket requires nothing", () => {
    expect(gateWith({ names: null }).refuse(requestOf({ origin: "https://any.example" }))).toBeNull();
  });
});

describe("an upgrade with authentication", () => {
  function open() {
    const tickets = createTickets({ now: () => 0, randomBytes: (count) => Buffer.alloc(count, 7) });
    const gate = gateWith({
      tickets,
      judgeUpgrade: (authorization) => (authorization === "Bearer good" ? null : "no good"),
    });
    const ticket = tickets.issue(null) ?? "";
    const ask = async (headers: Headers, url?: string) =>
      statusOf(await gate.judgeUpgrade(requestOf(headers, url)));
    return { ticket, ask };
  }

  test("accepts the token", async () => {
    const { ask } = open();
    expect(await ask({ authorization: "Bearer good" })).toBeNull();
    expect([await ask({ authorization: "Bearer bad" }), await ask({})]).toEqual([401, 401]);
  });

  test("accepts a ticket once, in the query or the subprotocols, whatever a proxy has added", async () => {
    const { ticket, ask } = open();
    expect(await ask({ authorization: "Basic abc" }, `/path?a=1&ticket=${ticket}`)).toBeNull();
    expect(await ask({}, `/?ticket=${ticket}`)).toBe(401);
    const other = open();
    const protocols = { "sec-websocket-protocol": `codex, heddle-ticket.${other.ticket}` };
    expect([await other.ask(protocols), await other.ask(protocols)]).toEqual([null, 401]);
  });

  test("rejects two tickets without redeeming them", async () => {
    const { ticket, ask } = open();
    expect(await ask({}, `/?ticket=${ticket}&ticket=${ticket}`)).toBe(401);
    expect(await ask({ "sec-websocket-protocol": `heddle-ticket.${ticket}` }, `/?ticket=${ticket}`)).toBe(
      401,
    );
    expect(await ask({}, `/?ticket=${ticket}`)).toBeNull();
  });

  test("rejects a bad ticket even with a valid token", async () => {
    const { ask } = open();
    expect(await ask({ authorization: "Bearer good" }, "/?ticket=")).toBe(401);
  });
});

describe("the own page", () => {
  const SECRET = "s".repeat(43);
  const HOLDER: TokenHolder = { subject: "device", scopes: new Set(["read"]), expiresAtMs: null };

  function open({ isSentByTls = false, hasToken = true, isOnLoopback = true } = {}) {
    return gateWith({
      judgeUpgrade: hasToken ? () => "no token" : null,
      isOnLoopback: () => isOnLoopback,
      page: {
        isSentByTls: () => isSentByTls,
        sessions: { find: async (secret) => (secret === SECRET ? HOLDER : null) },
      },
    });
  }

  test.each<[Headers, boolean, number | null]>([
    [{ host: "127.0.0.1:4510", origin: "http://127.0.0.1:4510" }, false, null],
    [{ host: "localhost:4510", origin: "HTTP://localhost:4510" }, false, null],
    [{ host: "heddle.example", origin: "https://heddle.example" }, true, null],
    [{ host: "heddle.example", origin: "http://heddle.example" }, true, 403],
    [{ host: "heddle.example", origin: "https://heddle.example" }, false, 403],
    [{ host: "127.0.0.1:4510", origin: "http://127.0.0.1:4511" }, false, 403],
    [{ host: "127.0.0.1:4510", origin: "http://localhost:4510" }, false, 403],
    [{ host: "127.0.0.1:4510", origin: "http://127.0.0.1:4510.evil.example" }, false, 403],
    [{ host: "evil.example", origin: "http://evil.example" }, false, 403],
    [{ host: "127.0.0.1:4510", origin: "null" }, false, 403],
  ])("%j, by TLS %s: %s", (headers, isSentByTls, status) => {
    expect(open({ isSentByTls }).refuse(requestOf(headers))?.status ?? null).toBe(status);
  });

  test("of another address than that of the connection is foreign", () => {
    const gate = open({ isOnLoopback: false });
    const own = { host: "10.0.0.5:4510", origin: "http://10.0.0.5:4510" };
    expect(gate.refuse(requestOf(own, "/", "10.0.0.5"))).toBeNull();
    expect(gate.refuse(requestOf(own, "/", "::ffff:10.0.0.5"))).toBeNull();
    expect(gate.refuse(requestOf(own, "/", "10.0.0.6"))?.status).toBe(403);
    const rebound = { host: "evil.example:4510", origin: "http://evil.example:4510" };
    expect(gate.refuse(requestOf(rebound, "/", "10.0.0.5"))?.status).toBe(403);
  });

  test("without a page every origin is foreign", () => {
    const own = requestOf({ host: "127.0.0.1:4510", origin: "http://127.0.0.1:4510" });
    expect(gateWith().refuse(own)?.status).toBe(403);
    expect(gateWith().isOwnPage(own)).toBe(false);
  });

  const HOST = "127.0.0.1:4510";
  const cookie = `a=b; heddle-session-4510=${SECRET}`;

  test.each<[string, Headers, boolean]>([
    ["the own origin", { cookie, host: HOST, origin: `http://${HOST}` }, true],
    ["no origin", { cookie, host: HOST }, false],
    [
      "no origin, although the browser says same-origin",
      { cookie, host: HOST, "sec-fetch-site": "same-origin" },
      false,
    ],
    [
      "another cookie",
      { cookie: `heddle-session-4510=${"x".repeat(43)}`, host: HOST, origin: `http://${HOST}` },
      false,
    ],
    ["two cookies", { cookie: `${cookie}; ${cookie}`, host: HOST, origin: `http://${HOST}` }, false],
    ["the cookie of another port", { cookie, host: "127.0.0.1:1", origin: "http://127.0.0.1:1" }, false],
  ])("with %s an upgrade counts its session: %s", async (_, headers, isHeld) => {
    const judged = await open().judgeUpgrade(requestOf(headers));
    expect(judged).toEqual(isHeld ? HOLDER : expect.objectContaining({ status: 401 }));
  });

  test("of a request counts its session by what the browser says of it", async () => {
    const gate = open();
    const ask = async (headers: Headers) => gate.judgeRequest(requestOf({ cookie, host: HOST, ...headers }));
    expect(await ask({ "sec-fetch-site": "same-origin" })).toBe(HOLDER);
    expect(await ask({ origin: `http://${HOST}` })).toBe(HOLDER);
    for (const site of ["same-site", "cross-site", "none"])
      expect(await ask({ "sec-fetch-site": site })).toMatchObject({ status: 401 });
    expect(await ask({})).toMatchObject({ status: 401 });
  });

  test("without authentication is limited by its session, and needs none", async () => {
    const gate = open({ hasToken: false });
    const own = { host: HOST, origin: `http://${HOST}` };
    expect(await gate.judgeUpgrade(requestOf({ ...own, cookie }))).toBe(HOLDER);
    expect(await gate.judgeUpgrade(requestOf(own))).toBeNull();
  });
});
