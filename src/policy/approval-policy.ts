/** When the approval policy allows asking the user, and the keys of session grants, which need no question. */
import type { AskForApproval, SandboxPolicy } from "../protocol/generated/types.ts";
import type { CommandReader } from "./commands/command-reader.ts";
import { scriptOf } from "./shell/parse-shell.ts";

/** The cause of a question: a rule prompts, or a command would leave its sandbox. */
export type QuestionCause = "rule" | "sandbox";

/** Null if the policy allows the question, otherwise the reason for the refusal. */
export function refusesQuestion(policy: AskForApproval, cause: QuestionCause): string | null {
  if (policy === "never") return "approval required by policy, but AskForApproval is set to Never";
  if (typeof policy === "string") return null;
  const { rules, sandbox_approval } = policy.granular;
  if (cause === "rule")
    return rules ? null : "approval required by policy rule, but AskForApproval::Granular.rules is false";
  return sandbox_approval
    ? null
    : "approval required by policy, but AskForApproval::Granular.sandbox_approval is false";
}

/** The message for the model if it requests escalation and the policy forbids the question; null otherwise. */
export function refusesEscalation(policy: AskForApproval): string | null {
  if (refusesQuestion(policy, "sandbox") === null) return null;
  const name = policyName(policy);
  return `approval policy is ${name}; reject command — you cannot ask for escalated permissions if the approval policy is ${name}`;
}

/** The policy's name in texts for the model. */
function policyName(policy: AskForApproval): string {
  if (policy === "never") return "Never";
  if (policy === "on-request") return "OnRequest";
  if (policy === "untrusted") return "UnlessTrusted";
  const {
    sandbox_approval,
    rules,
    skill_approval = false,
    request_permissions = false,
    mcp_elicitations,
  } = policy.granular;
  const fields = { sandbox_approval, rules, skill_approval, request_permissions, mcp_elicitations };
  const list = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return `Granular(GranularApprovalConfig { ${list.join(", ")} })`;
}

/** Whether the sandbox restricts file access. */
export function isConfined(sandbox: SandboxPolicy): boolean {
  return sandbox.type === "readOnly" || sandbox.type === "workspaceWrite";
}

/** Whether a command that failed because of its sandbox is retried without it, after a question, or not at all. */
export function decideRetry(
  policy: AskForApproval,
  wasApproved: boolean,
):
  | { readonly kind: "run" }
  | { readonly kind: "ask"; readonly reason: string }
  | { readonly kind: "forbid" } {
  const mayRetry = policy === "untrusted" || (typeof policy === "object" && policy.granular.sandbox_approval);
  if (!mayRetry) return { kind: "forbid" };
  return wasApproved ? { kind: "run" } : { kind: "ask", reason: "command failed; retry without sandbox?" };
}

/** Requests that were allowed for the rest of a session, as keys that equal requests share. */
export type SessionGrants = ReadonlySet<string>;

export interface GrantedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly tty: boolean;
  readonly escalated: boolean;
}

/** A single plain command has the same key in a login shell and in another shell; other scripts are compared as text. */
export function commandGrant(reader: CommandReader, { argv, cwd, tty, escalated }: GrantedCommand): string {
  return JSON.stringify(["command", argv[0] ?? null, canonical(reader, argv), cwd, tty, escalated]);
}

function canonical(reader: CommandReader, argv: readonly string[]): readonly string[] {
  const plain = reader.plainCommands(argv);
  const [only] = plain ?? [];
  if (only !== undefined && plain?.length === 1) return only;
  const script = scriptOf(argv);
  return script === null ? argv : ["script", argv[1] ?? "", script];
}

export function fileGrant(path: string): string {
  return JSON.stringify(["file", path]);
}

export function mcpGrant(server: string, tool: string): string {
  return JSON.stringify(["mcpTool", server, tool]);
}
