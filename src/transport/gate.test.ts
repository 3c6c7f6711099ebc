import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { createGate, type GateOptions, isHttpRefusal } from "./gate.ts";
import { createTickets } from "./tickets.ts";

type Headers = Readonly<Record<string, string>>;

function requestOf(headers: Headers, url = "/"): IncomingMessage {
  const distinct = Object.entries(headers).map(([name, value]) => [name, [value]]);
  return { headers, headersDistinct: Object.fromEntries(distinct) as object, url } as IncomingMessage;
}

const NAMES = { hosts: ["heddle.example", "other.example:8443"], origins: ["https://app.example"] };

function gateWith(options: Partial<GateOptions> = {}) {
  const defaults = { names: NAMES, judgeUpgrade: null, tickets: null, isOnLoopback: () => true };
  return createGate({ ...defaults, ...options });
}

const statusOf = (judged: ReturnType<ReturnType<typeof createGate>["judgeUpgrade"]>) =>
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
    const ask = (headers: Headers, url?: string) => statusOf(gate.judgeUpgrade(requestOf(headers, url)));
    return { ticket, ask };
  }

  test("accepts the token", () => {
    const { ask } = open();
    expect([ask({ authorization: "Bearer good" }), ask({ authorization: "Bearer bad" }), ask({})]).toEqual([
      null,
      401,
      401,
    ]);
  });

  test("accepts a ticket once, in the query or the subprotocols, whatever a proxy has added", () => {
    const { ticket, ask } = open();
    expect(ask({ authorization: "Basic abc" }, `/path?a=1&ticket=${ticket}`)).toBeNull();
    expect(ask({}, `/?ticket=${ticket}`)).toBe(401);
    const other = open();
    const protocols = { "sec-websocket-protocol": `codex, heddle-ticket.${other.ticket}` };
    expect([other.ask(protocols), other.ask(protocols)]).toEqual([null, 401]);
  });

  test("rejects two tickets without redeeming them", () => {
    const { ticket, ask } = open();
    expect(ask({}, `/?ticket=${ticket}&ticket=${ticket}`)).toBe(401);
    expect(ask({ "sec-websocket-protocol": `heddle-ticket.${ticket}` }, `/?ticket=${ticket}`)).toBe(401);
    expect(ask({}, `/?ticket=${ticket}`)).toBeNull();
  });

  test("rejects a bad ticket even with a valid token", () => {
    const { ask } = open();
    expect(ask({ authorization: "Bearer good" }, "/?ticket=")).toBe(401);
  });
});
