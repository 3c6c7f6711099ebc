// A thread that outlives its server: one server makes it, the next one reads it and goes on with it.

import assert from "node:assert/strict";
import { createHeddle } from "heddle";

const say = (text) => [{ type: "text", text }];

const first = await createHeddle();
const maker = await first.connect();
const { thread } = await maker.thread.start({});
await maker.runTurn({ threadId: thread.id, input: say("Hello!") });
await first.close();

const second = await createHeddle();
const reader = await second.connect();
const resumed = await reader.thread.resume({ threadId: thread.id });
assert.equal(resumed.thread.preview, "Hello!");
assert.equal(resumed.thread.turns.length, 1);

const turn = await reader.runTurn({ threadId: thread.id, input: say("Are you still there?") });
assert.equal(turn.status, "completed");

// A fork begins with what was said up to a turn, and leaves the thread as it is.
const [beginning] = resumed.thread.turns;
const fork = await reader.thread.fork({ threadId: thread.id, lastTurnId: beginning.id });
console.log(`${resumed.thread.path} was forked as ${fork.thread.id}`);
assert.equal(fork.thread.turns.length, 1);
await second.close();
