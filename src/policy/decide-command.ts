/** Whether a command may run, must be asked about, or is refused. */
import type { CommandExecutionApprovalDecision } from "../protocol/generated/types.ts";
import { isConfined, refusesEscalation, refusesQuestion } from "./approval-policy.ts";
import { forbidReason, longestMatch, promptReason, refusalReason, unreadReason } from "./command-reasons.ts";
import { type Judgement, judgeCall, lacksSandbox, type Situation } from "./judge-command.ts";
import { proposeAmendment } from "./propose-amendment.ts";
import { type CommandReader, createCommandReader } from "./read-command.ts";
import { createMatcher, type RuleDecision, type RuleSet, strictest } from "./rules/rule-set.ts";
import { commandGrant, type GrantedCommand, type SessionGrants } from "./session-grants.ts";
import type { ShellGrammar } from "./shell/shell-grammar.ts";

export interface CommandRequest extends Situation, GrantedCommand {
  /** The shell that the server itself chose; another one is judged as a program of its own. */
  readonly shell: string;
  /** The model's own words, where it gave any. */
  readonly justification: string | null;
  /** The beginning that the model would like to have allowed for good. */
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
      /** How it runs when it is approved. */
      readonly sandboxed: boolean;
    }
  /** `escalation`: the model is told the reason as it stands, before anything of the command is shown. */
  | {
      readonly kind: "forbid";
      readonly cause: "escalation" | "policy";
      readonly reason: string;
      readonly basis: Basis;
    };

/** What a decision that nobody was asked for rests on. */
export type Basis =
  | { readonly kind: "policy" }
  | { readonly kind: "rule"; readonly prefix: readonly string[]; readonly file: string | null }
  | { readonly kind: "sessionGrant" };

const HELD = "files of the workspace could decide what it runs, so that no rule lets it leave the sandbox";

export const POLICY: Basis = { kind: "policy" };

/** Pure, but for the grammar's own memory. */
export function decideCommand(grammar: ShellGrammar, request: CommandRequest): CommandDecision {
  const { policy, escalated, rules } = request;
  const refused = escalated ? refusesEscalation(policy) : null;
  if (refused !== null) return { kind: "forbid", cause: "escalation", reason: refused, basis: POLICY };

  const reader = createCommandReader(grammar);
  const { shown, commands } = readCall(reader, request);
  const judge = (under: RuleSet) => judgeCall(reader, createMatcher(under), request, commands);
  const { judgements, isHeld } = judge(rules);
  const decision = strictest(judgements.map((each) => each.decision));
  if (decision === "allow") {
    return {
      kind: "run",
      sandboxed: isSandboxed(request, judgements, isHeld),
      basis: basisOf(judgements, "allow"),
    };
  }
  if (decision !== "prompt") return forbid(request, shown, judgements);

  const isRuled = !isHeld && judgements.some((each) => each.decision === "prompt" && each.matches.length > 0);
  const refusal = refusesQuestion(policy, isRuled ? "rule" : "sandbox");
  if (refusal !== null) {
    const reason = isRuled ? refusal : refusalReason(refusal, judgements);
    return { kind: "forbid", cause: "policy", reason, basis: basisOf(judgements, "prompt") };
  }
  const sandboxed = canBeSandboxed(request);
  if (request.sessionGrants.has(commandGrant(reader, request)))
    return { kind: "run", sandboxed, basis: { kind: "sessionGrant" } };
  const proposedAmendment = proposeAmendment({ rules, judgements, wanted: request.wantedPrefix, judge });
  return {
    kind: "ask",
    reason:
      promptReason(shown, judgements) ??
      request.justification ??
      unreadReason(judgements) ??
      (isHeld ? HELD : null) ??
      sandboxReason(request),
    proposedAmendment,
    availableDecisions: availableDecisions(proposedAmendment),
    sandboxed,
  };
}

/**
 * The commands that are judged, and the words by which the whole is called. A shell that is neither the server's own
 * nor the system's may do anything with its arguments, so it has to be allowed by itself.
 */
function readCall(reader: CommandReader, { argv, shell }: CommandRequest) {
  const commands = reader.plainCommands(argv) ?? [argv];
  const [program = ""] = argv;
  if (program === shell || /^(?:\/usr)?\/bin\/[^/]+$/.test(program)) return { shown: argv, commands };
  return { shown: [program], commands: argv.length === 1 ? commands : [[program], ...commands] };
}

/** Rules that allow every part of a call also allow it to leave the sandbox, unless it is held in it. */
function isSandboxed(request: CommandRequest, judgements: readonly Judgement[], isHeld: boolean): boolean {
  return canBeSandboxed(request) && (isHeld || judgements.some(({ matches }) => matches.length === 0));
}

function canBeSandboxed({ sandbox, sandboxAbility, escalated }: CommandRequest): boolean {
  return isConfined(sandbox) && !escalated && sandboxAbility.kind !== "none";
}

function forbid(
  request: CommandRequest,
  shown: readonly string[],
  judgements: readonly Judgement[],
): CommandDecision {
  const forbidden = judgements.filter(({ decision }) => decision === "forbidden");
  const isUnenforced = forbidden.every(({ matches, danger }) => matches.length === 0 && danger === null);
  const missing = isUnenforced ? sandboxReason(request) : null;
  const reason = missing === null ? forbidReason(shown, judgements) : `command rejected: ${missing}`;
  return { kind: "forbid", cause: "policy", reason, basis: basisOf(judgements, "forbidden") };
}

/** A rule is what it rests on when one decided so; what is allowed needs a rule for every part. */
function basisOf(judgements: readonly Judgement[], decision: RuleDecision): Basis {
  if (decision === "allow" && judgements.some(({ matches }) => matches.length === 0)) return POLICY;
  const match = longestMatch(judgements, decision);
  return match === null ? POLICY : { kind: "rule", prefix: match.prefix, file: match.rule.file ?? null };
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
