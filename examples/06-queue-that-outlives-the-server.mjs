// Turns that wait: added once, kept, and worked off by whichever server has the thread.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHeddle } from "heddle";

const home = await mkdtemp(join(tmpdir(), "heddle-example-"));
const experimental = { capabilities: { experimentalApi: true } };

const first = await createHeddle({ home });
const thread = await (await first.connect(experimental)).startThread();
await thread.run("Hello!");
await thread.queue.pause("the example is not ready");
await thread.queue.add("First.", { clientUserMessageId: "first" });
// The same key again, as a script does that is not sure whether it has: it counts once.
await thread.queue.add("First.", { clientUserMessageId: "first" });
await thread.queue.add("Second.", { notBefore: new Date() });
assert.equal((await thread.queue.list()).data.length, 2);
await first.close();

const second = await createHeddle({ home });
const client = await second.connect(experimental);
let left = 2;
const allDone = new Promise((resolve) => {
  client.on("turn/completed", ({ turn }) => {
    console.log(turn.status);
    left -= 1;
    if (left === 0) resolve(undefined);
  });
});
const again = await client.resumeThread(thread.id);
await again.queue.resume();
await allDone;
assert.deepEqual((await again.queue.list()).data, []);
await second.close();
await rm(home, { recursive: true });
