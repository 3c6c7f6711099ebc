// What happens in a turn, as it happens; and a turn that is steered, and one that is given up.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHeddle } from "heddle";

const home = await mkdtemp(join(tmpdir(), "heddle-example-"));
const heddle = await createHeddle({ home });
const thread = await (await heddle.connect()).startThread();

const stream = thread.stream("think about streams");
for await (const event of stream) {
  if (event.method === "item/reasoning/summaryTextDelta") process.stdout.write(event.params.delta);
  if (event.method === "item/agentMessage/delta") process.stdout.write(event.params.delta);
}
const { usage } = await stream.result;
console.log(`\n${usage?.last.totalTokens} tokens`);

// A message that joins the turn that runs.
const slow = thread.stream("slow");
await slow.turnId;
await slow.steer("Hello in between!");
assert.equal((await slow.result).turn.status, "completed");

// A signal ends it, here and on the server.
const giveUp = new AbortController();
const endless = thread.stream("slow", { signal: giveUp.signal });
for await (const event of endless) if (event.method === "item/agentMessage/delta") break;
giveUp.abort(new Error("long enough"));
await assert.rejects(endless.result, /long enough/);
await heddle.close();
await rm(home, { recursive: true });
