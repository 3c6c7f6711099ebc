/** Which MCP calls need the user's leave, and which questions of servers reach the user at all. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { AskForApproval, InputModality, SandboxPolicy } from "../../protocol/generated/types.ts";
import type { Truncation } from "../exec/truncate-text.ts";
import type { ApprovalMode, McpServerConfig } from "./server-config.ts";

/** How a thread runs at the moment, as far as MCP is concerned. */
export interface McpPolicy {
  readonly approvalPolicy: AskForApproval;
  readonly sandbox: SandboxPolicy;
  readonly truncation: Truncation;
  /** What the model can take in. */
  readonly modalities: readonly InputModality[];
  /** Somebody is there to fill in forms, also where nobody is asked for leave. */
  readonly fillsForms: boolean;
}

export function approvalMode({ tools, defaultApproval }: McpServerConfig, tool: string): ApprovalMode {
  return tools.get(tool)?.approval ?? defaultApproval;
}

/** A thread that asks nobody and may do everything on this machine may call everything, too. */
export function isUnrestricted({ approvalPolicy, sandbox }: McpPolicy): boolean {
  const open = sandbox.type === "dangerFullAccess" || sandbox.type === "externalSandbox";
  return approvalPolicy === "never" && open;
}

export function needsApproval(mode: ApprovalMode, annotations: unknown): boolean {
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

/** Whether questions of servers are put to the user. */
export function takesQuestions({ approvalPolicy }: McpPolicy): boolean {
  if (approvalPolicy === "never") return false;
  return typeof approvalPolicy === "string" || approvalPolicy.granular.mcp_elicitations;
}
