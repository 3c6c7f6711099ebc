import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { createClients, type RecordingClient } from "./client-work.fixture.ts";
import { createWatchHandlers } from "./watches.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "heddle-watches-")));
  const created = root;
  onTestFinished(() => rmSync(created, { recursive: true, force: true }));
});

function setUp(maxWatches?: number) {
  const { notifier, connect } = createClients();
  let leave: (connection: ClientConnection) => void = () => {};
  const handlers = createWatchHandlers({
    clock: systemClock,
    log: silentLogger,
    notifier,
    onDisconnect: (listener) => void (leave = listener),
    ...(maxWatches === undefined ? {} : { maxWatches }),
  });
  function client() {
    const one = connect();
    onTestFinished(() => leave(one.connection));
    return one;
  }
  return {
    client,
    leave: ({ connection }: RecordingClient) => leave(connection),
    watch: async ({ context }: RecordingClient, watchId: string, path: string) =>
      handlers["fs/watch"]({ watchId, path }, context),
    unwatch: async ({ context }: RecordingClient, watchId: string) =>
      handlers["fs/unwatch"]({ watchId }, context),
  };
}

const changed = (watchId: string, ...names: string[]) => [
  "fs/changed",
  { watchId, changedPaths: names.map((name) => join(root, name)) },
];

test("a watch answers with the plain path, and only its own client hears of changes", async () => {
  const { client, watch } = setUp();
  const [one, other] = [client(), client()];
  expect(await watch(one, "w", `${root}/x/../`)).toEqual({ path: root });
  writeFileSync(join(root, "f"), "");
  expect(await one.until("fs/changed")).toEqual([changed("w", "f")]);
  expect(other.received).toEqual([]);
});

test("the name is taken on its connection until the watch is given up", async () => {
  const { client, unwatch, watch } = setUp();
  const [one, other] = [client(), client()];
  await watch(one, "w", root);
  await expect(watch(one, "w", root)).rejects.toMatchObject({
    code: -32600,
    message: "watchId already exists: w",
  });
  expect(await watch(other, "w", root)).toEqual({ path: root });
  expect(await unwatch(one, "unknown")).toEqual({});
  expect(await unwatch(one, "w")).toEqual({});
  writeFileSync(join(root, "f"), "");
  expect(await other.until("fs/changed")).toEqual([changed("w", "f")]);
  expect(one.received).toEqual([]);
  expect(await watch(one, "w", root)).toEqual({ path: root });
});

test("watches end with their connection", async () => {
  const { client, leave, watch } = setUp();
  const [one, other] = [client(), client()];
  await watch(one, "w", root);
  await watch(other, "w", root);
  leave(one);
  writeFileSync(join(root, "f"), "");
  await other.until("fs/changed");
  expect(one.received).toEqual([]);
});

test("a connection has so many watches at most", async () => {
  const { client, unwatch, watch } = setUp(1);
  const one = client();
  await watch(one, "first", root);
  await expect(watch(one, "second", root)).rejects.toThrow("too many paths are watched on this connection");
  await unwatch(one, "first");
  expect(await watch(one, "second", root)).toEqual({ path: root });
});
