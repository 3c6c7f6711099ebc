/** A thread begins to be worked on: its first turn, or the first after it was resumed, cleared, compacted or forked. */
import { choice, type Infer, maybe, object, required } from "../schema/shape.ts";
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
  scope: "thread",
  input: object({
    ...place("SessionStart"),
    ...model,
    ...permissionMode,
    source: required(choice(["startup", "resume", "clear", "compact", "fork"]), "What it begins with."),
  }),
  subjectsOf: ({ source }) => [source],
  isGuard: false,
  reading: { codex: reading, claude: reading },
  interpret: (answer: Infer<typeof output>) =>
    answer.continue === false ? stopped(answer.stopReason ?? null) : completed(),
  fold: (runs): SessionStartDecision => ({ contexts: contextsOf(runs), stop: stopOf(runs) }),
});
