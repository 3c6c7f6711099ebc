/** What the loop would do with a decision, in words. */
import type { HookContext } from "../events/finished-run.ts";
import type { HookDecision } from "../events/index.ts";
import type { HookEventName } from "../hook-event.ts";

export interface DecisionWords {
  /** Whether something would be kept from being done, or from ending. */
  readonly isBlocked: boolean;
  /** A line each; one that says so where nothing would change. */
  readonly lines: readonly string[];
}

export function describeDecision<E extends HookEventName>(
  event: E,
  decision: HookDecision<E>,
): DecisionWords {
  const { isBlocked, lines } = DESCRIBED[event](decision as never);
  return { isBlocked, lines: lines.length === 0 ? ["nothing would change"] : lines };
}

type Describe<E extends HookEventName> = (decision: HookDecision<E>) => DecisionWords;

const DESCRIBED: { readonly [E in HookEventName]: Describe<E> } = {
  SessionStart: ({ contexts, stop }) =>
    ending("the turn would end before the model is asked", contexts, stop),
  UserPromptSubmit: ({ contexts, stop }) => ending("the prompt would be blocked", contexts, stop),
  PreToolUse: ({ contexts, verdict, stop }) => {
    const context = toldOf(contexts);
    const end = stop === null ? [] : ["the turn would end"];
    if (verdict.kind === "block")
      return words(true, [`the call would be blocked: ${verdict.reason}`, ...end, ...context]);
    const { updatedInput, permission, reason, conflicts } = verdict;
    return words(stop !== null, [
      ...(updatedInput === undefined ? [] : [`the call would be made with ${JSON.stringify(updatedInput)}`]),
      ...(permission === "allow" ? ["nobody would be asked for permission"] : []),
      ...(permission === "ask" ? [`somebody would be asked for permission${because(reason)}`] : []),
      ...end,
      ...conflicts,
      ...context,
    ]);
  },
  PermissionRequest: ({ verdict, stop }) => {
    const end = stop === null ? [] : ["the turn would end"];
    if (verdict === null) return words(stop !== null, ["the user would be asked", ...end]);
    return verdict.behavior === "allow"
      ? words(stop !== null, ["permission would be given", ...end])
      : words(true, [`permission would be denied: ${verdict.message}`, ...end]);
  },
  PostToolUse: ({ contexts, replacement, updatedOutput, addition, conflicts, stop }) =>
    words(replacement !== null || stop !== null, [
      ...(replacement === null ? [] : [`the model would be told, in place of the answer: ${replacement}`]),
      ...(updatedOutput === undefined ? [] : [`the answer would be ${JSON.stringify(updatedOutput)}`]),
      ...(addition === null ? [] : [`the model would be told, behind the answer: ${addition}`]),
      ...(stop === null ? [] : [`the turn would end${because(stop.reason)}`]),
      ...conflicts,
      ...toldOf(contexts),
    ]),
  PreCompact: ({ stop }) => compaction("the history would not be compacted", stop),
  PostCompact: ({ stop }) => compaction("the turn would end after the compaction", stop),
  SubagentStart: ({ contexts }) => words(false, toldOf(contexts)),
  SubagentStop: describeStop,
  Stop: describeStop,
  SessionEnd: watched,
  Interrupt: watched,
  PreModelRequest: watched,
  PostModelRequest: watched,
};

function describeStop(decision: HookDecision<"Stop">): DecisionWords {
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

function watched(): DecisionWords {
  return words(false, ["nothing would change: hooks only watch this event"]);
}

function ending(
  says: string,
  contexts: readonly HookContext[],
  stop: { readonly reason: string | null } | null,
): DecisionWords {
  const end = stop === null ? [] : [`${says}${because(stop.reason)}`];
  return words(stop !== null, [...end, ...toldOf(contexts)]);
}

function compaction(says: string, stop: string | null): DecisionWords {
  return words(stop !== null, stop === null ? [] : [`${says}${because(stop)}`]);
}

function toldOf(contexts: readonly HookContext[]): string[] {
  return contexts.map(({ text }) => `the model would be told: ${text}`);
}

function because(reason: string | null): string {
  return reason === null || reason === "" ? "" : `: ${reason}`;
}

function words(isBlocked: boolean, lines: readonly string[]): DecisionWords {
  return { isBlocked, lines };
}
