/**
 * `SessionStart`: fires on the first turn of a thread, and on the first one after a resume, clear, compaction
 * or fork.
 */
import { choice, type Infer, maybe, object, required } from "../schema/shape.ts";
import { withPrompt } from "./claude-event.ts";
import { coverPrompts } from "./coverage.ts";
import { describeStop } from "./decision-summary.ts";
import { defineEvent, NO_STATUS_CODE, type OutputReading } from "./event.ts";
import { contextsOf, type HookContext, type HookStop, stopOf } from "./finished-run.ts";
import { model, permissionMode, sessionMembers } from "./input-members.ts";
import { completed, stopped } from "./meaning.ts";
import { additionalContext, messageVisibility, specific, universal } from "./output-members.ts";

const output = object({
  ...universal,
  ...messageVisibility,
  hookSpecificOutput: maybe(object({ ...specific("SessionStart"), ...additionalContext })),
});

const reading: OutputReading = {
  output,
  invalid: "hook returned invalid session start JSON output",
  plainText: "context",
  exitTwo: null,
  exitError: "code",
  killed: NO_STATUS_CODE,
};

export interface SessionStartDecision {
  readonly contexts: readonly HookContext[];
  /** The turn ends before the model request. */
  readonly stop: HookStop | null;
}

export const sessionStart = defineEvent({
  name: "SessionStart",
  description: "When a thread starts or comes back.",
  scope: "thread",
  input: object({
    ...sessionMembers("SessionStart"),
    ...model,
    ...permissionMode,
    source: required(choice(["startup", "resume", "clear", "compact", "fork"]), "What it begins with."),
  }),
  subjectsOf: ({ source }) => [source],
  isGuard: false,
  addsContext: true,
  reading: { codex: reading, claude: reading },
  claude: {
    // Claude Code sends neither prompt nor model here, except for a session that continues after a
    // compaction.
    members: (available) =>
      available["source"] === "compact" ? { ...withPrompt(available), model: available["model"] } : {},
  },
  lifecycle: "session.started",
  coverage: coverPrompts(
    { silent: "the session has begun" },
    {
      first: { can: ["add context", "end the turn"] },
      review: { silent: "the reviewer has no session" },
    },
  ),
  interpret: (answer: Infer<typeof output>) =>
    answer.continue === false ? stopped(answer.stopReason ?? null) : completed(),
  fold: (runs): SessionStartDecision => ({ contexts: contextsOf(runs), stop: stopOf(runs) }),
  describe: ({ contexts, stop }) =>
    describeStop("the turn would end before the model is asked", stop, contexts),
});
