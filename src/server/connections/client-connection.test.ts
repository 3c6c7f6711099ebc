import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import type { PendingRequests } from "../../jsonrpc/pending-requests.ts";
import { createMemoryTransports } from "../../transport/memory.ts";
import type { ConnectionOrigin } from "../../transport/transport.ts";
import { openClientConnection } from "./client-connection.ts";

const START = Date.UTC(2026, 10, 18);

function open(members: Partial<ConnectionOrigin>) {
  const clock = createFakeClock(START);
  const [transport] = createMemoryTransports();
  const closed: number[] = [];
  const connection = openClientConnection({
    id: 1,
    transport: { ...transport, origin: { transport: "websocket", from: "127.0.0.1", ...members } },
    pending: () => ({}) as PendingRequests,
    waitingBytes: () => 0,
    clock,
    log: silentLogger,
    onRequest() {},
    onClosed: () => void closed.push(clock.now() - START),
  });
  return { clock, connection, closed };
}

test("a connection closes when its token expires", async () => {
  const { clock, connection, closed } = open({ subject: "alice", expiresAtMs: START + 150_000 });
  expect(connection.subject).toBe("alice");
  clock.advance(149_999);
  await Promise.resolve();
  expect(closed).toEqual([]);
  clock.advance(1);
  await expect.poll(() => closed).toEqual([150_000]);
  expect(clock.waiting).toEqual([]);
});

test("a connection whose token expires during sleep closes within a minute of waking", async () => {
  const { clock, closed } = open({ expiresAtMs: START + 3_600_000 });
  clock.advance(30_000);
  clock.set(START + 7_200_000);
  clock.advance(60_000);
  await expect.poll(() => closed.length).toBe(1);
});

test("a connection that closes earlier cancels its timer, and one without a token has none", async () => {
  const { clock, connection, closed } = open({ expiresAtMs: START + 150_000 });
  connection.close();
  await expect.poll(() => closed.length).toBe(1);
  expect([clock.waiting, open({}).clock.waiting]).toEqual([[], []]);
});
