/** A history is about to be compacted, or was. */
import type { HookDialect } from "../configured-hook.ts";
import { choice, type Infer, object, required } from "../schema/shape.ts";
import { defineEvent, NO_EXIT_CODE, type Reading } from "./event.ts";
import { blocksOf, type FinishedRun, stopOf } from "./finished-run.ts";
import { model, place, turn, withinAgent } from "./input-members.ts";
import { blocked, completed, type Meaning, stopped, trimmed } from "./meaning.ts";
import { claudeBlock, universal } from "./output-members.ts";

type CompactionEvent = "PreCompact" | "PostCompact";

const output = object(universal);

const blockingOutput = object({ ...universal, ...claudeBlock });

export interface CompactionDecision {
  /** Why the turn ends, before the compaction or after it. */
  readonly stop: string | null;
}

function readingOf(event: CompactionEvent): Reading {
  return {
    output,
    invalid: `hook returned invalid ${event} hook JSON output`,
    plainText: "ignored",
    exitTwo: null,
    exitError: "stderr",
    killed: NO_EXIT_CODE,
  };
}

function inputOf<E extends CompactionEvent>(event: E) {
  return object({
    ...place(event),
    ...model,
    ...turn,
    ...withinAgent,
    trigger: required(choice(["manual", "auto"]), "Whether somebody asked for it."),
  });
}

export const preCompact = defineEvent({
  name: "PreCompact",
  scope: "turn",
  input: inputOf("PreCompact"),
  subjectsOf: ({ trigger }) => [trigger],
  isGuard: false,
  reading: {
    codex: readingOf("PreCompact"),
    claude: {
      ...readingOf("PreCompact"),
      output: blockingOutput,
      exitTwo: {
        complaint: "PreCompact hook exited with code 2 but did not write a blocking reason to stderr",
        isEnough: true,
      },
    },
  },
  interpret: (answer: Infer<typeof blockingOutput>, dialect: HookDialect): Meaning => {
    if (answer.continue === false || dialect === "codex" || answer.decision !== "block") {
      return interpretStop("PreCompact", answer);
    }
    return blocked(trimmed(answer.reason) ?? "PreCompact hook blocked the compaction");
  },
  fold: (runs) => fold("PreCompact", runs),
});

export const postCompact = defineEvent({
  name: "PostCompact",
  scope: "turn",
  input: inputOf("PostCompact"),
  subjectsOf: ({ trigger }) => [trigger],
  isGuard: false,
  reading: { codex: readingOf("PostCompact"), claude: readingOf("PostCompact") },
  interpret: (answer: Infer<typeof output>): Meaning => interpretStop("PostCompact", answer),
  fold: (runs) => fold("PostCompact", runs),
});

function interpretStop(event: CompactionEvent, answer: Infer<typeof output>): Meaning {
  return answer.continue === false ? stopped(answer.stopReason ?? stoppedBy(event)) : completed();
}

function fold(event: CompactionEvent, runs: readonly FinishedRun[]): CompactionDecision {
  const stop = stopOf(runs);
  const [reason] = blocksOf(runs);
  if (stop === null) return { stop: reason ?? null };
  return { stop: stop.reason ?? stoppedBy(event) };
}

function stoppedBy(event: CompactionEvent): string {
  return `${event} hook stopped execution`;
}
