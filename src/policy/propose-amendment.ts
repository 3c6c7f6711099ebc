import { isBannedPrefix } from "./banned-prefixes.ts";
import type { CallJudgement, Judgement } from "./judge-command.ts";
import { type RuleSet, withAllowedPrefix } from "./rules/rule-set.ts";

export interface Proposal {
  readonly rules: RuleSet;
  readonly judgements: readonly Judgement[];
  /** The beginning that the model would like to have allowed. */
  readonly wanted: readonly string[] | null;
  /** Judges the call anew under other rules. */
  readonly judge: (rules: RuleSet) => CallJudgement;
}

/**
 * The beginning of a command that the user may allow for good. Where a rule prompts there is none, because another
 * rule would not lift it.
 */
export function proposeAmendment(proposal: Proposal): string[] | null {
  return wantedPrefix(proposal) ?? firstUnruled(proposal.judgements);
}

/** The model's wish counts when it is no empty phrase, meets no rule, and would settle the whole call. */
function wantedPrefix({ rules, judgements, wanted, judge }: Proposal): string[] | null {
  if (wanted === null || wanted.length === 0 || isBannedPrefix(wanted)) return null;
  if (judgements.some(({ matches }) => matches.length > 0)) return null;
  const extended = withAllowedPrefix(rules, wanted);
  return judge(extended).judgements.every(({ decision }) => decision === "allow") ? [...wanted] : null;
}

function firstUnruled(judgements: readonly Judgement[]): string[] | null {
  const isRuled = ({ decision, matches }: Judgement) => decision === "prompt" && matches.length > 0;
  if (judgements.some(isRuled)) return null;
  const first = judgements.find(({ decision }) => decision === "prompt");
  return first === undefined ? null : [...first.argv];
}
