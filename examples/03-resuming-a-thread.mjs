// A thread that outlives its server: one server makes it, the next one reads it and goes on with it.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHeddle } from "heddle";

const home = await mkdtemp(join(tmpdir(), "heddle-example-"));

const first = await createHeddle({ home });
const thread = await (await first.connect()).startThread();
const { turn } = await thread.run("Hello!");
await first.close();

const second = await createHeddle({ home });
const client = await second.connect();
const resumed = await client.resumeThread(thread.id);
assert.equal(resumed.description.preview, "Hello!");
assert.equal((await resumed.run("Are you still there?")).turn.status, "completed");

// A fork begins with what was said up to a turn, and leaves the thread as it is.
const fork = await client.forkThread(thread.id, { lastTurnId: turn.id });
const { data } = await client.thread.turns.list({ threadId: fork.id });
console.log(`${thread.id} was forked as ${fork.id}`);
assert.equal(data.length, 1);
await second.close();
await rm(home, { recursive: true });
