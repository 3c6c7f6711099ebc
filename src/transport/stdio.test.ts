import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { silentLogger } from "../base/logger.ts";
import { createDeferred } from "../base/tasks.ts";
import { openStdio } from "./stdio.ts";
import { transportContract } from "./transport.contract.ts";
import { type CloseReason, defaultTransportLimits } from "./transport.ts";

transportContract("stdio", async (limits) => {
  const input = new PassThrough();
  const output = new PassThrough();
  const received: string[] = [];
  const closed = createDeferred<void>();
  output.setEncoding("utf8");
  output.on("data", (chunk: string) => received.push(chunk));
  const server = openStdio({ input, output, limits: () => limits, log: silentLogger });
  return {
    server: {
      ...server,
      close() {
        server.close();
        closed.resolve();
      },
    },
    client: {
      send: (text: string) => void input.write(`${text}\n`),
      received,
      drop: () => void input.end(),
      closed: closed.promise,
    },
    dispose: async () => void input.destroy(),
  };
});

test("a slow reader pauses input until it has caught up", async () => {
  const input = new PassThrough();
  const output = new PassThrough({ highWaterMark: 1000 });
  const limits = { ...defaultTransportLimits, outboundBytes: 200_000 };
  const transport = openStdio({ input, output, limits: () => limits, log: silentLogger });
  const messages: string[] = [];
  transport.start({ message: (text) => messages.push(text), closed: () => {} });
  transport.send("x".repeat(500_000), "response");
  await new Promise(setImmediate);
  expect(input.isPaused()).toBe(true);

  input.write("held back\n");
  await new Promise(setImmediate);
  expect(messages).toEqual([]);
  output.resume();
  await once(output, "drain");
  await expect.poll(() => messages).toEqual(["held back"]);
});

test("a client that does not read notices is disconnected", async () => {
  const output = new PassThrough({ highWaterMark: 1000 });
  const limits = { ...defaultTransportLimits, outboundBytes: 200_000 };
  const transport = openStdio({ input: new PassThrough(), output, limits: () => limits, log: silentLogger });
  const closed = createDeferred<CloseReason>();
  transport.start({ message: () => {}, closed: closed.resolve });
  const flood = setInterval(() => transport.send("x".repeat(100_000), "notice"), 0);
  onTestFinished(() => clearInterval(flood));
  expect(await closed.promise).toMatchObject({ kind: "overflow" });
  expect(transport.backlog?.waitingBytes()).toBeLessThan(3_000_000);
});
