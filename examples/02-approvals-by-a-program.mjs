// A program in the place of the user: it allows commands that only look, and refuses the rest.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHeddle } from "heddle";

const home = await mkdtemp(join(tmpdir(), "heddle-example-"));
const folder = join(home, "work");
await mkdir(folder);
const heddle = await createHeddle({ home, cwd: folder });

/** @type {string[]} */
const asked = [];
const client = await heddle.connect({
  approve(request) {
    if (request.type !== "command") return "decline";
    asked.push(request.command ?? "");
    return request.command?.includes("git --version") ? "accept" : "decline";
  },
});

const thread = await client.startThread({ approvalPolicy: "untrusted", sandbox: "danger-full-access" });
const results = [];
for (const text of ["run git --version", "run touch made-by-the-model"]) {
  const { items } = await thread.run(text);
  for (const item of items) if (item.type === "commandExecution") results.push(item.status);
}

console.log(asked, results);
assert.equal(asked.length, 2);
assert.deepEqual(results, ["completed", "declined"]);
assert.deepEqual(await readdir(folder), []);
await heddle.close();
await rm(home, { recursive: true });
