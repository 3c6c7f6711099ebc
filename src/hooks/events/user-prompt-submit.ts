/** `UserPromptSubmit`: fires before a prompt enters the history, whether it starts a turn or steers one. */
import { type Infer, maybe, object, required, text } from "../schema/shape.ts";
import { withMode } from "./claude-event.ts";
import { coverPrompts, NOT_OF_USER } from "./coverage.ts";
import { describeStop } from "./decision-summary.ts";
import { defineEvent, NO_STATUS_CODE, type OutputReading } from "./event.ts";
import {
  blocksOf,
  contextsOf,
  type FinishedRun,
  type HookContext,
  type HookStop,
  stopOf,
} from "./finished-run.ts";
import { model, permissionMode, sessionMembers, turn, withinAgent } from "./input-members.ts";
import {
  blocked,
  blockWithoutReason,
  completed,
  type Meaning,
  rejected,
  stopped,
  trimmed,
} from "./meaning.ts";
import {
  additionalContext,
  block,
  claudeBlock,
  messageVisibility,
  specific,
  universal,
} from "./output-members.ts";

const top = { ...universal, ...messageVisibility };
const more = {
  hookSpecificOutput: maybe(object({ ...specific("UserPromptSubmit"), ...additionalContext })),
};

const output = object({ ...top, ...block, ...more });

const claudeOutput = object({ ...top, ...claudeBlock, ...more });

const complaint = "UserPromptSubmit hook exited with code 2 but did not write a blocking reason to stderr";

const codex: OutputReading = {
  output,
  invalid: "hook returned invalid user prompt submit JSON output",
  plainText: "context",
  exitTwo: { complaint, isReasonOptional: false },
  exitError: "code",
  killed: NO_STATUS_CODE,
};

export interface UserPromptSubmitDecision {
  readonly contexts: readonly HookContext[];
  /** The prompt is rejected. */
  readonly stop: HookStop | null;
}

export const userPromptSubmit = defineEvent({
  name: "UserPromptSubmit",
  description: "Before a prompt reaches the model.",
  scope: "turn",
  input: object({
    ...sessionMembers("UserPromptSubmit"),
    ...model,
    ...turn,
    ...withinAgent,
    ...permissionMode,
    prompt: required(text, "Its text."),
  }),
  subjectsOf: null,
  isGuard: true,
  addsContext: true,
  timeouts: { claude: { default: 30 } },
  reading: {
    codex,
    claude: { ...codex, output: claudeOutput, exitTwo: { complaint, isReasonOptional: true } },
  },
  claude: { members: withMode },
  lifecycle: "frame.opening",
  coverage: coverPrompts(
    { can: ["block", "add context"] },
    { continuation: NOT_OF_USER, review: NOT_OF_USER },
  ),
  interpret,
  fold: (runs): UserPromptSubmitDecision => ({
    contexts: contextsOf(runs),
    stop: stopOf(runs.map(withBlockAsStop)),
  }),
  describe: ({ contexts, stop }) => describeStop("the prompt would be blocked", stop, contexts),
});

function interpret(answer: Infer<typeof claudeOutput>): Meaning {
  if (answer.continue === false) return stopped(answer.stopReason ?? null);
  if (answer.decision !== "block") return completed();
  return trimmed(answer.reason) === null
    ? rejected(blockWithoutReason("UserPromptSubmit"))
    : blocked(answer.reason ?? "");
}

function withBlockAsStop(run: FinishedRun): FinishedRun {
  const { effect } = run.outcome;
  const [reason] = blocksOf([run]);
  if (reason === undefined) return run;
  const stop = { reason: effect.stop?.reason ?? reason };
  return { ...run, outcome: { ...run.outcome, effect: { ...effect, stop } } };
}
