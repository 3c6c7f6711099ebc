/**
 * Requests for permission to call a tool of an MCP server. Clients receive them as an elicitation form without fields.
 */
import { isObject } from "../../base/json-object.ts";
import type {
  McpServerElicitationRequestParams,
  McpServerElicitationRequestResponse,
} from "../../protocol/generated/types.ts";
import { MCP_CALL_CANCELLED, type McpCallSubject, type PermissionAnswer } from "../../tools/permission.ts";
import {
  declined,
  FOR_SESSION,
  type PermissionOptions,
  type PermissionQuestion,
  type SubjectKind,
} from "./permission-kind.ts";

const REJECTED = "user rejected MCP tool call";
const APPROVED: PermissionAnswer<"mcpToolCall"> = { kind: "approved" };
const LASTING = { session: FOR_SESSION, always: "for good" } as const;

export const mcpCallPermission: SubjectKind<McpCallSubject> = {
  unanswered: MCP_CALL_CANCELLED,
  toDecisionRequest: ({ itemId, server, tool }) => ({
    itemId,
    subject: { kind: "mcpTool", server, tool: tool.name },
  }),
  async rule(subject, options) {
    const decision = options.policy.mcpCall(subject);
    switch (decision.kind) {
      case "run":
        return {
          kind: "allow",
          basis: decision.basis,
          answer: APPROVED,
          ask: options.policy.mayAsk ? () => askAbout(subject, false, options) : null,
        };
      case "forbid":
        return { ...decision, basis: { kind: "policy" }, cause: "policy" };
      case "ask":
        return {
          kind: "ask",
          question: askAbout(subject, decision.mayLast, options),
          cause: decision.cause,
        };
    }
  },
};

function askAbout(
  subject: McpCallSubject,
  mayLast: boolean,
  { threadId, turnId, policy }: PermissionOptions,
): PermissionQuestion<McpCallSubject, "mcpServer/elicitation/request"> {
  const refuse = (reason: string) =>
    ({ outcome: "denied", reason, answer: declined(reason, "answer") }) as const;
  return {
    method: "mcpServer/elicitation/request",
    params: () => ({ threadId, turnId, ...toForm(subject, mayLast) }),
    accepted: { action: "accept", content: null, _meta: null },
    read(result) {
      if (result.action === "cancel") return refuse(MCP_CALL_CANCELLED);
      if (result.action === "decline") return refuse(REJECTED);
      const lasting = mayLast ? lastingChoice(result) : null;
      if (lasting === null) return { outcome: "approved", reason: null, answer: APPROVED };
      return {
        outcome: "approved",
        reason: LASTING[lasting],
        answer: APPROVED,
        grant: () => policy.grantMcpTool(subject, lasting),
      };
    },
  };
}

function lastingChoice({ _meta: meta }: McpServerElicitationRequestResponse): "session" | "always" | null {
  const persist = isObject(meta) ? meta["persist"] : null;
  return persist === "session" || persist === "always" ? persist : null;
}

type Form = Extract<McpServerElicitationRequestParams, { mode: "form" }>;

function toForm({ server, tool, args }: McpCallSubject, mayLast: boolean): Omit<Form, "threadId" | "turnId"> {
  return {
    serverName: server,
    mode: "form",
    _meta: {
      codex_approval_kind: "mcp_tool_call",
      ...(mayLast && { persist: ["session", "always"] }),
      ...(tool.title !== undefined && { tool_title: tool.title }),
      ...(tool.description !== undefined && { tool_description: tool.description }),
      ...(args !== null && { tool_params: args }),
      ...(isObject(args) && { tool_params_display: toDisplay(args) }),
    },
    message: `Allow the ${server} MCP server to run tool "${tool.name}"?`,
    requestedSchema: { type: "object", properties: {} },
  };
}

function toDisplay(args: Readonly<Record<string, unknown>>) {
  return Object.keys(args)
    .sort()
    .map((name) => ({ name, value: args[name], display_name: name }));
}
