/** How answers reach readers that are slow, or do not read at all. */
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createDeferred } from "../base/tasks.ts";
import type { HttpAnswer } from "./http-routes.ts";
import { sendHttpAnswer } from "./send-http-answer.ts";

const STALL_MS = 300;
const LARGE = Buffer.alloc(40_000_000, "x");

/** A server with one answer, and the promise that it was sent or its reader is gone. */
async function serve(body: HttpAnswer["body"]) {
  const sent = createDeferred<void>();
  const server = createServer((request, response) => {
    const isHead = request.method === "HEAD";
    void sendHttpAnswer(response, { status: 200, headers: {}, body }, { isHead, stallMs: STALL_MS }).then(
      sent.resolve,
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, sent: sent.promise };
}

async function request(port: number): Promise<IncomingMessage> {
  const [response] = (await once(get({ port, host: "127.0.0.1", agent: false }), "response")) as [
    IncomingMessage,
  ];
  return response;
}

/** Its `finally` runs when the sender leaves it. */
async function* partsOf(parts: readonly Buffer[], onEnd: () => void): AsyncGenerator<Buffer> {
  try {
    yield* parts;
  } finally {
    onEnd();
  }
}

test.each([
  ["a text", "hello", "hello", "5"],
  ["bytes", Buffer.from("hello"), "hello", "5"],
  ["nothing", "", "", "0"],
])("%s is sent with its length", async (_, body, expected, length) => {
  const { port, sent } = await serve(body);
  const response = await request(port);
  expect({ text: await textOf(response), length: response.headers["content-length"] }).toEqual({
    text: expected,
    length,
  });
  await sent;
});

test("the parts of an iterable arrive in order, and large ones whole", async () => {
  const parts = [Buffer.from("a"), Buffer.alloc(1_000_000, "b"), Buffer.from("c")];
  const { port, sent } = await serve(partsOf(parts, () => {}));
  expect(await textOf(await request(port))).toBe(Buffer.concat(parts).toString());
  await sent;
});

test.each([
  ["an answer", () => LARGE],
  ["a stream", (onEnd: () => void) => partsOf([LARGE, LARGE], onEnd)],
])("a reader that takes nothing of %s is disconnected", async (_, bodyOf) => {
  let isEnded = false;
  const { port, sent } = await serve(bodyOf(() => void (isEnded = true)));
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await sent;
  expect(isEnded).toBe(bodyOf(() => {}) !== LARGE);
  const closed = once(socket, "close");
  socket.resume();
  await closed;
});

test("a reader stays connected while it reads, however slowly", async () => {
  const { port, sent } = await serve(LARGE);
  const response = await request(port);
  const started = Date.now();
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (Date.now() - started > 3 * STALL_MS) return;
    response.pause();
    setTimeout(() => response.resume(), 5);
  });
  await once(response, "end");
  expect([bytes, Date.now() - started > 3 * STALL_MS]).toEqual([LARGE.length, true]);
  await sent;
});

test("a reader that goes away ends the stream", async () => {
  const ended = createDeferred<void>();
  const endless = async function* endless(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield LARGE.subarray(0, 100_000);
    } finally {
      ended.resolve();
    }
  };
  const { port, sent } = await serve(endless());
  const response = await request(port);
  await once(response, "data");
  response.destroy();
  await ended.promise;
  await sent;
});
