// A server inside this program, without a socket: start a thread, ask something, read the answer.

import assert from "node:assert/strict";
import { createHeddle } from "heddle";

const heddle = await createHeddle();
const client = await heddle.connect({ clientInfo: { name: "example", title: null, version: "1.0.0" } });

let answer = "";
client.on("item/agentMessage/delta", ({ delta }) => {
  answer += delta;
});

const { thread } = await client.thread.start({});
const turn = await client.runTurn({ threadId: thread.id, input: [{ type: "text", text: "Hello!" }] });

console.log(answer);
assert.equal(turn.status, "completed");
assert.notEqual(answer, "");
await heddle.close();
