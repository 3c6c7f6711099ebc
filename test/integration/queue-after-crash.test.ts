/** What becomes of a queued turn whose server is killed between its claim and the first line of the turn. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test, vi } from "vitest";
import { messageReply } from "../support/model-events.ts";
import { list, openQueueHarness, startThread, startTurn } from "../support/queue-harness.ts";

const PATIENCE = { timeout: 20_000, interval: 50 };
const WS = { transport: "ws" } as const;
const CLAIMED_AS = "019a0000-0000-7000-8000-000000000001";

/** Claims a queued turn in a process of its own, and kills that process. */
async function crashWithClaim(home: string, threadId: string, begun: boolean): Promise<void> {
  const outfile = join(".cache", "programs", "claim-row.mjs");
  await build({
    entryPoints: ["test/support/claim-row.ts"],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
  const args = [outfile, home, threadId, CLAIMED_AS, begun ? "begun" : "claimed"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
}

interface Read {
  readonly thread: { readonly turns: readonly { readonly id: string; readonly status: string }[] };
}

test.each([
  ["failed", false, { rows: ["failed"], turns: ["completed"], requests: 1 }],
  ["retry", false, { rows: [], turns: ["completed", "completed"], requests: 2 }],
  ["failed", true, { rows: [], turns: ["completed", "interrupted"], requests: 1 }],
  ["retry", true, { rows: [], turns: ["completed", "interrupted"], requests: 1 }],
] as const)("after_crash %s, and a turn that has begun: %s", async (afterCrash, begun, expected) => {
  const tables = `[queue]\nbackground = true\nafter_crash = '${afterCrash}'\n`;
  const harness = await openQueueHarness([messageReply("Done")], tables);
  const before = await harness.open(WS);
  const threadId = await startThread(before.client);
  await startTurn(before.client, threadId, "hello");
  await before.client.next({ method: "turn/completed" });
  await before.kill();
  await crashWithClaim(harness.home.home, threadId, begun);

  const { client } = await harness.open(WS);
  const state = async () => {
    const { data } = await list(client, threadId);
    const read = (await client.result("thread/read", { threadId, includeTurns: true })) as Read;
    const { requests } = harness.model;
    return {
      rows: data.map(({ status }) => status.type),
      turns: read.thread.turns.map(({ status }) => status),
      requests: requests.length,
    };
  };
  await vi.waitFor(async () => expect(await state()).toEqual(expected), PATIENCE);
  const read = (await client.result("thread/read", { threadId, includeTurns: true })) as Read;
  // A turn that is started again has an id of its own.
  if (expected.turns.length === 2) expect(read.thread.turns[1]?.id === CLAIMED_AS).toBe(begun);
});
