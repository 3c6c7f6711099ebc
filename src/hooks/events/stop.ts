/** The model is done: a turn is about to end, or an agent's work. A hook may make it go on. */
import type { HookDialect } from "../configured-hook.ts";
import { flag, type Infer, integer, maybe, nullable, object, required, text } from "../schema/shape.ts";
import { defineEvent, NO_STATUS_CODE, type Reading } from "./event.ts";
import { type FinishedRun, stopOf } from "./finished-run.ts";
import { agent, model, permissionMode, place, turn } from "./input-members.ts";
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

type Answer = Infer<ReturnType<typeof claudeOutputOf>>;

const continuation = {
  stop_hook_active: required(flag, "Whether a hook has made it go on before."),
  stop_hook_continuations: required(integer, "How often in a row hooks have made it go on."),
  last_assistant_message: required(nullable(text), "What the model said last."),
};

export const stop = defineEvent({
  name: "Stop",
  scope: "turn",
  input: object({ ...place("Stop"), ...model, ...turn, ...permissionMode, ...continuation }),
  subjectsOf: null,
  isGuard: false,
  reading: readingOf("Stop", "hook returned invalid stop hook JSON output"),
  interpret: (answer: Answer, dialect: HookDialect) => interpret("Stop", answer, dialect),
  fold,
});

export const subagentStop = defineEvent({
  name: "SubagentStop",
  scope: "turn",
  input: object({
    ...place("SubagentStop"),
    agent_transcript_path: required(nullable(text), "The file with the agent's own history."),
    ...model,
    ...turn,
    ...permissionMode,
    ...agent,
    ...continuation,
  }),
  subjectsOf: ({ agent_type }) => [agent_type],
  isGuard: false,
  reading: readingOf("SubagentStop", "hook returned invalid subagent stop hook JSON output"),
  interpret: (answer: Answer, dialect: HookDialect) => interpret("SubagentStop", answer, dialect),
  fold,
});

function readingOf(event: StopEvent, invalid: string): Readonly<Record<HookDialect, Reading>> {
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

function interpret(event: StopEvent, answer: Answer, dialect: HookDialect): Meaning {
  if (answer.continue === false) return stopped(answer.stopReason ?? null);
  if (answer.decision !== "block") return completed();
  const reason = trimmed(answer.reason);
  if (reason !== null) return blocked(reason);
  // Its turn goes on without a word, which a model cannot be told.
  return dialect === "claude"
    ? blocked(`${event} hook wants the work to go on`)
    : refused(blockWithoutReason(event));
}

function fold(runs: readonly FinishedRun[]): StopDecision {
  const stop = stopOf(runs);
  if (stop !== null) return { kind: "stop", reason: stop.reason };
  const prompts = runs.flatMap(({ runId, outcome: { effect } }) =>
    [...effect.contexts, ...(effect.block === null ? [] : [effect.block])]
      .filter((words) => trimmed(words) !== null)
      .map((words) => ({ runId, text: words })),
  );
  return prompts.length === 0 ? { kind: "end" } : { kind: "continue", prompts };
}
