/** Decides whether a call of an MCP tool runs, is asked about, or is refused. */
import { isObject, type JsonObject } from "../base/json-object.ts";
import type { AskForApproval, SandboxPolicy } from "../protocol/generated/types.ts";
import type { Cause } from "../store/decisions.ts";
import { mcpGrant, type SessionGrants } from "./approval-policy.ts";
import { type Basis, POLICY_BASIS } from "./decide-command.ts";
import { mcpCallCause } from "./question-cause.ts";

/** The configured mode of a tool: never ask, always ask, ask unless it is read-only, or decide by its annotations. */
export type ApprovalMode = "approve" | "prompt" | "writes" | "auto";

/** The thread settings that apply to MCP calls. */
export interface McpPolicyContext {
  readonly approvalPolicy: AskForApproval;
  readonly sandbox: SandboxPolicy;
}

export interface McpCallRequest extends McpPolicyContext {
  readonly server: string;
  readonly tool: string;
  readonly mode: ApprovalMode;
  /** The server's annotations of the tool. */
  readonly annotations: unknown;
  readonly sessionGrants: SessionGrants;
}

export type McpCallDecision =
  | { readonly kind: "run"; readonly basis: Basis }
  /** Whether the answer may apply to later calls. */
  | { readonly kind: "ask"; readonly mayLast: boolean; readonly cause: Cause }
  | { readonly kind: "forbid"; readonly reason: string };

export function decideMcpCall(request: McpCallRequest): McpCallDecision {
  const { server, tool, mode, annotations, approvalPolicy, sessionGrants } = request;
  if (isUnrestricted(request) || !needsApproval(mode, annotations))
    return { kind: "run", basis: POLICY_BASIS };
  // The user's choice may apply to later calls only if the mode leaves the decision to the annotations.
  const mayLast = mode === "auto";
  if (mayLast && sessionGrants.has(mcpGrant(server, tool)))
    return { kind: "run", basis: { kind: "sessionGrant" } };
  if (approvalPolicy === "never")
    return { kind: "forbid", reason: "MCP tool call requires approval, but approval policy is never" };
  return { kind: "ask", mayLast, cause: mcpCallCause(approvalPolicy, mode) };
}

/** A thread that never asks and has full access to this machine may call every tool, too. */
export function isUnrestricted({ approvalPolicy, sandbox }: McpPolicyContext): boolean {
  const open = sandbox.type === "dangerFullAccess" || sandbox.type === "externalSandbox";
  return approvalPolicy === "never" && open;
}

function needsApproval(mode: ApprovalMode, annotations: unknown): boolean {
  const hints = isObject(annotations) ? annotations : {};
  switch (mode) {
    case "approve":
      return false;
    case "prompt":
      return true;
    case "writes":
      return hints["readOnlyHint"] !== true;
    case "auto":
      return mayDoHarm(hints);
  }
}

/** Missing annotations count as harmful. */
function mayDoHarm({ destructiveHint, readOnlyHint, openWorldHint }: JsonObject): boolean {
  if (destructiveHint === true) return true;
  if (readOnlyHint === true) return false;
  return destructiveHint !== false || openWorldHint !== false;
}
