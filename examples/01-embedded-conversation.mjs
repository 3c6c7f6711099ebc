// A server inside this program, without a socket: start a thread, ask something, read the answer.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHeddle } from "heddle";

// A home of its own, so that trying this out leaves yours alone.
const home = await mkdtemp(join(tmpdir(), "heddle-example-"));
const heddle = await createHeddle({ home });
const client = await heddle.connect();

const thread = await client.startThread();
const { text, turn } = await thread.run("Hello!");

console.log(text);
assert.equal(turn.status, "completed");
assert.notEqual(text, "");
await heddle.close();
await rm(home, { recursive: true });
