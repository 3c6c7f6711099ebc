/** Decides whether a command runs, is asked about, or is refused, with the reason for the user or the model. */
import { joinWords } from "../base/shlex.ts";
import type { CommandExecutionApprovalDecision } from "../protocol/generated/types.ts";
import type { Cause } from "../store/decisions.ts";
import {
  commandGrant,
  decideRetry,
  type GrantedCommand,
  isConfined,
  refusesEscalation,
  refusesQuestion,
  type SessionGrants,
} from "./approval-policy.ts";
import { type CommandReader, createCommandReader } from "./commands/command-reader.ts";
import type { Danger } from "./commands/search-command.ts";
import {
  type CommandEvaluation,
  type CommandPolicyContext,
  evaluateCall,
  lacksSandbox,
} from "./evaluate-command.ts";
import { proposeAmendment } from "./propose-amendment.ts";
import { commandCause } from "./question-cause.ts";
import {
  createMatcher,
  type RuleDecision,
  type RuleMatch,
  type RuleSet,
  strictest,
} from "./rules/rule-set.ts";
import type { ShellGrammar } from "./shell/shell-grammar.ts";

export interface CommandRequest extends CommandPolicyContext, GrantedCommand {
  /** The shell that the server chose; another shell is evaluated as a program of its own. */
  readonly shell: string;
  /** The model's justification, if it gave one. */
  readonly justification: string | null;
  /** The command prefix that the model requests to be allowed permanently. */
  readonly wantedPrefix: readonly string[] | null;
  readonly rules: RuleSet;
  readonly sessionGrants: SessionGrants;
}

export type CommandDecision =
  | { readonly kind: "run"; readonly sandboxed: boolean; readonly basis: Basis }
  | {
      readonly kind: "ask";
      readonly reason: string | null;
      readonly proposedAmendment: string[] | null;
      readonly availableDecisions: CommandExecutionApprovalDecision[];
      /** Whether it runs in the sandbox if it is approved. */
      readonly sandboxed: boolean;
      readonly cause: Cause;
    }
  /** `escalation`: the model gets the reason verbatim, before the command is shown to clients. */
  | {
      readonly kind: "forbid";
      readonly cause: "escalation" | "policy";
      readonly reason: string;
      readonly basis: Basis;
    };

/** The basis of a decision without a question. */
export type Basis =
  | { readonly kind: "policy" }
  | { readonly kind: "rule"; readonly prefix: readonly string[]; readonly file: string | null }
  | { readonly kind: "sessionGrant" };

const HIJACKABLE_REASON =
  "files of the workspace could decide what it runs, so that no rule lets it leave the sandbox";

const STOPPED = "the sandbox stopped it, and it would run again without one";

export const POLICY_BASIS: Basis = { kind: "policy" };

/** Pure, except for the memory of the grammar's parser. */
export function decideCommand(grammar: ShellGrammar, request: CommandRequest): CommandDecision {
  const { policy, escalated, rules } = request;
  const refused = escalated ? refusesEscalation(policy) : null;
  if (refused !== null) return { kind: "forbid", cause: "escalation", reason: refused, basis: POLICY_BASIS };

  const reader = createCommandReader(grammar);
  const { shown, commands } = readCall(reader, request);
  const evaluate = (ruleSet: RuleSet) => evaluateCall(reader, createMatcher(ruleSet), request, commands);
  const { evaluations, keepsSandbox } = evaluate(rules);
  const decision = strictest(evaluations.map((each) => each.decision));
  if (decision === "allow") {
    return {
      kind: "run",
      sandboxed: isSandboxed(request, evaluations, keepsSandbox),
      basis: basisOf(evaluations, "allow"),
    };
  }
  if (decision !== "prompt") return forbid(request, shown, evaluations);

  const isRuled =
    !keepsSandbox && evaluations.some((each) => each.decision === "prompt" && each.matches.length > 0);
  const refusal = refusesQuestion(policy, isRuled ? "rule" : "sandbox");
  if (refusal !== null) {
    const reason = isRuled ? refusal : refusalReason(refusal, evaluations);
    return { kind: "forbid", cause: "policy", reason, basis: basisOf(evaluations, "prompt") };
  }
  const sandboxed = canBeSandboxed(request);
  if (request.sessionGrants.has(commandGrant(reader, request)))
    return { kind: "run", sandboxed, basis: { kind: "sessionGrant" } };
  const proposedAmendment = proposeAmendment({
    rules,
    evaluations,
    requestedPrefix: request.wantedPrefix,
    evaluate,
  });
  const sandbox = keepsSandbox ? HIJACKABLE_REASON : sandboxReason(request);
  return {
    kind: "ask",
    reason: promptReason(shown, evaluations) ?? request.justification ?? unreadReason(evaluations) ?? sandbox,
    proposedAmendment,
    availableDecisions: availableDecisions(proposedAmendment),
    sandboxed,
    cause: commandCause({
      policy,
      match: longestMatch(evaluations, "prompt"),
      danger: dangerReason(evaluations, "prompt"),
      sandbox,
      escalated,
      justification: request.justification,
    }),
  };
}

/**
 * The commands to evaluate, and the command line for messages. A shell that is neither the server's choice nor a system
 * program may do anything with its arguments, so it has to be allowed on its own.
 */
function readCall(reader: CommandReader, { argv, shell }: CommandRequest) {
  const commands = reader.plainCommands(argv) ?? [argv];
  const [program = ""] = argv;
  if (program === shell || /^(?:\/usr)?\/bin\/[^/]+$/.test(program)) return { shown: argv, commands };
  return { shown: [program], commands: argv.length === 1 ? commands : [[program], ...commands] };
}

