/** `PostToolUse`: fires after a tool call, before its result is sent to the model. */
import { isObject } from "../../base/json-object.ts";
import type { HookDialect } from "../configured-hook.ts";
import { anything, flag, type Infer, maybe, object, optional, required } from "../schema/shape.ts";
import { withTurn } from "./claude-event.ts";
import { type CoverageCell, coverCalls } from "./coverage.ts";
import { because, type DecisionSummary, describeContexts, summarize } from "./decision-summary.ts";
import { defineEvent, NO_STATUS_CODE, type OutputReading } from "./event.ts";
import {
  blocksOf,
  contextsOf,
  type FinishedRun,
  type HookContext,
  type HookStop,
  replacementOf,
  stopOf,
} from "./finished-run.ts";
import {
  model,
  permissionMode,
  sessionMembers,
  toolCall,
  toolSubjects,
  toolUseId,
  turn,
  withinAgent,
} from "./input-members.ts";
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

const STOPPED = "PostToolUse hook stopped execution";

const top = {
  ...universal,
  suppressOutput: optional(flag, "Refused if it is true."),
  ...messageVisibility,
  ...block,
};

const replaced = {
  updatedOutput: maybe(anything, "Replaces the tool result for the model."),
  updatedMCPToolOutput: maybe(anything, "Refused; `updatedOutput` is for every tool."),
};

const output = object({
  ...top,
  hookSpecificOutput: maybe(object({ ...specific("PostToolUse"), ...additionalContext, ...replaced })),
});

const claudeOutput = object({
  ...top,
  ...claudeBlock,
  hookSpecificOutput: maybe(
    object({
      ...specific("PostToolUse"),
      ...additionalContext,
      ...replaced,
      updatedToolOutput: maybe(anything),
    }),
  ),
});

type Answer = Infer<typeof claudeOutput>;

const complaint = "PostToolUse hook exited with code 2 but did not write feedback to stderr";

const codex: OutputReading = {
  output,
  invalid: "hook returned invalid post-tool-use JSON output",
  plainText: "ignored",
  exitTwo: { complaint, isReasonOptional: false },
  exitError: "code",
  killed: NO_STATUS_CODE,
};

export interface PostToolUseDecision {
  readonly contexts: readonly HookContext[];
  /** Replaces the whole tool result. */
  readonly replacement: string | null;
  /**
   * Replaces the tool output in its own format; undefined leaves it unchanged, or `replacement` replaces it.
   */
  readonly updatedOutput: unknown;
  /** Appended to the result. */
  readonly addition: string | null;
  /** Effects that were overridden by other hooks. */
  readonly conflicts: readonly string[];
  /** The turn ends once the history holds the result. */
  readonly stop: HookStop | null;
}

const DONE: CoverageCell = { can: ["replace the answer", "add context"] };

export const postToolUse = defineEvent({
  name: "PostToolUse",
  description: "After a tool ran.",
  scope: "turn",
  input: object({
    ...sessionMembers("PostToolUse"),
    ...model,
    ...turn,
    ...withinAgent,
    ...permissionMode,
    ...toolCall,
    tool_response: required(anything, "What the tool answered: text, or the result of an MCP tool."),
    ...toolUseId,
  }),
  subjectsOf: toolSubjects,
  isGuard: true,
  addsContext: true,
  firesInReviews: true,
  reading: {
    codex,
    claude: { ...codex, output: claudeOutput, exitTwo: { complaint, isReasonOptional: true } },
  },
  claude: { tool: "result", members: withTurn },
  lifecycle: "tool.completed",
  coverage: coverCalls(DONE, {
    "dynamic tool": DONE,
    plan: DONE,
    image: DONE,
    typing: { ...DONE, as: "Bash" },
  }),
  interpret: (answer: Answer, dialect: HookDialect): Meaning =>
    dialect === "claude" ? interpretTolerantly(answer) : interpretStrictly(answer),
  fold,
  describe,
});

