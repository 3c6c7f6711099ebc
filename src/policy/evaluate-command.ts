/** Evaluates each command of a call by rules, dangers and the approval policy. */
import type { AskForApproval, SandboxPolicy } from "../protocol/generated/types.ts";
import type { SandboxAbility } from "../sandbox/sandbox.ts";
import { isConfined } from "./approval-policy.ts";
import type { CanBeHijacked } from "./commands/can-be-hijacked.ts";
import type { CommandReader } from "./commands/command-reader.ts";
import { isTrustedCommand } from "./commands/is-trusted-command.ts";
import type { Danger, Search } from "./commands/search-command.ts";
import { wholeCommand } from "./commands/wrapper-options.ts";
import { type RuleDecision, type RuleMatch, type RuleMatcher, strictest } from "./rules/rule-set.ts";

export interface CommandPolicyContext {
  readonly policy: AskForApproval;
  readonly sandbox: SandboxPolicy;
  readonly sandboxAbility: SandboxAbility;
  /** The command requests to run outside its sandbox. */
  readonly escalated: boolean;
  /** Whether `untrusted` lets read-only commands run without a question. */
  readonly trustsReadOnlyCommands: boolean;
  readonly cwd: string;
  /** Whether workspace files could determine what these commands execute, together, in the folder. */
  readonly canBeHijacked: CanBeHijacked;
}

export interface CommandEvaluation {
  readonly argv: readonly string[];
  readonly decision: RuleDecision;
  /** Matching rules; if empty, the decision comes from the policy. */
  readonly matches: readonly RuleMatch[];
  readonly danger: Danger | null;
}

/** The evaluation of a call by its commands. */
export interface CallEvaluation {
  readonly evaluations: readonly CommandEvaluation[];
  /** Rules allow every command, and the call stays in its sandbox nevertheless. */
  readonly keepsSandbox: boolean;
}

/**
 * An allow rule lifts both the question and the sandbox. If workspace files could determine what the command executes, it
 * lifts the question only, and not the question about leaving the sandbox.
 */
export function evaluateCall(
  reader: CommandReader,
  rules: RuleMatcher,
  context: CommandPolicyContext,
  commands: readonly (readonly string[])[],
): CallEvaluation {
  const evaluations = commands.map((argv) => evaluateCommand(reader, rules, context, argv));
  const isAllowedByRules = evaluations.every(
    ({ decision, matches }) => decision === "allow" && matches.length > 0,
  );
  const keepsSandbox =
    isAllowedByRules && isConfined(context.sandbox) && isHijackable(reader, context, commands);
  if (!keepsSandbox) return { evaluations, keepsSandbox };
  const decision = context.escalated || lacksSandbox(context) ? needsQuestion(context) : "allow";
  return { evaluations: evaluations.map((each) => ({ ...each, decision })), keepsSandbox };
}

function isHijackable(
  reader: CommandReader,
  { canBeHijacked, cwd }: CommandPolicyContext,
  commands: readonly (readonly string[])[],
): boolean {
  const all = commands.flatMap((argv) => [wholeCommand(argv), ...reader.search(argv).within]);
  return canBeHijacked(all, cwd);
}

function needsQuestion({ policy }: CommandPolicyContext): RuleDecision {
  return policy === "never" ? "forbidden" : "prompt";
}

function evaluateCommand(
  reader: CommandReader,
  rules: RuleMatcher,
  context: CommandPolicyContext,
  argv: readonly string[],
): CommandEvaluation {
  const search = reader.search(argv);
  const matches = matchAll(rules, argv, search);
  const ruleDecision = strictest(matches.map(({ rule }) => rule.decision));
  if (ruleDecision !== null) return { argv, decision: ruleDecision, matches, danger: null };
  const { danger } = search;
  const isSafe = () => context.trustsReadOnlyCommands && isTrustedCommand(reader, argv);
  return { argv, decision: decideWithoutRule(context, danger, isSafe), matches, danger };
}

/** A rule for an inner command applies only if it restricts; it cannot allow the outer command. */
function matchAll(rules: RuleMatcher, argv: readonly string[], { within }: Search): RuleMatch[] {
  const restricting = new Map<unknown, RuleMatch>();
  for (const { words, from, to } of within) {
    const prefix = words.slice(from, Math.min(to, from + rules.maxPatternLength));
    for (const match of rules.match(prefix)) {
      if (match.rule.decision !== "allow" && !restricting.has(match.rule)) restricting.set(match.rule, match);
    }
  }
  return [...rules.match(argv), ...restricting.values()];
}

function decideWithoutRule(
  context: CommandPolicyContext,
  danger: Danger | null,
  isSafe: () => boolean,
): RuleDecision {
  const { policy, sandbox, escalated } = context;
  if (danger !== null || lacksSandbox(context)) return needsQuestion(context);
  if (policy === "untrusted") return isSafe() && !escalated ? "allow" : "prompt";
  if (policy === "never") return "allow";
  return isConfined(sandbox) && escalated ? "prompt" : "allow";
}

/** A sandbox is required, and this machine cannot enforce it. */
export function lacksSandbox({ sandbox, sandboxAbility, escalated }: CommandPolicyContext): boolean {
  return isConfined(sandbox) && !escalated && sandboxAbility.kind === "none";
}
