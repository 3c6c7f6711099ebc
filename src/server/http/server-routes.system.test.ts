/** The routes of a listener over real connections. */
import { once } from "node:events";
import { type IncomingMessage, request as openRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { silentLogger } from "../../base/logger.ts";
import { plainAnswer } from "../../transport/http-routes.ts";
import { createTickets } from "../../transport/tickets.ts";
import { defaultTransportLimits } from "../../transport/transport.ts";
import { openWebSocketListener } from "../../transport/websocket-listener.ts";
import { readBody } from "./read-body.ts";
import { createRouteTable, type Route } from "./route-table.ts";
import { serverRoutes } from "./server-routes.ts";

interface ListenOptions {
  readonly hasToken?: boolean;
  readonly unreadiness?: () => Promise<string | null>;
  readonly routes?: readonly Route[];
  readonly handshakeMs?: number;
}

/** Answers requests to a listener with every route. */
async function listen({ hasToken = false, unreadiness, routes = [], ...timeouts }: ListenOptions = {}) {
  const tickets = hasToken
    ? createTickets({ now: () => 0, randomBytes: (count) => Buffer.alloc(count, 1) })
    : null;
  const metrics = { contentType: "text/plain; version=0.0.4", read: async () => "heddle_up 1\n" };
  const listener = await openWebSocketListener({
    ...timeouts,
    listen: (server) => server.listen(0, "127.0.0.1"),
    names: { hosts: [], origins: ["https://app.example"] },
    tickets,
    judgeUpgrade: hasToken
      ? (sent) => (sent === "Bearer good" ? null : "missing websocket bearer token")
      : null,
    routes: createRouteTable([...serverRoutes({ unreadiness, metrics, tickets }), ...routes]),
    limits: defaultTransportLimits,
    log: silentLogger,
    onConnection: (transport) => transport.close(),
  });
  onTestFinished(() => listener.close());
  const { port } = listener.address as AddressInfo;
  return async (line: string, headers: Record<string, string> = {}, body = "") => {
    const [method = "", path = ""] = line.split(" ");
    const request = openRequest({ port, host: "127.0.0.1", method, path, headers, agent: false });
    request.on("error", () => {});
    if (headers["content-length"] === undefined) request.end(body);
    else request.write(body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return { status: response.statusCode, body: await textOf(response), headers: response.headers };
  };
}

const NO_UPGRADE = "Connection header did not include 'upgrade'";

describe("without authentication", () => {
  test.each([
    ["GET /healthz", 200, ""],
    ["HEAD /healthz", 200, ""],
    ["GET /readyz?verbose", 200, ""],
    ["POST /healthz", 405, "ask with GET or HEAD"],
    ["POST /metrics", 405, "ask with GET or HEAD"],
    ["GET /metrics", 200, "heddle_up 1\n"],
    ["POST /ticket", 400, NO_UPGRADE],
    ["GET /", 400, NO_UPGRADE],
    ["GET /healthz/", 400, NO_UPGRADE],
  ])("%s answers %i", async (line, status, body) => {
    const ask = await listen();
    expect(await ask(line)).toMatchObject({ status, body });
  });

  test("HEAD has the headers of GET", async () => {
    const ask = await listen();
    const { headers, body } = await ask("HEAD /metrics");
    expect({ ...headers, body }).toMatchObject({
      "content-type": "text/plain; version=0.0.4",
      "content-length": "12",
      "cache-control": "no-store",
      body: "",
    });
  });

  test("a refused method names the others", async () => {
    const ask = await listen();
    expect((await ask("DELETE /readyz")).headers).toMatchObject({ allow: "GET, HEAD" });
  });

  test("a server that is not ready says why", async () => {
    const ask = await listen({ unreadiness: async () => "the server is ending" });
    expect(await ask("GET /readyz")).toMatchObject({ status: 503, body: "the server is ending" });
    expect(await ask("GET /healthz")).toMatchObject({ status: 200 });
  });
});

describe("with authentication", () => {
  const GOOD = { authorization: "Bearer good" };
  const REFUSED = { status: 401, body: "missing websocket bearer token" };

  test.each([
    ["GET /metrics", {}, REFUSED],
    ["POST /metrics", {}, REFUSED],
    ["GET /metrics", GOOD, { status: 200, body: "heddle_up 1\n" }],
    ["POST /ticket", {}, REFUSED],
    ["GET /ticket", {}, { status: 405, body: "ask with POST" }],
    ["GET /healthz", {}, { status: 200, body: "" }],
    ["GET /", {}, { status: 400, body: NO_UPGRADE }],
  ])("%s with %j", async (line, headers, expected) => {
    const ask = await listen({ hasToken: true });
    expect(await ask(line, headers)).toMatchObject(expected);
  });

  test("a holder of the token gets a ticket", async () => {
    const ask = await listen({ hasToken: true });
    const { status, body, headers } = await ask("POST /ticket", GOOD);
    expect({ status, cache: headers["cache-control"] }).toEqual({ status: 200, cache: "no-store" });
    expect(JSON.parse(body)).toEqual({ ticket: expect.any(String) as string, expiresInSeconds: 30 });
  });
});

describe("routes of the caller", () => {
  const wake: Route = {
    methods: ["POST"],
    path: "/wake/{name}",
    access: "anyone",
    async answer(request, { name = "" }) {
      const outcome = await readBody(request, 10);
      return outcome.kind === "refused"
        ? outcome.answer
        : plainAnswer(202, `${name}: ${outcome.bytes.toString()}`);
    },
  };
  const broken: Route = {
    methods: ["GET"],
    path: "/broken",
    access: "anyone",
    answer: () => Promise.reject(new Error("a secret path")),
  };

  test.each([
    ["POST /wake/a%20b", {}, "hello", { status: 202, body: "a b: hello" }],
    ["POST /wake/a", {}, "0123456789", { status: 202, body: "a: 0123456789" }],
    ["POST /wake/a", {}, "0123456789a", { status: 413, body: "the body may have 10 bytes" }],
    ["POST /wake/a", { "transfer-encoding": "chunked" }, "0123456789a", { status: 413 }],
    ["POST /wake/%zz", {}, "hello", { status: 400, body: NO_UPGRADE }],
    ["POST /wake/", {}, "hello", { status: 400, body: NO_UPGRADE }],
    ["GET /wake/a", {}, "", { status: 405, body: "ask with POST" }],
  ])("%s with %j and %j", async (line, headers, body, expected) => {
    const ask = await listen({ routes: [wake] });
    expect(await ask(line, headers, body)).toMatchObject(expected);
  });

  test("a body that does not arrive is given up", async () => {
    const ask = await listen({ routes: [wake], handshakeMs: 100 });
    expect(await ask("POST /wake/a", { "content-length": "10" }, "hello")).toMatchObject({ status: 408 });
  });

  test("the fault of a route is an answer, without its words", async () => {
    const ask = await listen({ routes: [broken] });
    expect(await ask("GET /broken")).toMatchObject({
      status: 500,
      body: "the server could not answer: its log says why",
    });
    expect(await ask("GET /healthz")).toMatchObject({ status: 200 });
  });
});
