// A function as the model: it answers in pieces, and it may call tools as any model does.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHeddle } from "heddle";

/** @type {import("heddle").ModelFunction} */
async function* model({ input }) {
  const last = input.at(-1);
  if (last?.type === "function_call_output") {
    yield `The command said: ${JSON.stringify(last.output)}`;
    return;
  }
  yield "I look ";
  yield "at the clock.";
  const call_id = `call-${input.length}`;
  const args = JSON.stringify({ cmd: "date +%Y" });
  yield { type: "itemDone", item: { type: "function_call", name: "exec_command", call_id, arguments: args } };
}

const home = await mkdtemp(join(tmpdir(), "heddle-example-"));
const heddle = await createHeddle({ home, model });
const client = await heddle.connect({ approve: () => "accept" });
const thread = await client.startThread();
const { text } = await thread.run("What year is it?");

console.log(text);
assert.match(text, /20\d\d/);
await heddle.close();
await rm(home, { recursive: true });
