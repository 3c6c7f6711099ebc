/** What of how a thread runs concerns MCP, and which questions of servers reach the user at all. */

import type { Truncation } from "../../base/truncate-text.ts";
import type { ApprovalMode, McpPolicyContext } from "../../policy/decide-mcp-call.ts";
import type { InputModality } from "../../protocol/generated/types.ts";
import type { McpServerConfig } from "./server/server-config.ts";

/** How a thread runs at the moment, as far as MCP is concerned. */
export interface McpPolicy extends McpPolicyContext {
  readonly truncation: Truncation;
  /** What the model can take in. */
  readonly modalities: readonly InputModality[];
  /** Somebody is there to fill in forms, also where nobody is asked for permission. */
  readonly fillsForms: boolean;
}

export function approvalMode({ tools, defaultApproval }: McpServerConfig, tool: string): ApprovalMode {
  return tools.get(tool)?.approval ?? defaultApproval;
}

/** Whether questions of servers are put to the user. */
export function takesQuestions({ approvalPolicy }: McpPolicy): boolean {
  if (approvalPolicy === "never") return false;
  return typeof approvalPolicy === "string" || approvalPolicy.granular.mcp_elicitations;
}
