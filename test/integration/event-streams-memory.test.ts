/** Replays of a long history to clients that leave in the middle of it: the memory of the server stays flat. */
import { expect, onTestFinished, test } from "vitest";
import { makeLongThread } from "../bench/make-rollouts.ts";
import { treeMemory } from "../bench/memory.ts";
import { modelConfig } from "../support/model-config.ts";
import { startServer } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

/** `HISTORY_MB=1000` tries a gigabyte. */
const HISTORY_MB = Number(process.env["HISTORY_MB"] ?? 100);
const ITEM_BYTES = 50_000;
const RECONNECTS = 50;
const WARM_UP = 10;
const READ_BYTES = 8 * 1024 * 1024;
/** What the collector may leave for later. */
const ALLOWED_GROWTH_KB = 60 * 1024;

test("fifty clients that leave in the middle of a replay leave nothing behind", {
  timeout: 300_000,
}, async () => {
  const home = await createTempHome({ config: modelConfig("http://127.0.0.1:9") });
  onTestFinished(() => home.remove());
  const turns = Math.ceil((HISTORY_MB * 1024 * 1024) / ITEM_BYTES);
  const threadId = makeLongThread(home.home, { turns, itemBytes: ITEM_BYTES });
  const server = await startServer({ transport: "ws", home });
  onTestFinished(async () => void (await server.stop()));

  async function readAndLeave(): Promise<void> {
    const wire = await server.openWire();
    let read = 0;
    const enough = new Promise<void>((resolve) => {
      wire.onText((text) => {
        read += text.length;
        if (read >= READ_BYTES) resolve();
      });
    });
    const capabilities = { experimentalApi: true, resumableEvents: true };
    const clientInfo = { name: "test", version: "1" };
    wire.send(JSON.stringify({ id: 1, method: "initialize", params: { clientInfo, capabilities } }));
    wire.send(JSON.stringify({ id: 2, method: "thread/subscribe", params: { threadId, afterSeq: null } }));
    await enough;
    wire.close();
  }

  for (let index = 0; index < WARM_UP; index += 1) await readAndLeave();
  const before = await treeMemory(server.child.pid);
  for (let index = WARM_UP; index < RECONNECTS; index += 1) await readAndLeave();
  expect(await treeMemory(server.child.pid)).toBeLessThan(before + ALLOWED_GROWTH_KB);
});
