/** Short ways to write the steps of scenarios about hooks. */
import { functionCallDone, messageReply, reply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { TURN_ANSWERS, turnScenario, UNCONFINED, withThread } from "../turn-steps.ts";
import { DELTAS } from "./approvals-steps.ts";

/** Keeps what a hook was told, one line for each run; in one piece, because others do so at the same time. */
export const KEEP = `printf '%s\\n' "$(cat)" >> "$PWD/told.jsonl"`;
export const told: Step = { do: "read", path: "workspace/told.jsonl", as: "jsonl" };

export const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });
export const answer = (output: object): string => `${KEEP}; echo '${JSON.stringify(output)}'`;
export const specific = (event: string, more: object) => ({
  hookSpecificOutput: { hookEventName: event, ...more },
});

/** Hooks that the client gives the thread, and trusts. */
export const hooked = (hooks: object, more: object = {}): readonly Step[] =>
  withThread({ ...UNCONFINED, ...more, config: { bypass_hook_trust: true, hooks } });
export const on = (event: string, ...commands: readonly string[]) => ({
  [event]: [{ hooks: commands.map((each) => command(each)) }],
});

/** A hook that nobody waits for. */
export const later = (event: string, text: string) => ({
  [event]: [{ hooks: [command(text, { async: true })] }],
});
export const saying = (event: string) =>
  `echo '${JSON.stringify({ systemMessage: "by the way", ...specific(event, { additionalContext: "late" }) })}'`;

export const PATCH = "*** Begin Patch\n*** Add File: made.txt\n+x\n*** End Patch";

export const DONE = messageReply("Done", { id: "9" });
export const exec = (cmd: string) => reply("1", functionCallDone("call_1", "exec_command", { cmd }));

/** Warnings of a thread come when they come; runs are told of as each has ended, and by the peer when all have. */
const FREE = ["warning", "hook/completed"];

interface Brief extends Omit<Parameters<typeof turnScenario>[0], "name"> {
  /** What else has no fixed place. */
  readonly alsoFree?: readonly string[];
}

export function hookScenario(name: string, { alsoFree = [], ...brief }: Brief): Scenario {
  const freeOrder = [...TURN_ANSWERS, [...FREE, ...alsoFree]];
  return turnScenario({ model: [DONE], races: DELTAS, freeOrder, ...brief, name: `hooks/${name}` });
}
