// A program in the place of the user: it allows commands that only look, and refuses the rest.

import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHeddle } from "heddle";

const folder = await mkdtemp(join(tmpdir(), "heddle-example-"));
const heddle = await createHeddle({ cwd: folder });
const client = await heddle.connect();

const asked = [];
client.answer("item/commandExecution/requestApproval", ({ command }) => {
  asked.push(command);
  return { decision: command.includes("git --version") ? "accept" : "decline" };
});

const results = [];
client.on("item/completed", ({ item }) => {
  if (item.type === "commandExecution") results.push(item.status);
});

const { thread } = await client.thread.start({ approvalPolicy: "untrusted", sandbox: "danger-full-access" });
for (const text of ["run git --version", "run touch made-by-the-model"]) {
  const turn = await client.runTurn({ threadId: thread.id, input: [{ type: "text", text }] });
  assert.equal(turn.status, "completed");
}

console.log(asked, results);
assert.equal(asked.length, 2);
assert.deepEqual(results, ["completed", "declined"]);
assert.deepEqual(await readdir(folder), []);
await heddle.close();
await rm(folder, { recursive: true });
