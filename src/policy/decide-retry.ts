/** Whether a command that its sandbox has stopped may run without it. */
import { decideRetry } from "./approval-policy.ts";
import { type CommandDecision, type CommandRequest, decideCommand, POLICY } from "./decide-command.ts";
import type { ShellGrammar } from "./shell/shell-grammar.ts";

/** What the user has allowed once may leave its sandbox; anything else is asked about as what wants to leave it. */
export function decideWithoutSandbox(
  grammar: ShellGrammar,
  request: CommandRequest,
  wasApproved: boolean,
): CommandDecision {
  const retry = decideRetry(request.policy, wasApproved);
  if (retry.kind === "run") return { kind: "run", sandboxed: false, basis: POLICY };
  if (retry.kind === "forbid") {
    const reason = "the approval policy lets nobody decide on a run without the sandbox";
    return { kind: "forbid", cause: "policy", reason, basis: POLICY };
  }
  const decision = decideCommand(grammar, { ...request, escalated: true });
  return decision.kind === "ask" ? { ...decision, reason: retry.reason } : decision;
}
