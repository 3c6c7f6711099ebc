/** What rules, dangers and the approval policy say of each command that a call would run. */
import type { AskForApproval, SandboxPolicy } from "../protocol/generated/types.ts";
import type { SandboxAbility } from "../sandbox/sandbox.ts";
import { isConfined } from "./approval-policy.ts";
import type { CanBeHijacked } from "./commands/can-be-hijacked.ts";
import type { CommandReader } from "./commands/command-reader.ts";
import { isTrustedCommand } from "./commands/is-trusted-command.ts";
import type { Danger, Search } from "./commands/search-command.ts";
import { wholeCommand } from "./commands/wrapper-options.ts";
import { type RuleDecision, type RuleMatch, type RuleMatcher, strictest } from "./rules/rule-set.ts";

export interface CommandContext {
  readonly policy: AskForApproval;
  readonly sandbox: SandboxPolicy;
  readonly sandboxAbility: SandboxAbility;
  /** The command wants out of its sandbox. */
  readonly escalated: boolean;
  /** Whether `untrusted` lets commands that only read run unasked. */
  readonly trustsReadOnlyCommands: boolean;
  readonly cwd: string;
  /** Whether files of the workspace could decide what these commands run, together, in the folder. */
  readonly canBeHijacked: CanBeHijacked;
}

export interface CommandEvaluation {
  readonly argv: readonly string[];
  readonly decision: RuleDecision;
  /** Rules that match; without any, the decision comes from the policy. */
  readonly matches: readonly RuleMatch[];
  readonly danger: Danger | null;
}

/** What a call consists of, evaluated by its parts. */
export interface CallEvaluation {
  readonly evaluations: readonly CommandEvaluation[];
  /** Rules allow all of it, and it stays in its sandbox all the same. */
  readonly keepsSandbox: boolean;
}

/**
 * A rule that allows lifts the question and the sandbox. Where files of the workspace could decide what the command
 * runs it lifts the question alone, and not that about leaving the sandbox.
 */
export function evaluateCall(
  reader: CommandReader,
  rules: RuleMatcher,
  context: CommandContext,
  commands: readonly (readonly string[])[],
): CallEvaluation {
  const evaluations = commands.map((argv) => evaluateCommand(reader, rules, context, argv));
  const isFree = evaluations.every(({ decision, matches }) => decision === "allow" && matches.length > 0);
  const keepsSandbox = isFree && isConfined(context.sandbox) && isHijackable(reader, context, commands);
  if (!keepsSandbox) return { evaluations, keepsSandbox };
  const decision = context.escalated || lacksSandbox(context) ? needsQuestion(context) : "allow";
  return { evaluations: evaluations.map((each) => ({ ...each, decision })), keepsSandbox };
}

function isHijackable(
  reader: CommandReader,
  { canBeHijacked, cwd }: CommandContext,
  commands: readonly (readonly string[])[],
): boolean {
  const all = commands.flatMap((argv) => [wholeCommand(argv), ...reader.search(argv).within]);
  return canBeHijacked(all, cwd);
}

function needsQuestion({ policy }: CommandContext): RuleDecision {
  return policy === "never" ? "forbidden" : "prompt";
}

function evaluateCommand(
  reader: CommandReader,
  rules: RuleMatcher,
  context: CommandContext,
  argv: readonly string[],
): CommandEvaluation {
  const search = reader.search(argv);
  const matches = matchAll(rules, argv, search);
  const ruled = strictest(matches.map(({ rule }) => rule.decision));
  if (ruled !== null) return { argv, decision: ruled, matches, danger: null };
  const { danger } = search;
  const isSafe = () => context.trustsReadOnlyCommands && isTrustedCommand(reader, argv);
  return { argv, decision: decideUnruled(context, danger, isSafe), matches, danger };
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

function decideUnruled(context: CommandContext, danger: Danger | null, isSafe: () => boolean): RuleDecision {
  const { policy, sandbox, escalated } = context;
  if (danger !== null || lacksSandbox(context)) return needsQuestion(context);
  if (policy === "untrusted") return isSafe() && !escalated ? "allow" : "prompt";
  if (policy === "never") return "allow";
  return isConfined(sandbox) && escalated ? "prompt" : "allow";
}

/** A sandbox is wanted, and nothing on this machine can enforce it. */
export function lacksSandbox({ sandbox, sandboxAbility, escalated }: CommandContext): boolean {
  return isConfined(sandbox) && !escalated && sandboxAbility.kind === "none";
}
