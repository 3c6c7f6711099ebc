import { expect, test } from "vitest";
import { createDeferred } from "../base/tasks.ts";
import { createMemoryTransports } from "./memory.ts";
import { transportContract } from "./transport.contract.ts";
import { type CloseReason, NO_BACKLOG } from "./transport.ts";

transportContract("memory", async () => {
  const [server, other] = createMemoryTransports();
  const received: string[] = [];
  const closed = createDeferred<void>();
  other.start({ message: (text) => received.push(text), closed: () => closed.resolve() });
  return {
    server,
    client: {
      send: (text) => other.send(text, "response"),
      received,
      drop: () => other.close(),
      closed: closed.promise,
    },
    dispose: async () => other.close(),
  };
});

test("messages to an end that never starts are bounded", async () => {
  const [left, right] = createMemoryTransports();
  const closed = createDeferred<CloseReason>();
  left.start({ message: () => {}, closed: closed.resolve });
  const text = "x".repeat(1_000_000);
  for (let count = 0; count < 70; count += 1) left.send(text, "notice");
  expect(await closed.promise).toMatchObject({ kind: "overflow" });
  const late: string[] = [];
  right.start({ message: (message) => late.push(message), closed: () => {} });
  expect(late).toEqual([]);
});

test("an end reports the backlog behind a forwarding end", () => {
  const downstream = { ...NO_BACKLOG, isBehind: () => true };
  const [left, right] = createMemoryTransports(downstream);
  expect([left.backlog?.isBehind(), right.backlog?.isBehind()]).toEqual([true, false]);
});
