import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { silentLogger } from "../base/logger.ts";
import { createDeferred } from "../base/tasks.ts";
import { type HttpRoutes, plainAnswer } from "./http-routes.ts";
import { transportContract } from "./transport.contract.ts";
import {
  type CloseReason,
  defaultTransportLimits,
  type Transport,
  type TransportLimits,
} from "./transport.ts";
import { openUnixListener } from "./unix-socket.ts";
import type { JudgeUpgrade } from "./websocket-auth.ts";
import { type Listener, openWebSocketListener } from "./websocket-listener.ts";

type Accept = (transport: Transport) => void;

/** A probe that anyone may ask, and a page for holders of a token. */
const routes: HttpRoutes = {
  find: ({ path }) => ({
    access: path === "/page" ? "token" : "anyone",
    headers: {},
    answer: async () => plainAnswer(path === "/" ? 400 : 200, path === "/" ? "no page" : ""),
  }),
};

function openTcp(
  limits: TransportLimits,
  onConnection: Accept,
  refuse: string | JudgeUpgrade | null = null,
): Promise<Listener> {
  return openWebSocketListener({
    listen: (server) => server.listen(0, "127.0.0.1"),
    names: { hosts: [], origins: [] },
    tickets: null,
    judgeUpgrade: typeof refuse === "string" ? () => refuse : refuse,
    routes,
    limits,
    log: silentLogger,
    onConnection,
  });
}

function portOf(listener: Listener): number {
  return (listener.address as AddressInfo).port;
}

