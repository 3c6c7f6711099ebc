/** Threads that cannot be loaded leave nothing behind that blocks a later attempt. */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openEmbedded } from "../support/embedded.ts";

/** A required MCP server that cannot be started. */
const BROKEN = { mcp_servers: { broken: { command: "/nowhere/server", required: true } } };

const THREAD = "11111111-1111-4111-8111-111111111111";

async function open(config = "") {
  const { folders, heddle } = await openEmbedded(config);
  return { folders, client: await heddle.connect({ capabilities: { experimentalApi: true } }) };
}

async function start() {
  const { folders, client } = await open();
  const { thread } = await client.thread.start({});
  await client.runTurn({ threadId: thread.id, input: [{ type: "text", text: "Hello" }] });
  const storedThreads = (): string[] =>
    readdirSync(join(folders.home, "sessions"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".jsonl"))
      .map((path) => path.slice(-"00000000-0000-0000-0000-000000000000.jsonl".length, -".jsonl".length));
  return { client, threadId: thread.id, storedThreads };
}

test("a fork that could not be loaded can be resumed", async () => {
  const { client, threadId, storedThreads } = await start();
  await expect(client.thread.fork({ threadId, config: BROKEN })).rejects.toThrow("error creating thread");
  const [fork = ""] = storedThreads().filter((id) => id !== threadId);
  const { thread } = await client.thread.resume({ threadId: fork });
  expect([thread.forkedFromId, thread.status]).toEqual([threadId, { type: "idle" }]);
});

test("a thread that could not be resumed can be resumed otherwise", async () => {
  const { client, threadId } = await start();
  await client.thread.unsubscribe({ threadId });
  await expect(client.thread.resume({ threadId, config: BROKEN })).rejects.toThrow("error resuming thread");
  const { thread } = await client.thread.resume({ threadId });
  expect(thread.status).toEqual({ type: "idle" });
});

test("what a broken configuration has kept from being opened is opened once that is mended", async () => {
  const { folders, client } = await open('profile = "gone"');
  const read = () => client.thread.turns.list({ threadId: THREAD });
  await expect(read()).rejects.toThrow("is no longer supported");
  writeFileSync(join(folders.home, "config.toml"), "");
  await expect(read()).rejects.toThrow("thread not loaded");
});
