/** The client that the authors of the protocol publish follows a stream through restarts of the server. */
import { stream } from "@durable-streams/client";
import { expect, onTestFinished, test } from "vitest";
import { createDeferred } from "../../src/base/tasks.ts";
import { createMemoryLogs, MemoryLog } from "../../src/server/http/durable-stream/memory-log.fixture.ts";
import { openStreams } from "./open-streams.ts";

interface Numbered {
  readonly n: number;
}

const ROUNDS = 3;
const PER_ROUND = 20;

function openRestartable() {
  const log = new MemoryLog("application/json");
  const logs = createMemoryLogs(new Map([["t1", log]]));
  const limits = { longPollMs: 500 };
  let count = 0;
  return {
    log,
    open: (port = 0) => openStreams({ logs, limits, port }),
    async write(): Promise<void> {
      for (let index = 0; index < PER_ROUND; index += 1) {
        count += 1;
        log.append(null, JSON.stringify({ n: count }));
        await new Promise(setImmediate);
      }
    },
  };
}

const expected = Array.from({ length: ROUNDS * PER_ROUND }, (_, index) => index + 1);

test.each(["long-poll", "sse"] as const)("each event comes once, in order: %s", async (live) => {
  const { log, open, write } = openRestartable();
  let server = await open();
  onTestFinished(() => server.close());
  const { port } = server;
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const received: number[] = [];
  const isComplete = createDeferred<void>();
  let offset = "-1";

  /** An SSE connection that is cut ends the client; it is opened again after the last batch. */
  async function follow(): Promise<void> {
    while (!controller.signal.aborted) {
      const url = `http://127.0.0.1:${port}/threads/t1/events`;
      try {
        const response = await stream<Numbered>({ url, offset, live, json: true, signal: controller.signal });
        response.subscribeJson((batch) => {
          received.push(...batch.items.map(({ n }) => n));
          ({ offset } = batch);
          if (received.length >= expected.length) isComplete.resolve();
        });
        await response.closed;
      } catch {
        await new Promise(setImmediate);
      }
    }
  }
  const following = follow();
  for (let round = 0; round < ROUNDS; round += 1) {
    await write();
    await expect.poll(() => log.subscribers(), { timeout: 10_000 }).toBeGreaterThan(0);
    if (round === ROUNDS - 1) break;
    await server.close();
    server = await open(port);
  }
  await isComplete.promise;
  expect(received).toEqual(expected);
  controller.abort();
  await following;
});