async function connectPair(
  listen: (accept: Accept) => Promise<Listener>,
  urlOf: (listener: Listener) => string,
) {
  const accepted = createDeferred<Transport>();
  const listener = await listen(accepted.resolve);
  const websocket = new WebSocket(urlOf(listener));
  const received: string[] = [];
  const closed = createDeferred<void>();
  websocket.on("message", (data: Buffer) => received.push(data.toString()));
  websocket.on("close", () => closed.resolve());
  websocket.on("error", () => {});
  return {
    server: await accepted.promise,
    client: {
      send: (text: string) =>
        websocket.readyState === WebSocket.OPEN
          ? websocket.send(text)
          : void websocket.once("open", () => websocket.send(text)),
      received,
      drop: () => websocket.terminate(),
      closed: closed.promise,
    },
    async dispose() {
      websocket.terminate();
      await listener.close();
    },
  };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-socket-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

transportContract("WebSocket", (limits) =>
  connectPair(
    (accept) => openTcp(limits, accept),
    (listener) => `ws://127.0.0.1:${portOf(listener)}`,
  ),
);

transportContract("unix socket", (limits) => {
  const path = join(temporaryFolder(), "run", "server.sock");
  return connectPair(
    (onConnection) =>
      openUnixListener(path, { limits, log: silentLogger, onConnection, routes, folder: temporaryFolder() }),
    () => `ws+unix://${path}:/`,
  );
});

describe("WebSocket listener", () => {
  async function listen(refuse: string | JudgeUpgrade | null = null) {
    const listener = await openTcp(defaultTransportLimits, (transport) => transport.start(quiet), refuse);
    onTestFinished(() => listener.close());
    return portOf(listener);
  }

  test.each([
    ["GET /readyz", {}, 200, ""],
    ["GET /healthz", {}, 200, ""],
    [
      "GET /healthz",
      { Origin: "http://localhost" },
      403,
      expect.stringMatching(/^web pages are not served/u),
    ],
    ["GET /", {}, 400, "no page"],
    ["GET /healthz", { Host: "evil.example" }, 403, expect.stringMatching(/^the Host of this request/u)],
    ["GET /healthz", { Host: "localhost:99" }, 200, ""],
    ["GET /healthz", { Host: "[::1]:99" }, 200, ""],
  ])("%s with %j answers %i", async (line, headers, status, body) => {
    const port = await listen();
    expect(await httpRequest(port, line, headers)).toEqual({ status, body });
  });

  test("a web page cannot upgrade, by its origin or by a rebound name", async () => {
    const port = await listen();
    expect(await httpRequest(port, "GET /", { ...UPGRADE, Origin: "http://localhost" })).toEqual({
      status: 403,
      body: expect.stringContaining("--ws-allow-origin") as string,
    });
    expect(await httpRequest(port, "GET /", { ...UPGRADE, Host: "evil.example" })).toEqual({
      status: 403,
      body: expect.stringContaining("--ws-allow-host") as string,
    });
  });

  test("a refused upgrade or request contains the reason, and health needs no token", async () => {
    const port = await listen("missing websocket bearer token");
    expect(await httpRequest(port, "GET /", UPGRADE)).toEqual({
      status: 401,
      body: "missing websocket bearer token",
    });
    const page = { status: 401, body: "missing websocket bearer token" };
    expect(await httpRequest(port, "GET /page", {})).toEqual(page);
    expect(await httpRequest(port, "GET /readyz", {})).toEqual({ status: 200, body: "" });
  });

  test("two tokens are rejected", async () => {
    const port = await listen((authorization) =>
      authorization === "Bearer good" ? null : `${authorization}`,
    );
    const two = { ...UPGRADE, Authorization: "Bearer good", authorization: "Bearer bad" };
    expect(await httpRequest(port, "GET /", two)).toEqual({ status: 401, body: "Bearer good, Bearer bad" });
  });

  test("a refused client cannot keep its connection", async () => {
    const port = await listen("missing websocket bearer token");
    const socket = connectRaw(port, { allowHalfOpen: true });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    // Only a closed connection answers this with an error.
    socket.once("end", () => socket.write("x", () => socket.write("y")));
    socket.write(requestText(port, "GET /", UPGRADE));
    await closed;
  });

  test.each([
    ["says nothing", "", 0],
    ["stops in the middle of a request", "GET / HTTP/1.1\r\nHo", 0],
    ["does not answer the end of its WebSocket", null, 1],
  ])("closing does not wait for a client that %s", async (_, said, webSockets) => {
    const transports: Transport[] = [];
    const listener = await openTcp(defaultTransportLimits, (transport) => {
      transport.start(quiet);
      transports.push(transport);
    });
    const port = portOf(listener);
    const socket = connectRaw(port, { allowHalfOpen: true });
    socket.write(said ?? requestText(port, "GET /", UPGRADE));
    // When a later connection is served, the first one has been handled.
    await httpRequest(port, "GET /readyz", {});
    expect(transports.length).toBe(webSockets);
    for (const transport of transports) transport.close();
    await listener.close();
  });

  test("a client that does not read is disconnected at the limit", async () => {
    const limits = { messageBytes: 1000, outboundBytes: 200_000, stallMs: 1000 };
    const accepted = createDeferred<Transport>();
    const listener = await openTcp(limits, accepted.resolve);
    onTestFinished(() => listener.close());
    const deaf = new WebSocket(`ws://127.0.0.1:${portOf(listener)}`);
    onTestFinished(() => deaf.terminate());
    deaf.on("error", () => {});
    const transport = await accepted.promise;
    await new Promise((resolve) => deaf.once("open", resolve));
    deaf.pause();
    const closed = createDeferred<{ kind: string }>();
    transport.start({ message: () => {}, closed: closed.resolve });
    const flood = setInterval(() => transport.send("x".repeat(100_000), "notice"), 0);
    onTestFinished(() => clearInterval(flood));
    expect(await closed.promise).toMatchObject({ kind: "overflow" });
    const reason = new Promise((resolve) => {
      deaf.once("close", (code, text) => resolve([code, text.toString()]));
    });
    deaf.resume();
    expect(await reason).toEqual([1013, "slow consumer: connect again and continue from the last seq"]);
  });

  describe("a client over the queue limit", () => {
    const limits = { messageBytes: 1000, outboundBytes: 200_000, stallMs: 300 };
    const answer = "x".repeat(40_000_000);

    async function connectTo() {
      const accepted = createDeferred<Transport>();
      const listener = await openTcp(limits, accepted.resolve);
      onTestFinished(() => listener.close());
      const client = new WebSocket(`ws://127.0.0.1:${portOf(listener)}`);
      onTestFinished(() => client.terminate());
      client.on("error", () => {});
      const socket = await new Promise<Socket>((resolve) =>
        client.once("upgrade", (response) => resolve(response.socket)),
      );
      const transport = await accepted.promise;
      const inbox: string[] = [];
      const closed = createDeferred<CloseReason>();
      transport.start({ message: (text) => inbox.push(text), closed: closed.resolve });
      return { client, socket, transport, inbox, closed: closed.promise };
    }

    test("is disconnected when it reads nothing for some time, and its memory is freed", async () => {
      const { client, transport, closed } = await connectTo();
      client.pause();
      transport.send(answer, "response");
      expect(await closed).toMatchObject({ kind: "overflow" });
      expect(transport.backlog?.waitingBytes()).toBeLessThan(5_000_000);
    });

    test("stays connected while it reads, however slowly, and its requests wait", async () => {
      const { client, socket, transport, inbox, closed } = await connectTo();
      const received = new Promise<string>((resolve) =>
        client.once("message", (data: Buffer) => resolve(data.toString())),
      );
      let isOver = false;
      void closed.then(() => void (isOver = true));
      transport.send(answer, "response");
      client.send("a request");
      const started = Date.now();
      const isSlow = () => Date.now() - started < 3 * limits.stallMs;
      socket.on("data", () => isSlow() && client.pause());
      const slowly = setInterval(() => client.resume(), 5);
      onTestFinished(() => clearInterval(slowly));
      expect((await received) === answer).toBe(true);
      expect([isOver, isSlow()]).toEqual([false, false]);
      await expect.poll(() => inbox).toEqual(["a request"]);
    });
  });

  test("pongs to a client that does not read are limited, and the latest ping is answered", async () => {
    const accepted = createDeferred<Transport>();
    const listener = await openTcp(defaultTransportLimits, accepted.resolve);
    onTestFinished(() => listener.close());
    const client = new WebSocket(`ws://127.0.0.1:${portOf(listener)}`);
    onTestFinished(() => client.terminate());
    await new Promise((resolve) => client.once("open", resolve));
    const transport = await accepted.promise;
    transport.start(quiet);
    const pongs: string[] = [];
    client.on("pong", (data: Buffer) => pongs.push(data.toString()));
    client.pause();
    const data = Buffer.alloc(125, "x");
    let worst = 0;
    for (let round = 0; round < 500; round += 1) {
      for (let count = 0; count < 200; count += 1) client.ping(data);
      await new Promise(setImmediate);
      worst = Math.max(worst, transport.backlog?.waitingBytes() ?? Number.POSITIVE_INFINITY);
    }
    client.ping("the last one");
    await new Promise((resolve) => client.ping(data, true, resolve));
    client.ping("the very last one");
    await expect.poll(() => client.bufferedAmount).toBe(0);
    expect(worst).toBeLessThan(2 * 1024 * 1024);
    client.resume();
    await expect.poll(() => pongs.at(-1), { timeout: 10_000 }).toBe("the very last one");
    expect(pongs.length).toBeLessThan(100_000);
  });

  test("a Close frame ends the connection, though its client keeps the socket open", async () => {
    // The test does not wait for the close timeout.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const reason = createDeferred<CloseReason>();
    const listener = await openTcp(defaultTransportLimits, (transport) =>
      transport.start({ ...quiet, closed: reason.resolve }),
    );
    onTestFinished(() => listener.close());
    const client = new WebSocket(`ws://127.0.0.1:${portOf(listener)}`);
    const gone = once(client, "close");
    await once(client, "open");
    client.close();
    client.pause();
    expect(await reason.promise).toEqual({ kind: "ended" });
    client.resume();
    await gone;
  });

  test("a frame over the limit ends the connection with its close code", async () => {
    const listener = await openTcp({ ...defaultTransportLimits, messageBytes: 100 }, (transport) =>
      transport.start(quiet),
    );
    onTestFinished(() => listener.close());
    const websocket = new WebSocket(`ws://127.0.0.1:${portOf(listener)}`);
    const code = createDeferred<number>();
    websocket.on("open", () => websocket.send("x".repeat(101)));
    websocket.on("close", code.resolve);
    expect(await code.promise).toBe(1009);
  });
});

describe("unix socket", () => {
  const options = {
    limits: defaultTransportLimits,
    log: silentLogger,
    onConnection: () => {},
    routes,
    folder: join(tmpdir(), `heddle-sockets-${process.pid}`),
  };
  afterAll(() => rmSync(options.folder, { recursive: true, force: true }));

  test("is accessible to its owner only, and removed on close", async () => {
    const path = join(temporaryFolder(), "server.sock");
    const listener = await openUnixListener(path, options);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(openUnixListener(path, options)).rejects.toThrow(
      `control socket is already in use at ${path}`,
    );
    await listener.close();
    expect(() => statSync(path)).toThrow("ENOENT");
  });

  test("is a symlink into the hidden folder, which is cleaned up", async () => {
    const folder = temporaryFolder();
    const path = join(temporaryFolder(), "server.sock");
    const listener = await openUnixListener(path, { ...options, folder });
    expect([dirname(readlinkSync(path)), statSync(folder).mode & 0o777]).toEqual([folder, 0o700]);
    await listener.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("replaces the socket of a crashed server, and removes nothing else", async () => {
    const [folder, place] = [temporaryFolder(), temporaryFolder()];
    const other = await openUnixListener(join(place, "living.sock"), { ...options, folder });
    onTestFinished(() => other.close());
    spawnSync(process.execPath, [
      "-e",
      `require("net").createServer().listen(${JSON.stringify(join(folder, "killed.sock"))}, () => process.kill(process.pid, "SIGKILL"))`,
    ]);
    expect(readdirSync(folder)).toContain("killed.sock");
    const path = join(place, "server.sock");
    writeFileSync(join(folder, "dead.sock"), "");
    symlinkSync(join(folder, "dead.sock"), path);
    rmSync(join(folder, "dead.sock"));
    await (await openUnixListener(path, { ...options, folder })).close();
    writeFileSync(join(place, "other.sock"), "precious");
    symlinkSync(join(place, "gone"), path);
    await (await openUnixListener(path, { ...options, folder })).close();
    expect(readdirSync(place).sort()).toEqual(["living.sock", "other.sock"]);
    expect(readdirSync(folder)).toEqual([basename(readlinkSync(join(place, "living.sock")))]);
  });

  test("does not replace a file that is not a socket", async () => {
    const path = join(temporaryFolder(), "server.sock");
    writeFileSync(path, "precious");
    await expect(openUnixListener(path, options)).rejects.toThrow(`path exists and is not a socket: ${path}`);
  });
});

const quiet = { message: () => {}, closed: () => {} };
const UPGRADE = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
};

function requestText(port: number, line: string, headers: Record<string, string>): string {
  const all = { Host: `127.0.0.1:${port}`, Connection: "close", ...headers };
  const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${fields.join("")}\r\n`;
}

function connectRaw(port: number, options: { allowHalfOpen?: boolean } = {}): Socket {
  const socket = connect({ port, host: "127.0.0.1", ...options });
  socket.on("error", () => {});
  socket.resume();
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Raw HTTP, because fetch does not allow setting `Host` or `Origin`. */
async function httpRequest(port: number, line: string, headers: Record<string, string>) {
  const socket = connectRaw(port);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.write(requestText(port, line, headers));
  await new Promise((resolve) => socket.once("close", resolve));
  const [head = "", body = ""] = Buffer.concat(chunks).toString().split("\r\n\r\n");
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1]), body };
}
