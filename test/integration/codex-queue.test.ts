/** `codex queue --remote` of the real peer, against Heddle. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ensurePeer, PEER_VERSION } from "../conformance/peer.ts";
import { Child } from "../support/child.ts";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { add, DONE, HELD, list, openQueueHarness, startThread, startTurn } from "../support/queue-harness.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { serverEnvironment } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

const CACHE = join(process.cwd(), ".cache");
const isHere = existsSync(join(CACHE, "peer", PEER_VERSION, "node_modules"));
const reason = isHere ? "" : " [needs the peer: run npm run conformance once]";

/** A program of the peer on its own home, which queues turns at the server with this address. */
async function codexQueue(address: string | undefined, args: readonly string[]) {
  const { program } = await ensurePeer(CACHE, () => {});
  const folder = await makeHomesFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 12, retryDelay: 100 }));
  const home = await createTempHome({ under: folder, config: "[analytics]\nenabled = false\n" });
  const child = new Child({
    command: program.command,
    args: [...program.args, "queue", "--remote", `ws://${address}`, ...args],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  onTestFinished(() => child.stop().then(() => {}));
  child.endInput();
  const { code } = await child.exit;
  return { code, said: child.stdout + child.stderr };
}

/** The user messages of a thread, once so many turns have ended. */
async function asked(client: RpcClient, threadId: string, turns: number): Promise<unknown[]> {
  for (let ended = 0; ended < turns; ended += 1)
    await client.next({ method: "turn/completed", params: { threadId } });
  const { thread } = (await client.result("thread/read", { threadId, includeTurns: true })) as {
    thread: { turns: { items: { type: string; content: { text: string }[] }[] }[] };
  };
  return thread.turns.flatMap(({ items }) =>
    items.flatMap(({ type, content }) => (type === "userMessage" ? [content[0]?.text] : [])),
  );
}

const inputsOf = async (client: RpcClient, threadId: string) =>
  (await list(client, threadId)).data.map(({ input }) => input[0]?.text);

test.skipIf(!isHere)(`what codex queues for an idle thread starts at once${reason}`, async () => {
  const { open } = await openQueueHarness([DONE]);
  const { client, address } = await open({ transport: "ws" });
  const threadId = await startThread(client);
  await startTurn(client, threadId, "Go");
  await client.next({ method: "turn/completed" });
  expect(await codexQueue(address, ["--thread", threadId, "--message", "And then"])).toMatchObject({
    code: 0,
  });
  expect(await asked(client, threadId, 1)).toEqual(["Go", "And then"]);
});

test.skipIf(!isHere)(`what codex queues for a busy thread waits behind what is there${reason}`, async () => {
  const { open, model } = await openQueueHarness([HELD, DONE]);
  const { client, address } = await open({ transport: "ws" });
  const threadId = await startThread(client);
  await startTurn(client, threadId, "Go");
  await model.arrived(1);
  await add(client, threadId, "first");
  expect(await codexQueue(address, ["--thread", threadId, "--message", "second"])).toMatchObject({ code: 0 });
  expect(await inputsOf(client, threadId)).toEqual(["first", "second"]);
  model.release();
  expect(await asked(client, threadId, 3)).toEqual(["Go", "first", "second"]);
});

test.skipIf(!isHere)(
  `what codex queues for an unloaded thread waits until it is resumed${reason}`,
  async () => {
    const { open, model } = await openQueueHarness([DONE]);
    const first = await open({ transport: "ws" });
    const threadId = await startThread(first.client);
    await startTurn(first.client, threadId, "Go");
    await first.client.next({ method: "turn/completed" });
    await first.kill();
    const { client, address } = await open({ transport: "ws" });
    expect(await codexQueue(address, ["--thread", threadId, "--message", "one"])).toMatchObject({ code: 0 });
    expect(await inputsOf(client, threadId)).toEqual(["one"]);
    const resuming = ["--thread", threadId, "--message", "two", "--resume"];
    expect(await codexQueue(address, resuming)).toMatchObject({ code: 0 });
    // Both have started, and only the peer has requested the thread.
    await model.arrived(3);
    expect(await asked(client, threadId, 0)).toEqual(["Go", "one", "two"]);
  },
);

test.skipIf(!isHere)(`codex says what Heddle refuses${reason}`, async () => {
  const { open } = await openQueueHarness([DONE]);
  const { address } = await open({ transport: "ws" });
  const threadId = "019a8b00-0000-7000-8000-000000000000";
  const refused = await codexQueue(address, ["--thread", threadId, "--message", "x"]);
  expect(refused.code).not.toBe(0);
  expect(refused.said).toContain(threadId);
});
