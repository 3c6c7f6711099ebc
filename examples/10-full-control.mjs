// Everything in one's own hands: model, approvals, a hook, the log, and every event of a turn.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHeddle } from "heddle";

const home = await mkdtemp(join(tmpdir(), "heddle-example-"));
const cwd = join(home, "work");
await mkdir(cwd);
// A hook that tells the model something with every prompt.
await writeFile(
  join(home, "hooks.json"),
  JSON.stringify({
    hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: "echo The user is in a hurry." }] }] },
  }),
);

/** @type {string[]} */
const prompts = [];
/** @type {import("heddle").ModelFunction} */
function model({ input }) {
  prompts.push(JSON.stringify(input));
  return "In short: yes.";
}

/** @type {string[]} */
const problems = [];
const heddle = await createHeddle({
  home,
  cwd,
  model,
  log: {
    error: (message, fields) => problems.push(`${message} ${JSON.stringify(fields)}`),
    warn: (message, fields) => problems.push(`${message} ${JSON.stringify(fields)}`),
    info() {},
    debug() {},
  },
});
const client = await heddle.connect({ approve: () => "decline" });
// Hooks run once somebody has looked at them; here, that is the program that has just written it.
const thread = await client.startThread({ ephemeral: true, config: { bypass_hook_trust: true } });

const seen = new Map();
const stream = thread.stream("Is it done?");
for await (const { method } of stream) seen.set(method, (seen.get(method) ?? 0) + 1);
const { text, turn } = await stream.result;

console.log(text, Object.fromEntries(seen));
assert.equal(text, "In short: yes.");
assert.equal(turn.hookRuns.length, 1);
assert.match(prompts[0] ?? "", /The user is in a hurry/);
assert.deepEqual(problems, []);
await heddle.close();
await rm(home, { recursive: true });
