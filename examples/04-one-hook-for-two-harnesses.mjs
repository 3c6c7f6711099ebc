// One program as a hook of Codex and of Claude Code, with its name as argument: it keeps a command from deleting
// files, and does not let a turn end before the tests were run.

import { readFileSync } from "node:fs";
import process from "node:process";
import { read, render } from "heddle/lifecycle";

/** @type {(heard: import("heddle/lifecycle").NeutralEvent) => import("heddle/lifecycle").LifecycleResult} */
function decide({ event, details }) {
  if (event === "session.started") return { context: ["Run the tests with `npm test`."] };
  if (event === "tool.starting" && /\brm -rf\b/.test(JSON.stringify(details.tool_input)))
    return { decision: { kind: "deny", reason: "Nothing is deleted here without a person." } };
  if (event === "frame.ending" && !details.stop_hook_active)
    return { decision: { kind: "continue_with", prompt: "Run the tests and say what they say." } };
  return {};
}

const [, , adapter = "codex"] = process.argv;
const heard = read(adapter, JSON.parse(readFileSync(0, "utf8")));
// Exit code 1 is seen by people and blocks nothing.
if (!heard.ok) {
  console.error(heard.error.detail);
  process.exit(1);
}
const { event, hook_event_name: hookEventName } = heard.event;
const answer = render({ adapter, event, hookEventName, result: decide(heard.event) });
if (answer.ok) {
  for (const { what, reason } of answer.notExpressed) console.error(`${what}: ${reason}`);
  process.stdout.write(answer.stdout);
}
process.exitCode = answer.ok ? answer.exitCode : 1;
