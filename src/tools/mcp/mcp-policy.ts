/** The thread settings that concern MCP, and whether elicitations reach the user. */

import type { Truncation } from "../../base/truncate-text.ts";
import type { ApprovalMode, McpPolicyContext } from "../../policy/decide-mcp-call.ts";
import type { InputModality } from "../../protocol/generated/types.ts";
import type { McpServerConfig } from "./server/server-config.ts";

/** The current MCP-related settings of a thread. */
export interface McpPolicy extends McpPolicyContext {
  readonly truncation: Truncation;
  /** The input modalities of the model. */
  readonly modalities: readonly InputModality[];
  /** A client can fill in forms, also where permission is never requested. */
  readonly fillsForms: boolean;
}

export function approvalMode({ tools, defaultApproval }: McpServerConfig, tool: string): ApprovalMode {
  return tools.get(tool)?.approval ?? defaultApproval;
}

/** Whether elicitations of servers are forwarded to the user. */
export function forwardsElicitations({ approvalPolicy }: McpPolicy): boolean {
  if (approvalPolicy === "never") return false;
  return typeof approvalPolicy === "string" || approvalPolicy.granular.mcp_elicitations;
}
