/** The client that the authors of the protocol publish follows a stream through restarts and cut connections. */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { stream } from "@durable-streams/client";
import { expect, onTestFinished, test } from "vitest";
import { createMemoryLogs, MemoryLog } from "../../src/server/http/durable-stream/memory-log.fixture.ts";
import { openStreams } from "./open-streams.ts";

/** Fewer faults than make the client choose long-poll in place of SSE. */
const ROUNDS = 3;
const PER_ROUND = 20;
const expected = Array.from({ length: ROUNDS * PER_ROUND }, (_, index) => index + 1);

/** A proxy whose connections can be cut, as those of a killed server are. */
async function openProxy(portOf: () => number) {
  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect(portOf(), "127.0.0.1");
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        from.destroy();
        to.destroy();
      });
    }
    from.pipe(to).pipe(from);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const cut = () => sockets.forEach((socket) => void socket.resetAndDestroy());
  return { port, cut, close: () => server.close() };
}

async function openServer() {
  const log = new MemoryLog("application/json");
  const logs = createMemoryLogs(new Map([["t1", log]]));
  const open = (port = 0) => openStreams({ logs, limits: { longPollMs: 500, pageBytes: 100 }, port });
  let server = await open();
  const proxy = await openProxy(() => server.port);
  onTestFinished(async () => {
    proxy.cut();
    proxy.close();
    await server.close();
  });
  let count = 0;
  return {
    log,
    url: `http://127.0.0.1:${proxy.port}/threads/t1/events`,
    cut: proxy.cut,
    async restart(): Promise<void> {
      await server.close();
      server = await open(server.port);
    },
    async write(): Promise<void> {
      for (let index = 0; index < PER_ROUND; index += 1) {
        count += 1;
        log.append(null, JSON.stringify({ n: count }));
        await new Promise(setImmediate);
      }
    },
  };
}

test.each([
  ["long-poll", "restart"],
  ["long-poll", "cut"],
  ["sse", "restart"],
  ["sse", "cut"],
] as const)("each event comes once and in order: %s, %s", async (live, fault) => {
  const { log, url, write, ...faults } = await openServer();
  const controller = new AbortController();
  const { signal } = controller;
  const received: number[] = [];
  let offset = "-1";

  /** A connection that is cut may end the client; it is opened again after the last batch. */
  async function follow(): Promise<void> {
    while (!signal.aborted) {
      try {
        const response = await stream<{ readonly n: number }>({ url, offset, live, json: true, signal });
        response.subscribeJson((batch) => {
          received.push(...batch.items.map(({ n }) => n));
          ({ offset } = batch);
        });
        await response.closed;
      } catch {
        await new Promise(setImmediate);
      }
    }
  }
  const following = follow();
  for (let round = 1; round <= ROUNDS; round += 1) {
    await expect.poll(() => log.subscribers(), { timeout: 10_000 }).toBeGreaterThan(0);
    await write();
    if (round < ROUNDS) await faults[fault]();
  }
  await expect.poll(() => received.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(expected.length);
  expect(received).toEqual(expected);
  controller.abort();
  await following;
});
