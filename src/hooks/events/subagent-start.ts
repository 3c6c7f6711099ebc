/** An agent begins its work within a thread. */
import { maybe, object } from "../schema/shape.ts";
import { withPrompt } from "./claude-event.ts";
import { NO_AGENTS } from "./coverage.ts";
import { describeContexts, words } from "./decision-words.ts";
import { defineEvent, NO_STATUS_CODE, type Reading } from "./event.ts";
import { contextsOf, type HookContext } from "./finished-run.ts";
import { agent, model, permissionMode, place, turn } from "./input-members.ts";
import { completed } from "./meaning.ts";
import { additionalContext, messageVisibility, specific, universal } from "./output-members.ts";

const output = object({
  ...universal,
  ...messageVisibility,
  hookSpecificOutput: maybe(object({ ...specific("SubagentStart"), ...additionalContext })),
});

const codex: Reading = {
  output,
  invalid: "hook returned invalid subagent start JSON output",
  plainText: "context",
  exitTwo: null,
  exitError: "code",
  killed: NO_STATUS_CODE,
};

/** An agent cannot be kept from its work here. */
export interface SubagentStartDecision {
  readonly contexts: readonly HookContext[];
}

export const subagentStart = defineEvent({
  name: "SubagentStart",
  description: "When another agent starts.",
  scope: "thread",
  input: object({ ...place("SubagentStart"), ...model, ...turn, ...permissionMode, ...agent }),
  subjectsOf: ({ agent_type }) => [agent_type],
  isGuard: false,
  addsContext: true,
  reading: { codex, claude: { ...codex, plainText: "ignored" } },
  claude: { members: withPrompt },
  lifecycle: null,
  coverage: NO_AGENTS,
  interpret: () => completed(),
  fold: (runs): SubagentStartDecision => ({ contexts: contextsOf(runs) }),
  describe: ({ contexts }) => words(false, describeContexts(contexts)),
});
