/** What the ends of a turn and of an agent's work have in common: a hook may make the model continue. */
import type { HookDialect } from "../configured-hook.ts";
import { flag, type Infer, integer, maybe, nullable, object, required, text } from "../schema/shape.ts";
import { because, type DecisionWords, words } from "./decision-words.ts";
import { NO_STATUS_CODE, type Reading } from "./event.ts";
import { type FinishedRun, stopOf } from "./finished-run.ts";
import {
  blocked,
  blockWithoutReason,
  completed,
  type Meaning,
  refused,
  stopped,
  trimmed,
} from "./meaning.ts";
import { additionalContext, block, claudeBlock, specific, universal } from "./output-members.ts";

type StopEvent = "Stop" | "SubagentStop";

export type StopDecision =
  | { readonly kind: "end" }
  /** It ends, whatever other hooks want. */
  | { readonly kind: "stop"; readonly reason: string | null }
  | { readonly kind: "continue"; readonly prompts: readonly HookPrompt[] };

/** What one hook tells the model to go on with. */
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
  stop_hook_active: required(flag, "Whether a hook has made it go on before."),
  stop_hook_continuations: required(integer, "How often in a row hooks have made it go on."),
  last_assistant_message: required(nullable(text), "What the model said last."),
};

export function stopReading(event: StopEvent, invalid: string): Readonly<Record<HookDialect, Reading>> {
  const complaint = `${event} hook exited with code 2 but did not write a continuation prompt to stderr`;
  const codex: Reading = {
    output,
    invalid,
    plainText: { error: invalid },
    exitTwo: { complaint, isEnough: false },
    exitError: "code",
    killed: NO_STATUS_CODE,
  };
  return {
    codex,
    claude: {
      ...codex,
      output: claudeOutputOf(event),
      plainText: "ignored",
      exitTwo: { complaint, isEnough: true },
    },
  };
}

export function interpretStopping(event: StopEvent, answer: StopAnswer, dialect: HookDialect): Meaning {
  if (answer.continue === false) return stopped(answer.stopReason ?? null);
  if (answer.decision !== "block") return completed();
  const reason = trimmed(answer.reason);
  if (reason !== null) return blocked(reason);
  // Its turn goes on without a word, which a model cannot be told.
  return dialect === "claude"
    ? blocked(`${event} hook wants the work to go on`)
    : refused(blockWithoutReason(event));
}

export function foldStops(runs: readonly FinishedRun[]): StopDecision {
  const stop = stopOf(runs);
  if (stop !== null) return { kind: "stop", reason: stop.reason };
  const prompts = runs.flatMap(({ runId, outcome: { effect } }) =>
    [...effect.contexts, ...(effect.block === null ? [] : [effect.block])]
      .filter((words) => trimmed(words) !== null)
      .map((words) => ({ runId, text: words })),
  );
  return prompts.length === 0 ? { kind: "end" } : { kind: "continue", prompts };
}

export function describeStopping(decision: StopDecision): DecisionWords {
  switch (decision.kind) {
    case "end":
      return words(false, []);
    case "stop":
      return words(false, [`the turn would end${because(decision.reason)}`]);
    case "continue":
      return words(true, [
        "the turn would go on",
        ...decision.prompts.map(({ text }) => `the model would be told: ${text}`),
      ]);
  }
}
