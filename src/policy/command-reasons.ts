/** The words with which a command is asked about or refused. */
import { joinWords } from "../base/shlex.ts";
import type { Judgement } from "./judge-command.ts";
import type { RuleDecision, RuleMatch } from "./rules/rule-set.ts";
import type { Danger } from "./trust/search-command.ts";

const FORCED_REMOVAL = "rm -f style commands are not permitted. Use a safer approach";
const UNREAD = "the command is too long or too deeply nested to be judged; split it into smaller ones";

/** Null when no rule wants the question. */
export function promptReason(argv: readonly string[], judgements: readonly Judgement[]): string | null {
  const match = longestMatch(judgements, "prompt");
  if (match === null) return null;
  const { justification } = match.rule;
  const command = `\`${joinWords(argv)}\``;
  return justification === null
    ? `${command} requires approval by policy`
    : `${command} requires approval: ${justification}`;
}

export function forbidReason(argv: readonly string[], judgements: readonly Judgement[]): string {
  const match = longestMatch(judgements, "forbidden");
  return `\`${joinWords(argv)}\` rejected: ${match === null ? unruledReason(judgements) : ruledReason(match)}`;
}

function ruledReason({ rule, prefix }: RuleMatch): string {
  return rule.justification ?? `policy forbids commands starting with \`${joinWords(prefix)}\``;
}

function unruledReason(judgements: readonly Judgement[]): string {
  return dangerReason(judgements, "forbidden") ?? "blocked by policy";
}

/** Why a question that the policy does not allow was not asked. */
export function refusalReason(fallback: string, judgements: readonly Judgement[]): string {
  return dangerReason(judgements, "prompt") ?? fallback;
}

/** Why a command that could not be read is asked about. */
export function unreadReason(judgements: readonly Judgement[]): string | null {
  return firstDanger(judgements, "prompt") === "unread" ? UNREAD : null;
}

function dangerReason(judgements: readonly Judgement[], decision: RuleDecision): string | null {
  const danger = firstDanger(judgements, decision);
  if (danger === "forcedRemoval") return FORCED_REMOVAL;
  return danger === "unread" ? UNREAD : null;
}

function firstDanger(judgements: readonly Judgement[], decision: RuleDecision): Danger | null {
  return judgements.find((each) => each.decision === decision && each.danger !== null)?.danger ?? null;
}

/** Of equally long ones the last, which the file that counts most has written. */
export function longestMatch(judgements: readonly Judgement[], decision: RuleDecision): RuleMatch | null {
  return judgements
    .flatMap(({ matches }) => matches)
    .filter(({ rule }) => rule.decision === decision)
    .reduce<RuleMatch | null>(
      (longest, each) => (longest !== null && longest.prefix.length > each.prefix.length ? longest : each),
      null,
    );
}
