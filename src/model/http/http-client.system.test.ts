import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { createHttpClient, type HttpBody, type HttpClient, toTarget } from "./http-client.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Stage {
  readonly client: HttpClient;
  /** Sends a request, and returns the status and the text, or the kind of failure. */
  ask(own?: { body?: HttpBody; headers?: Record<string, string> }): Promise<string>;
  /** What each connection has sent to the server. */
  readonly received: string[];
  readonly sockets: Socket[];
}

/** `answer` is called for each request, as soon as its head has arrived. */
async function stage(answer: (socket: Socket, request: number) => unknown): Promise<Stage> {
  const received: string[] = [];
  const sockets: Socket[] = [];
  let requests = 0;
  const server: Server = createServer((socket) => {
    const index = sockets.push(socket) - 1;
    received.push("");
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      const before = received[index] ?? "";
      received[index] = before + bytes.toString("latin1");
      const heads = (text: string) => text.split("\r\n\r\n").length - 1;
      for (let count = heads(before); count < heads(received[index] ?? ""); count += 1)
        answer(socket, (requests += 1));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const client = createHttpClient(createFakeClock(), {});
  cleanups.push(
    () => new Promise((resolve) => void server.close(resolve)),
    () => sockets.map((socket) => socket.destroy()),
    () => client.close(),
  );
  const { port } = server.address() as AddressInfo;
  const target = toTarget(new URL(`http://127.0.0.1:${port}/v1/x?y=1`));
  return {
    client,
    received,
    sockets,
    async ask({ body = ["{}"], headers = {} } = {}) {
      const outcome = await client.send({ target, headers, body }, new AbortController().signal);
      if (outcome.kind !== "answered") return outcome.kind === "broken" ? outcome.cause : outcome.kind;
      return `${outcome.response.status} ${await outcome.response.text()}`;
    },
  };
}

const turn = () => new Promise((resolve) => void setTimeout(resolve, 20));
const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

test("a request has the path, the headers and the body, with its length in bytes", async () => {
  const { ask, received } = await stage((socket) => socket.write(OK));
  expect(await ask({ body: ["é", Buffer.from("ü")], headers: { "x-a": "é" } })).toBe("200 ok");
  expect(Buffer.from(received[0] ?? "", "latin1").toString("latin1")).toMatch(
    /^POST \/v1\/x\?y=1 HTTP\/1\.1\r\nconnection: keep-alive\r\nhost: 127\.0\.0\.1:\d+\r\nx-a: é\r\ncontent-length: 4\r\n\r\nÃ©Ã¼$/u,
  );
});

test.each([
  ["a value", { "x-a": "1\r\nx-b: 2" }],
  ["a name", { "x-a: 1\r\nx-b": "2" }],
])("%s that would begin another header is not sent", async (_name, headers) => {
  const { ask, sockets } = await stage((socket) => socket.write(OK));
  expect(await ask({ headers })).toBe("unreachable");
  expect(sockets).toHaveLength(0);
});

test("a body has one length only", async () => {
  const { ask, received } = await stage((socket) => socket.write(OK));
  await ask({ headers: { "transfer-encoding": "chunked", "content-length": "9" } });
  expect(received[0]).toContain("content-length: 2\r\n");
  expect(received[0]).not.toContain("transfer-encoding");
});

test("a response may arrive byte by byte, behind early hints", async () => {
  const { ask } = await stage(async (socket) => {
    socket.setNoDelay(true);
    for (const byte of `HTTP/1.1 103 Early Hints\r\n\r\n${OK}`) {
      socket.write(byte);
      await new Promise(setImmediate);
    }
  });
  expect(await ask()).toBe("200 ok");
});

test("a connection is used again, unless the server closes it", async () => {
  const { ask, sockets } = await stage((socket, request) =>
    socket.write(request === 2 ? OK.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n") : OK),
  );
  for (let count = 0; count < 4; count += 1) expect(await ask()).toBe("200 ok");
  expect(sockets).toHaveLength(2);
});

test("a connection is used again after a request that does not fit into the socket", async () => {
  let expected = 0;
  const { ask, sockets, received } = await stage((socket) => {
    expected += 8 * 1024 * 1024;
    const check = () => ((received[0]?.length ?? 0) > expected ? socket.write(OK) : setTimeout(check, 5));
    check();
  });
  const body = ["x".repeat(4 * 1024 * 1024), Buffer.alloc(4 * 1024 * 1024, "y")];
  expect([await ask({ body }), await ask({ body })]).toEqual(["200 ok", "200 ok"]);
  expect(sockets).toHaveLength(1);
});

test("bytes behind a response, or while nothing is asked, are no response", async () => {
  const { ask, sockets } = await stage((socket, request) => {
    socket.write(request === 1 ? OK + OK.replace("ok", "no") : OK);
    if (request === 2) setTimeout(() => socket.write(OK.replace("ok", "no")), 5);
  });
  for (let count = 0; count < 3; count += 1) {
    expect(await ask()).toBe("200 ok");
    await turn();
  }
  expect(sockets).toHaveLength(3);
});

test("a response that comes before the whole request ends the connection", async () => {
  const { ask, sockets } = await stage((socket, request) => {
    if (request === 1) socket.pause();
    socket.write(OK);
  });
  expect(await ask({ body: ["x".repeat(32 * 1024 * 1024)] })).toBe("200 ok");
  sockets[0]?.resume();
  expect(await ask()).toBe("200 ok");
  expect(sockets).toHaveLength(2);
});

test.each([
  ["headers that are too long", `HTTP/1.1 200 OK\r\na: ${"x".repeat(20_000)}\r\n\r\n`, /too long/u],
  ["no HTTP", "SSH-2.0-x\r\n\r\n", /not HTTP/u],
  ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab", /not HTTP/u],
])("a server with %s is a broken one", async (_name, text, cause) => {
  const { ask, sockets } = await stage((socket) => socket.write(text));
  expect(await ask()).toMatch(cause);
  await turn();
  expect(sockets[0]?.destroyed).toBe(true);
});

test("a connection that is lost within the head, or a chunk that is invalid, ends the response", async () => {
  const chunks = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n";
  const { ask } = await stage((socket, request) => {
    if (request === 1) socket.end("HTTP/1.1 200");
    else socket.write(chunks);
  });
  expect(await ask()).toBe("socket hang up");
  expect(await ask()).toBe("200 ok");
});

test("a response without a length ends with the connection", async () => {
  const { ask, sockets } = await stage((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nall of it"));
  expect([await ask(), await ask()]).toEqual(["200 all of it", "200 all of it"]);
  expect(sockets).toHaveLength(2);
});

test("idle connections close with the client", async () => {
  const { ask, sockets, client } = await stage((socket) => socket.write(OK));
  await Promise.all([ask(), ask()]);
  client.close();
  await turn();
  expect(sockets.map((socket) => socket.readableEnded || socket.destroyed)).toEqual([true, true]);
});

test("a connection is not used longer than the server says", async () => {
  const { ask, sockets } = await stage((socket) =>
    socket.write(OK.replace("\r\n\r\n", "\r\nKeep-Alive: timeout=0\r\n\r\n")),
  );
  expect([await ask(), await ask()]).toEqual(["200 ok", "200 ok"]);
  expect(sockets).toHaveLength(2);
});
