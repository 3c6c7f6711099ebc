/** Whether a tool of an MCP server may be called, must be asked about, or is refused. */
import { isObject, type JsonObject } from "../base/json-object.ts";
import type { AskForApproval, SandboxPolicy } from "../protocol/generated/types.ts";
import { mcpGrant, type SessionGrants } from "./approval-policy.ts";
import { type Basis, POLICY } from "./decide-command.ts";

/** What the configuration says of a tool: never ask, always ask, ask unless it only reads, or go by its annotations. */
export type ApprovalMode = "approve" | "prompt" | "writes" | "auto";

/** How a thread runs, as far as MCP is concerned. */
export interface McpSituation {
  readonly approvalPolicy: AskForApproval;
  readonly sandbox: SandboxPolicy;
}

export interface McpCallRequest extends McpSituation {
  readonly server: string;
  readonly tool: string;
  readonly mode: ApprovalMode;
  /** What the server says about the tool. */
  readonly annotations: unknown;
  readonly sessionGrants: SessionGrants;
}

export type McpCallDecision =
  | { readonly kind: "run"; readonly basis: Basis }
  /** Whether the answer can stand for later calls. */
  | { readonly kind: "ask"; readonly mayLast: boolean }
  | { readonly kind: "forbid"; readonly reason: string };

export function decideMcpCall(request: McpCallRequest): McpCallDecision {
  const { server, tool, mode, annotations, approvalPolicy, sessionGrants } = request;
  if (isUnrestricted(request) || !needsApproval(mode, annotations)) return { kind: "run", basis: POLICY };
  // Only where the choice was left to the annotations can the user's choice stand for later calls.
  const mayLast = mode === "auto";
  if (mayLast && sessionGrants.has(mcpGrant(server, tool)))
    return { kind: "run", basis: { kind: "sessionGrant" } };
  if (approvalPolicy === "never")
    return { kind: "forbid", reason: "MCP tool call requires approval, but approval policy is never" };
  return { kind: "ask", mayLast };
}

/** A thread that asks nobody and may do everything on this machine may call everything, too. */
export function isUnrestricted({ approvalPolicy, sandbox }: McpSituation): boolean {
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

/** A server that says nothing about a tool has said nothing to its credit. */
function mayDoHarm({ destructiveHint, readOnlyHint, openWorldHint }: JsonObject): boolean {
  if (destructiveHint === true) return true;
  if (readOnlyHint === true) return false;
  return destructiveHint !== false || openWorldHint !== false;
}