function interpretStrictly(answer: Answer): Meaning {
  const { stopReason, reason, hookSpecificOutput } = answer;
  if (answer.continue === false) {
    // The peer's turn continues, with the reason in place of the output.
    const { status, entry } = stopped(stopReason ?? STOPPED);
    return { status, entry, effect: { block: trimmed(reason) ?? stopReason ?? STOPPED } };
  }
  const refusal = refusalOf(answer);
  if (refusal !== null) return rejected(refusal);
  if (answer.decision === "block") return blocked(reason ?? "");
  return completed({ updatedOutput: hookSpecificOutput?.updatedOutput ?? undefined });
}

function refusalOf({ suppressOutput, decision, reason, hookSpecificOutput }: Answer): string | null {
  if (suppressOutput === true) return "PostToolUse hook returned unsupported suppressOutput";
  if ((hookSpecificOutput?.updatedMCPToolOutput ?? null) !== null) {
    return "PostToolUse hook returned unsupported updatedMCPToolOutput";
  }
  if (decision === "block") return trimmed(reason) === null ? blockWithoutReason("PostToolUse") : null;
  return (reason ?? null) === null ? null : "PostToolUse hook returned reason without decision";
}

function interpretTolerantly(answer: Answer): Meaning {
  const { updatedOutput, updatedToolOutput, updatedMCPToolOutput } = answer.hookSpecificOutput ?? {};
  const ofTool = fromShellResponse(updatedToolOutput) ?? updatedMCPToolOutput;
  const updated = { updatedOutput: updatedOutput ?? ofTool ?? undefined };
  const meaning = interpretEnding(answer);
  return { ...meaning, effect: { ...meaning.effect, ...updated } };
}

/**
 * Extracts the command output from the shape in which Claude Code hooks receive it; other values pass
 * unchanged.
 */
function fromShellResponse(value: unknown): unknown {
  if (!isObject(value) || typeof value["stdout"] !== "string") return value;
  const { stdout, stderr } = value;
  return typeof stderr === "string" && stderr !== "" ? `${stdout}\n${stderr}` : stdout;
}

function interpretEnding({ continue: shouldContinue, stopReason, decision, reason }: Answer): Meaning {
  if (shouldContinue === false) return stopped(stopReason ?? STOPPED);
  return decision === "block"
    ? blocked(trimmed(reason) ?? "PostToolUse hook blocked the result")
    : completed();
}

function fold(runs: readonly FinishedRun[]): PostToolUseDecision {
  // Output that a failed hook may have been meant to hide is withheld, in every dialect.
  const isReplacing = ({ hook, outcome }: FinishedRun) =>
    hook.dialect === "codex" || outcome.status === "failed";
  const replacement = joined(blocksOf(runs.filter(isReplacing)));
  const { value, conflicts } = replacementOf(runs, "updatedOutput");
  return {
    contexts: contextsOf(runs),
    replacement,
    updatedOutput: replacement === null ? value : undefined,
    addition: joined(blocksOf(runs.filter((run) => !isReplacing(run)))),
    conflicts,
    stop: stopOf(runs),
  };
}

function joined(reasons: readonly string[]): string | null {
  return reasons.length === 0 ? null : reasons.join("\n\n");
}

function describe(decision: PostToolUseDecision): DecisionSummary {
  const { contexts, replacement, updatedOutput, addition, conflicts, stop } = decision;
  return summarize(replacement !== null || stop !== null, [
    ...(replacement === null ? [] : [`the model would receive, instead of the result: ${replacement}`]),
    ...(updatedOutput === undefined ? [] : [`the answer would be ${JSON.stringify(updatedOutput)}`]),
    ...(addition === null ? [] : [`the model would receive, after the result: ${addition}`]),
    ...(stop === null ? [] : [`the turn would end${because(stop.reason)}`]),
    ...conflicts,
    ...describeContexts(contexts),
  ]);
}
