/** What rules, dangers and the approval policy say of each command that a call would run. */
import type { AskForApproval, SandboxPolicy } from "../../protocol/generated/types.ts";
import type { SandboxAbility } from "../../sandbox/sandbox.ts";
import { isConfined } from "./approval-policy.ts";
import { matchRules, type RuleDecision, type RuleMatch, type RuleSet, strictest } from "./rules/rule-set.ts";
import type { ShellGrammar } from "./shell/shell-grammar.ts";
import { commandsWithin } from "./trust/commands-within.ts";
import { type Danger, findDanger } from "./trust/find-danger.ts";
import { isTrusted } from "./trust/is-trusted.ts";

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
  grammar: ShellGrammar,
  rules: RuleSet,
  situation: Situation,
  argv: readonly string[],
): Judgement {
  const matches = matchAll(grammar, rules, argv);
  const ruled = strictest(matches.map(({ rule }) => rule.decision));
  if (ruled !== null) return { argv, decision: ruled, matches, danger: null };
  const danger = findDanger(grammar, argv);
  const isSafe = () => situation.trustsReaders && isTrusted(grammar, argv);
  return { argv, decision: decideUnruled(situation, danger, isSafe), matches, danger };
}

/** A rule about something that the command runs in turn counts where it restricts; it cannot allow what is around it. */
function matchAll(grammar: ShellGrammar, rules: RuleSet, argv: readonly string[]): RuleMatch[] {
  const [, ...parts] = commandsWithin(grammar, argv);
  const within = parts.flatMap((part) => (part === null ? [] : matchRules(rules, part)));
  return [...matchRules(rules, argv), ...within.filter(({ rule }) => rule.decision !== "allow")];
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
