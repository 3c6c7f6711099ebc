/** What rules, dangers and the approval policy say of each command that a call would run. */
import type { AskForApproval, SandboxPolicy } from "../protocol/generated/types.ts";
import type { SandboxAbility } from "../sandbox/sandbox.ts";
import { isConfined } from "./approval-policy.ts";
import type { CommandReader } from "./read-command.ts";
import { type RuleDecision, type RuleMatch, type RuleMatcher, strictest } from "./rules/rule-set.ts";
import type { CanBeSteered } from "./steering/can-be-steered.ts";
import { isTrusted } from "./trust/is-trusted.ts";
import type { Danger, Search } from "./trust/search-command.ts";
import { wholeSpan } from "./trust/span.ts";

export interface Situation {
  readonly policy: AskForApproval;
  readonly sandbox: SandboxPolicy;
  readonly sandboxAbility: SandboxAbility;
  /** The command wants out of its sandbox. */
  readonly escalated: boolean;
  /** Whether `untrusted` lets commands that only read run unasked. */
  readonly trustsReaders: boolean;
  readonly cwd: string;
  /** Whether files of the workspace could decide what these commands run, together, in the folder. */
  readonly canBeSteered: CanBeSteered;
}

export interface Judgement {
  readonly argv: readonly string[];
  readonly decision: RuleDecision;
  /** Rules that match; without any, the decision comes from the policy. */
  readonly matches: readonly RuleMatch[];
  readonly danger: Danger | null;
}

/** What a call consists of, judged by its parts. */
export interface CallJudgement {
  readonly judgements: readonly Judgement[];
  /** Rules allow all of it, and it stays in its sandbox all the same. */
  readonly isHeld: boolean;
}

/**
 * A rule that allows lifts the question and the sandbox. Where files of the workspace could decide what the command
 * runs it lifts the question alone, and not that about leaving the sandbox.
 */
export function judgeCall(
  reader: CommandReader,
  rules: RuleMatcher,
  situation: Situation,
  commands: readonly (readonly string[])[],
): CallJudgement {
  const judgements = commands.map((argv) => judgeCommand(reader, rules, situation, argv));
  const isFree = judgements.every(({ decision, matches }) => decision === "allow" && matches.length > 0);
  const isHeld = isFree && isConfined(situation.sandbox) && isSteerable(reader, situation, commands);
  if (!isHeld) return { judgements, isHeld };
  const decision = situation.escalated || lacksSandbox(situation) ? needsQuestion(situation) : "allow";
  return { judgements: judgements.map((each) => ({ ...each, decision })), isHeld };
}

function isSteerable(
  reader: CommandReader,
  { canBeSteered, cwd }: Situation,
  commands: readonly (readonly string[])[],
): boolean {
  const all = commands.flatMap((argv) => [wholeSpan(argv), ...reader.search(argv).within]);
  return canBeSteered(all, cwd);
}

function needsQuestion({ policy }: Situation): RuleDecision {
  return policy === "never" ? "forbidden" : "prompt";
}

function judgeCommand(
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
  if (danger !== null || lacksSandbox(situation)) return needsQuestion(situation);
  if (policy === "untrusted") return isSafe() && !escalated ? "allow" : "prompt";
  if (policy === "never") return "allow";
  return isConfined(sandbox) && escalated ? "prompt" : "allow";
}

/** A sandbox is wanted, and nothing on this machine can enforce it. */
export function lacksSandbox({ sandbox, sandboxAbility, escalated }: Situation): boolean {
  return isConfined(sandbox) && !escalated && sandboxAbility.kind === "none";
}
