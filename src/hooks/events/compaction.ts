/** The common parts of `PreCompact` and `PostCompact`. */
import { choice, type Infer, object, required } from "../schema/shape.ts";
import { type DecisionSummary, describeStop } from "./decision-summary.ts";
import { NO_EXIT_CODE, type OutputReading } from "./event.ts";
import { blocksOf, type FinishedRun, stopOf } from "./finished-run.ts";
import { model, sessionMembers, turn, withinAgent } from "./input-members.ts";
import { completed, type Meaning, stopped } from "./meaning.ts";
import { universal } from "./output-members.ts";

type CompactionEvent = "PreCompact" | "PostCompact";

export const compactionOutput = object(universal);

export interface CompactionDecision {
  /** Why the turn ends, before the compaction or after it. */
  readonly stop: string | null;
}

export function compactionReading(event: CompactionEvent): OutputReading {
  return {
    output: compactionOutput,
    invalid: `hook returned invalid ${event} hook JSON output`,
    plainText: "ignored",
    exitTwo: null,
    exitError: "stderr",
    killed: NO_EXIT_CODE,
  };
}

export function compactionInput<E extends CompactionEvent>(event: E) {
  return object({
    ...sessionMembers(event),
    ...model,
    ...turn,
    ...withinAgent,
    trigger: required(choice(["manual", "auto"]), "Whether it was requested or automatic."),
  });
}

export function interpretStop(event: CompactionEvent, answer: Infer<typeof compactionOutput>): Meaning {
  return answer.continue === false ? stopped(answer.stopReason ?? stoppedBy(event)) : completed();
}

export function foldCompaction(event: CompactionEvent, runs: readonly FinishedRun[]): CompactionDecision {
  const stop = stopOf(runs);
  const [reason] = blocksOf(runs);
  if (stop === null) return { stop: reason ?? null };
  return { stop: stop.reason ?? stoppedBy(event) };
}

function stoppedBy(event: CompactionEvent): string {
  return `${event} hook stopped execution`;
}

export function describeCompaction(effect: string, { stop }: CompactionDecision): DecisionSummary {
  return describeStop(effect, stop === null ? null : { reason: stop });
}
