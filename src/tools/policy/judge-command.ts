/** What rules, dangers and the approval policy say of each command that a call would run. */
import type { AskForApproval, SandboxPolicy } from "../../protocol/generated/types.ts";
import type { SandboxAbility } from "../../sandbox/sandbox.ts";
import { isConfined } from "./approval-policy.ts";
import type { CommandReader } from "./read-command.ts";
import { type RuleDecision, type RuleMatch, type RuleMatcher, strictest } from "./rules/rule-set.ts";
import { isTrusted } from "./trust/is-trusted.ts";
import type { Danger, Search } from "./trust/search-command.ts";

export interface Situation {
  readonly policy: AskForApproval;
  readonly sandbox: SandboxPolicy;
  readonly sandboxAbility: SandboxAbility;
  /** The command wants out of its sandbox. */
  readonly escalated: boolean;
  /** Whether `untrusted` lets commands that only read run unasked. */
  readonly trustsReaders: boolean;
}

export interface Judgement {
  readonly argv: readonly string[];
  readonly decision: RuleDecision;
  /** Rules that match; without any, the decision comes from the policy. */
  readonly matches: readonly RuleMatch[];
  readonly danger: Danger | null;
}

export function judgeCommand(
  reader: CommandReader,
  rules: RuleMatcher,
  situation: Situation,
  argv: readonly string[],
): Judgement {
  const search = reader.search(argv);
  const matches = matchAll(rules, argv, search);
  const ruled = strictest(matches.map(({ rule }) => rule.decision));
  if (ruled !== null) return { argv, decision: ruled, matches, danger: null };
  const { danger } = search;
  const isSafe = () => situation.trustsReaders && isTrusted(reader, argv);
  return { argv, decision: decideUnruled(situation, danger, isSafe), matches, danger };
}

/** A rule about something that the command runs in turn counts where it restricts; it cannot allow what is around it. */
function matchAll(rules: RuleMatcher, argv: readonly string[], { within }: Search): RuleMatch[] {
  const restricting = new Map<unknown, RuleMatch>();
  for (const { words, from, to } of within) {
    const beginning = words.slice(from, Math.min(to, from + rules.longest));
    for (const match of rules.match(beginning)) {
      if (match.rule.decision !== "allow" && !restricting.has(match.rule)) restricting.set(match.rule, match);
    }
  }
  return [...rules.match(argv), ...restricting.values()];
}

function decideUnruled(situation: Situation, danger: Danger | null, isSafe: () => boolean): RuleDecision {
  const { policy, sandbox, escalated } = situation;
  if (danger !== null) return policy === "never" ? "forbidden" : "prompt";
  if (lacksSandbox(situation)) return policy === "never" ? "forbidden" : "prompt";
  if (policy === "untrusted") return isSafe() && !escalated ? "allow" : "prompt";
  if (policy === "never") return "allow";
  return isConfined(sandbox) && escalated ? "prompt" : "allow";
}

/** A sandbox is wanted, and nothing on this machine can enforce it. */
export function lacksSandbox({ sandbox, sandboxAbility, escalated }: Situation): boolean {
  return isConfined(sandbox) && !escalated && sandboxAbility.kind === "none";
}
