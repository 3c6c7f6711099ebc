/** The common parts of `Stop` and `SubagentStop`, where a hook may make the model continue. */
import type { HookDialect } from "../configured-hook.ts";
import { flag, type Infer, integer, maybe, nullable, object, required, text } from "../schema/shape.ts";
import { because, type DecisionSummary, summarize } from "./decision-summary.ts";
import { NO_STATUS_CODE, type OutputReading } from "./event.ts";
import { type FinishedRun, stopOf } from "./finished-run.ts";
import {
  blocked,
  blockWithoutReason,
  completed,
  type Meaning,
  rejected,
  stopped,
  trimmed,
} from "./meaning.ts";
import { additionalContext, block, claudeBlock, specific, universal } from "./output-members.ts";

type StopEvent = "Stop" | "SubagentStop";

export type StopDecision =
  | { readonly kind: "end" }
  /** The turn ends, even where other hooks want it to continue. */
  | { readonly kind: "stop"; readonly reason: string | null }
  | { readonly kind: "continue"; readonly prompts: readonly HookPrompt[] };

/** The prompt with which one hook makes the model continue. */
export interface HookPrompt {
  readonly runId: string;
  readonly text: string;
}

const output = object({ ...universal, ...block });

function claudeOutputOf(event: StopEvent) {
  return object({
    ...universal,
    ...claudeBlock,
    hookSpecificOutput: maybe(object({ ...specific(event), ...additionalContext })),
  });
}

export type StopAnswer = Infer<ReturnType<typeof claudeOutputOf>>;

export const continuation = {
  stop_hook_active: required(flag, "Whether a hook has already made it continue."),
  stop_hook_continuations: required(integer, "How often in a row hooks have made it continue."),
  last_assistant_message: required(nullable(text), "What the model said last."),
};

export function stopReading(event: StopEvent, invalid: string): Readonly<Record<HookDialect, OutputReading>> {
  const complaint = `${event} hook exited with code 2 but did not write a continuation prompt to stderr`;
  const codex: OutputReading = {
    output,
    invalid,
    plainText: { error: invalid },
    exitTwo: { complaint, isReasonOptional: false },
    exitError: "code",
    killed: NO_STATUS_CODE,
  };
  return {
    codex,
    claude: {
      ...codex,
      output: claudeOutputOf(event),
      plainText: "ignored",
      exitTwo: { complaint, isReasonOptional: true },
    },
  };
}

export function interpretStopping(event: StopEvent, answer: StopAnswer, dialect: HookDialect): Meaning {
  if (answer.continue === false) return stopped(answer.stopReason ?? null);
  if (answer.decision !== "block") return completed();
  const reason = trimmed(answer.reason);
  if (reason !== null) return blocked(reason);
  // Claude Code continues the turn without a message; the model needs one here.
  return dialect === "claude"
    ? blocked(`${event} hook requests that the work continues`)
    : rejected(blockWithoutReason(event));
}

export function foldStops(runs: readonly FinishedRun[]): StopDecision {
  const stop = stopOf(runs);
  if (stop !== null) return { kind: "stop", reason: stop.reason };
  const prompts = runs.flatMap(({ runId, outcome: { effect } }) =>
    [...effect.contexts, ...(effect.block === null ? [] : [effect.block])]
      .filter((text) => trimmed(text) !== null)
      .map((text) => ({ runId, text })),
  );
  return prompts.length === 0 ? { kind: "end" } : { kind: "continue", prompts };
}

export function describeStopping(decision: StopDecision): DecisionSummary {
  switch (decision.kind) {
    case "end":
      return summarize(false, []);
    case "stop":
      return summarize(false, [`the turn would end${because(decision.reason)}`]);
    case "continue":
      return summarize(true, [
        "the turn would continue",
        ...decision.prompts.map(({ text }) => `the model would receive: ${text}`),
      ]);
  }
}