/** If rules allow every command of a call, it also leaves the sandbox, unless `keepsSandbox`. */
function isSandboxed(
  request: CommandRequest,
  evaluations: readonly CommandEvaluation[],
  keepsSandbox: boolean,
): boolean {
  return canBeSandboxed(request) && (keepsSandbox || evaluations.some(({ matches }) => matches.length === 0));
}

function canBeSandboxed({ sandbox, sandboxAbility, escalated }: CommandRequest): boolean {
  return isConfined(sandbox) && !escalated && sandboxAbility.kind !== "none";
}

function forbid(
  request: CommandRequest,
  shown: readonly string[],
  evaluations: readonly CommandEvaluation[],
): CommandDecision {
  const forbidden = evaluations.filter(({ decision }) => decision === "forbidden");
  const isUnenforced = forbidden.every(({ matches, danger }) => matches.length === 0 && danger === null);
  const missingSandbox = isUnenforced ? sandboxReason(request) : null;
  const reason =
    missingSandbox === null ? forbidReason(shown, evaluations) : `command rejected: ${missingSandbox}`;
  return { kind: "forbid", cause: "policy", reason, basis: basisOf(evaluations, "forbidden") };
}

/** The matching rule if a rule decided; an allowed call needs a rule for every command. */
function basisOf(evaluations: readonly CommandEvaluation[], decision: RuleDecision): Basis {
  if (decision === "allow" && evaluations.some(({ matches }) => matches.length === 0)) return POLICY_BASIS;
  const match = longestMatch(evaluations, decision);
  return match === null
    ? POLICY_BASIS
    : { kind: "rule", prefix: match.prefix, file: match.rule.file ?? null };
}

function sandboxReason(request: CommandRequest): string | null {
  const { sandboxAbility } = request;
  if (sandboxAbility.kind !== "none" || !lacksSandbox(request)) return null;
  return `the sandbox cannot be enforced here: ${sandboxAbility.reason}`;
}

function availableDecisions(amendment: string[] | null): CommandExecutionApprovalDecision[] {
  if (amendment === null) return ["accept", "cancel"];
  return ["accept", { acceptWithExecpolicyAmendment: { execpolicy_amendment: amendment } }, "cancel"];
}

/** A command that the user approved may be retried without its sandbox; any other is decided like an escalation. */
export function decideWithoutSandbox(
  grammar: ShellGrammar,
  request: CommandRequest,
  wasApproved: boolean,
): CommandDecision {
  const retry = decideRetry(request.policy, wasApproved);
  if (retry.kind === "run") return { kind: "run", sandboxed: false, basis: POLICY_BASIS };
  if (retry.kind === "forbid") {
    const reason = "the approval policy does not allow asking for a run without the sandbox";
    return { kind: "forbid", cause: "policy", reason, basis: POLICY_BASIS };
  }
  const decision = decideCommand(grammar, { ...request, escalated: true });
  return decision.kind === "ask"
    ? { ...decision, reason: retry.reason, cause: { kind: "sandbox", why: STOPPED } }
    : decision;
}

const FORCED_REMOVAL_REASON = "rm -f style commands are not permitted. Use a safer approach";
const UNREADABLE_REASON =
  "the command is too long or too deeply nested to be judged; split it into smaller ones";

/** Null if no rule prompts. */
function promptReason(argv: readonly string[], evaluations: readonly CommandEvaluation[]): string | null {
  const match = longestMatch(evaluations, "prompt");
  if (match === null) return null;
  const { justification } = match.rule;
  const command = `\`${joinWords(argv)}\``;
  return justification === null
    ? `${command} requires approval by policy`
    : `${command} requires approval: ${justification}`;
}

function forbidReason(argv: readonly string[], evaluations: readonly CommandEvaluation[]): string {
  const match = longestMatch(evaluations, "forbidden");
  return `\`${joinWords(argv)}\` rejected: ${match === null ? unruledReason(evaluations) : ruledReason(match)}`;
}

function ruledReason({ rule, prefix }: RuleMatch): string {
  return rule.justification ?? `policy forbids commands starting with \`${joinWords(prefix)}\``;
}

function unruledReason(evaluations: readonly CommandEvaluation[]): string {
  return dangerReason(evaluations, "forbidden") ?? "blocked by policy";
}

/** The reason for a refusal where the policy does not allow the question. */
function refusalReason(fallback: string, evaluations: readonly CommandEvaluation[]): string {
  return dangerReason(evaluations, "prompt") ?? fallback;
}

/** The reason for a question about an unreadable command. */
function unreadReason(evaluations: readonly CommandEvaluation[]): string | null {
  return firstDanger(evaluations, "prompt") === "unread" ? UNREADABLE_REASON : null;
}

function dangerReason(evaluations: readonly CommandEvaluation[], decision: RuleDecision): string | null {
  const danger = firstDanger(evaluations, decision);
  if (danger === "forcedRemoval") return FORCED_REMOVAL_REASON;
  return danger === "unread" ? UNREADABLE_REASON : null;
}

function firstDanger(evaluations: readonly CommandEvaluation[], decision: RuleDecision): Danger | null {
  return evaluations.find((each) => each.decision === decision && each.danger !== null)?.danger ?? null;
}

/** Of equally long matches the last one, which comes from the file with the highest precedence. */
function longestMatch(evaluations: readonly CommandEvaluation[], decision: RuleDecision): RuleMatch | null {
  return evaluations
    .flatMap(({ matches }) => matches)
    .filter(({ rule }) => rule.decision === decision)
    .reduce<RuleMatch | null>(
      (longest, each) => (longest !== null && longest.prefix.length > each.prefix.length ? longest : each),
      null,
    );
}
