/** A thread begins to be worked on: its first turn, or the first after it was resumed, cleared, compacted or forked. */
import { choice, type Infer, maybe, object, required } from "../schema/shape.ts";
import { withPrompt } from "./claude-event.ts";
import { coverPrompts } from "./coverage.ts";
import { describeStop } from "./decision-words.ts";
import { defineEvent, NO_STATUS_CODE, type Reading } from "./event.ts";
import { contextsOf, type HookContext, type HookStop, stopOf } from "./finished-run.ts";
import { model, permissionMode, place } from "./input-members.ts";
import { completed, stopped } from "./meaning.ts";
import { additionalContext, messageVisibility, specific, universal } from "./output-members.ts";

const output = object({
  ...universal,
  ...messageVisibility,
  hookSpecificOutput: maybe(object({ ...specific("SessionStart"), ...additionalContext })),
});

const reading: Reading = {
  output,
  invalid: "hook returned invalid session start JSON output",
  plainText: "context",
  exitTwo: null,
  exitError: "code",
  killed: NO_STATUS_CODE,
};

export interface SessionStartDecision {
  readonly contexts: readonly HookContext[];
  /** The turn ends before the model is asked. */
  readonly stop: HookStop | null;
}

export const sessionStart = defineEvent({
  name: "SessionStart",
  description: "When a thread starts or comes back.",
  scope: "thread",
  input: object({
    ...place("SessionStart"),
    ...model,
    ...permissionMode,
    source: required(choice(["startup", "resume", "clear", "compact", "fork"]), "What it begins with."),
  }),
  subjectsOf: ({ source }) => [source],
  isGuard: false,
  addsContext: true,
  reading: { codex: reading, claude: reading },
  claude: {
    // A session begins before any prompt and names no model, but for one that is continued after a compaction.
    members: (known) =>
      known["source"] === "compact" ? { ...withPrompt(known), model: known["model"] } : {},
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
