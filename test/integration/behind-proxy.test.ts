/**
 * A server behind a proxy that forwards what nginx forwards, and for web pages: which requests are accepted,
 * and what is logged.
 */
import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { CERTIFICATE, KEY } from "../../src/base/network/fixtures/certificates.ts";
import { Child } from "../support/child.ts";
import { bearer, serve, TOKEN, upgrade } from "../support/serve.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

/** Forwards requests and upgrades as `proxy_pass` does with `Host $host` and `X-Forwarded-For`. */
async function openProxy(target: number, name: string): Promise<number> {
  const headersFor = ({ headers, socket }: IncomingMessage) => ({
    ...headers,
    host: name,
    "x-forwarded-for": `203.0.113.9, ${socket.remoteAddress}`,
    "x-forwarded-proto": "https",
  });
  const pass = (request: IncomingMessage) =>
    httpRequest({
      port: target,
      host: "127.0.0.1",
      path: request.url,
      method: request.method,
      headers: headersFor(request),
    });
  const proxy = createServer((request, response) => {
    const passed = pass(request);
    passed.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  proxy.on("upgrade", (request, socket) => {
    const passed = pass(request);
    const head = (answer: IncomingMessage) =>
      `HTTP/1.1 ${answer.statusCode} x\r\n${answer.rawHeaders.map((each, at) => each + (at % 2 === 0 ? ": " : "\r\n")).join("")}\r\n`;
    passed.on("upgrade", (answer, behind) => {
      socket.write(head(answer));
      behind.pipe(socket).pipe(behind);
      for (const each of [behind, socket]) each.on("error", () => each.destroy());
    });
    passed.on("response", (answer) => {
      socket.write(head(answer));
      answer.pipe(socket);
    });
    passed.end();
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return (proxy.address() as AddressInfo).port;
}

async function getTicket(port: number, headers: Record<string, string> = bearer) {
  const response = await fetch(`http://127.0.0.1:${port}/ticket`, { method: "POST", headers });
  return { status: response.status, type: response.headers.get("content-type"), body: await response.text() };
}

describe("behind a proxy", () => {
  test("the name that it passes on is let in where it was allowed, and callers are told by it", async () => {
    const server = await serve(["--ws-allow-host", "heddle.example", "--trusted-proxy", "127.0.0.0/8"]);
    const proxy = await openProxy(server.port, "heddle.example");
    const other = await openProxy(server.port, "other.example");
    expect((await fetch(`http://127.0.0.1:${proxy}/healthz`)).status).toBe(200);
    expect(await upgrade(`ws://127.0.0.1:${proxy}`, { headers: bearer })).toBe("101");
    expect(await upgrade(`ws://127.0.0.1:${proxy}`)).toBe("401 missing websocket bearer token");
    expect(await upgrade(`ws://127.0.0.1:${other}`, { headers: bearer })).toMatch(
      /^403 the Host of this request is not served here: start the server with --ws-allow-host/u,
    );
    const refusal = await fetch(`http://127.0.0.1:${other}/healthz`);
    expect([refusal.status, refusal.headers.get("content-type")]).toEqual([403, "text/plain; charset=utf-8"]);
    expect(await refusal.text()).toMatch(/^the Host of this request.*[^\n]$/u);

    const log = await server.log();
    const caller = { from: "203.0.113.9", through: expect.stringMatching(/^127/u), scheme: "https" };
    expect(log.about("connection opened")).toMatchObject([{ transport: "websocket", ...caller }]);
    expect(log.about("connection refused")).toMatchObject([
      { status: 401, reason: "missing websocket bearer token", ...caller, host: "heddle.example" },
      { status: 403, reason: expect.stringMatching(/^the Host/u), host: "other.example" },
      { status: 403, host: "other.example" },
    ]);
    expect(log.text).not.toContain(TOKEN);
    expect(statSync(server.logFile).mode & 0o777).toBe(0o600);
  });

  test("a list of addresses without end costs nothing, and only what is near counts", async () => {
    const server = await serve(["--trusted-proxy", "127.0.0.1", "--trusted-proxy", "10.0.0.0/8"]);
    const url = `ws://127.0.0.1:${server.port}`;
    const listing = (count: number, last: string) => ({
      headers: { ...bearer, "x-forwarded-for": "10.7.7.7,".repeat(count) + last },
    });
    // The server does not wait for the whole header list.
    expect(await upgrade(url, listing(10_000, "")).catch(String)).toMatch(/^431|ECONNRESET|EPIPE/u);
    expect(await upgrade(url, listing(1500, "198.51.100.1"))).toBe("101");
    expect(await upgrade(url, listing(1500, "not an address"))).toBe("101");
    const opened = (await server.log()).about("connection opened");
    expect(opened).toMatchObject([
      { from: "198.51.100.1" },
      { from: expect.stringMatching(/^127\.0\.0\.1:/u) },
    ]);
  });

  test("what an unnamed proxy says of its callers is not repeated", async () => {
    const server = await serve();
    const headers = { ...bearer, "x-forwarded-for": "203.0.113.9" };
    expect(await upgrade(`ws://127.0.0.1:${server.port}`, { headers })).toBe("101");
    expect((await server.log()).text).not.toContain("203.0.113.9");
  });
});

describe("a web page", () => {
  test("connects with a ticket, once, from an origin that was allowed", async () => {
    const { port, log } = await serve(["--ws-allow-origin", "https://app.example"]);
    const url = `ws://127.0.0.1:${port}`;
    const page = { headers: { origin: "https://app.example" } };
    const issue = async () => {
      const answer = await getTicket(port);
      expect(answer).toMatchObject({ status: 200, type: "application/json" });
      const { ticket, expiresInSeconds } = JSON.parse(answer.body) as Record<string, string | number>;
      expect(expiresInSeconds).toBe(30);
      return String(ticket);
    };
    const [first, second, third] = [await issue(), await issue(), await issue()];
    expect(await upgrade(`${url}/?ticket=${first}`, page)).toBe("101");
    expect(await upgrade(`${url}/?ticket=${first}`, page)).toMatch(/^401 the ticket is not known, was used/u);
    const protocols = ["codex", `heddle-ticket.${second}`];
    expect(await upgrade(url, { ...page, protocols })).toBe("101 codex");
    const foreign = { headers: { origin: "https://evil.example" } };
    expect(await upgrade(`${url}/?ticket=${third}`, foreign)).toMatch(/^403 web pages are not served/u);
    expect(await upgrade(`${url}/?ticket=${third}`, page)).toBe("101");

    expect(await getTicket(port, {})).toMatchObject({ status: 401, body: "missing websocket bearer token" });
    expect(await getTicket(port, { ...bearer, origin: "https://evil.example" })).toMatchObject({
      status: 403,
    });
    expect(await fetch(`http://127.0.0.1:${port}/ticket`)).toMatchObject({ status: 405 });
    const { text } = await log();
    for (const ticket of [first, second, third]) expect(text).not.toContain(ticket);
  });

  test("gets no ticket from a server that asks for no token", async () => {
    const { port } = await serve([], { hasToken: false });
    expect(await getTicket(port)).toMatchObject({ status: 400 });
  });
});

test("with a certificate the server is called by wss", async () => {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  const [cert, key] = [join(home.root, "cert.pem"), join(home.root, "key.pem")];
  writeFileSync(cert, CERTIFICATE);
  writeFileSync(key, KEY);
  const { port } = await serve(["--tls-cert", cert, "--tls-key", key]);
  const options = { headers: bearer, rejectUnauthorized: false };
  expect(await upgrade(`wss://127.0.0.1:${port}`, options)).toBe("101");
});

test.each<[readonly string[], RegExp]>([
  [["--ws-allow-host", "heddle.example"], /'--ws-allow-host' needs a token: add '--ws-auth'/u],
  [["--ws-allow-origin", "https://app.example"], /'--ws-allow-origin' needs a token/u],
  [["--ws-allow-origin", "*"], /expected an origin such as https:\/\/app\.example/u],
  [["--ws-allow-host", "*"], /expected a name such as heddle\.example/u],
  [["--trusted-proxy", "proxy.example"], /not an address, nor a subnet/u],
  [["--tls-cert", "cert.pem"], /'--tls-cert' and '--tls-key' need one another/u],
  [["--listen", "unix://a.sock", "--trusted-proxy", "127.0.0.1"], /needs a listener on ws:\/\/IP:PORT/u],
])("heddle serve %j is refused", async (args, expected) => {
  const home = await createTempHome({ config: "" });
  onTestFinished(() => home.remove());
  const child = new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, "serve", ...args],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  expect((await child.exit).code).toBe(2);
  expect(child.stderr).toMatch(expected);
});
