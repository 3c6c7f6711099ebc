import { expect, test } from "vitest";
import { ACK_BYTES, FRAME, type FrameSink } from "./frame.ts";
import { createRemoteProcess } from "./remote-process.ts";

test("output is acknowledged in large amounts, and never more than arrived", () => {
  const acknowledged: number[] = [];
  const sink: FrameSink = {
    send() {},
    sendNumber: (kind, _id, value) => void (kind === FRAME.ack && acknowledged.push(value)),
  };
  let read = 0;
  const remote = createRemoteProcess(1, sink, (chunk) => {
    read += chunk.length;
  });
  const take = (bytes: number) => remote.take({ kind: FRAME.stdout, body: Buffer.alloc(bytes) });
  take(ACK_BYTES - 1);
  expect(acknowledged).toEqual([]);
  take(2);
  take(5);
  expect(acknowledged).toEqual([ACK_BYTES + 1]);
  take(ACK_BYTES * 2);
  expect(acknowledged).toEqual([ACK_BYTES + 1, ACK_BYTES * 2 + 5]);
  expect(read).toBe(ACK_BYTES * 3 + 6);
});
