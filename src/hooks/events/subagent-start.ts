/** `SubagentStart`: fires when a subagent starts within a thread. */
import { maybe, object } from "../schema/shape.ts";
import { withPrompt } from "./claude-event.ts";
import { NO_AGENTS } from "./coverage.ts";
import { describeContexts, summarize } from "./decision-summary.ts";
import { defineEvent, NO_STATUS_CODE, type OutputReading } from "./event.ts";
import { contextsOf, type HookContext } from "./finished-run.ts";
import { agent, model, permissionMode, sessionMembers, turn } from "./input-members.ts";
import { completed } from "./meaning.ts";
import { additionalContext, messageVisibility, specific, universal } from "./output-members.ts";

const output = object({
  ...universal,
  ...messageVisibility,
  hookSpecificOutput: maybe(object({ ...specific("SubagentStart"), ...additionalContext })),
});

const codex: OutputReading = {
  output,
  invalid: "hook returned invalid subagent start JSON output",
  plainText: "context",
  exitTwo: null,
  exitError: "code",
  killed: NO_STATUS_CODE,
};

/** Hooks cannot prevent the start of a subagent. */
export interface SubagentStartDecision {
  readonly contexts: readonly HookContext[];
}

export const subagentStart = defineEvent({
  name: "SubagentStart",
  description: "When another agent starts.",
  scope: "thread",
  input: object({ ...sessionMembers("SubagentStart"), ...model, ...turn, ...permissionMode, ...agent }),
  subjectsOf: ({ agent_type }) => [agent_type],
  isGuard: false,
  addsContext: true,
  reading: { codex, claude: { ...codex, plainText: "ignored" } },
  claude: { members: withPrompt },
  lifecycle: null,
  coverage: NO_AGENTS,
  interpret: () => completed(),
  fold: (runs): SubagentStartDecision => ({ contexts: contextsOf(runs) }),
  describe: ({ contexts }) => summarize(false, describeContexts(contexts)),
});
