/** Why a request needs a question: the facts that a decision was made from, for the person who answers. */
import type { AskForApproval } from "../protocol/generated/types.ts";
import type { Cause } from "../store/decisions.ts";
import type { ApprovalMode } from "./decide-mcp-call.ts";
import type { RuleMatch } from "./rules/rule-set.ts";

/** The facts of a decision about a command, in the order in which they make a question necessary. */
export interface CommandFacts {
  readonly policy: AskForApproval;
  /** The rule that prompts. */
  readonly match: RuleMatch | null;
  /** Why the sandbox does not apply, or must be kept; null if it is no reason. */
  readonly sandbox: string | null;
  readonly escalated: boolean;
  readonly justification: string | null;
  /** Why the command counts as dangerous; null if it does not. */
  readonly danger: string | null;
}

const LEAVES_SANDBOX = "the model wants to run it without the sandbox";
const NOT_READ_ONLY = "it is not known to be a command that only reads";

export function commandCause(facts: CommandFacts): Cause {
  const { policy, match, sandbox, escalated, justification, danger } = facts;
  if (match !== null) return ruleCause(match);
  if (danger !== null) return { kind: "policy", policy: nameOfPolicy(policy), why: danger };
  if (sandbox !== null) return { kind: "sandbox", why: sandbox };
  if (escalated) return { kind: "sandbox", why: justification ?? LEAVES_SANDBOX };
  return { kind: "policy", policy: nameOfPolicy(policy), why: NOT_READ_ONLY };
}

export function fileChangeCause(policy: AskForApproval): Cause {
  return policy === "untrusted"
    ? { kind: "policy", policy, why: "every change of files is asked about" }
    : { kind: "sandbox", why: "it writes where the sandbox of the thread does not let it write" };
}

export function mcpCallCause(policy: AskForApproval, mode: ApprovalMode): Cause {
  return { kind: "policy", policy: nameOfPolicy(policy), why: MCP_REASONS[mode] };
}

const MCP_REASONS: Readonly<Record<ApprovalMode, string>> = {
  prompt: "the configuration asks before each call of this tool",
  writes: "the tool does not say that it only reads",
  auto: "the tool does not say that it is harmless",
  approve: "the configuration lets this tool run",
};

function ruleCause({ rule, prefix }: RuleMatch): Cause {
  const { file = null, line = null, justification } = rule;
  return { kind: "rule", prefix, file, line, justification };
}

/** The policy's name in the configuration. */
function nameOfPolicy(policy: AskForApproval): string {
  return typeof policy === "string" ? policy : "granular";
}
