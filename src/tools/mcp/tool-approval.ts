/** Asks for leave to call an MCP tool. Whatever is not a clear yes is a no. */
import { isObject } from "../../base/json-object.ts";
import type {
  McpServerElicitationRequestParams,
  McpServerElicitationRequestResponse,
  Tool,
} from "../../protocol/generated/types.ts";
import type { DecidedBy, LeaveRecord } from "../../store/decisions/decision-log.ts";
import type { Ask } from "../ask.ts";
import { recordUnanswered } from "../failed-leave.ts";
import { approvalMode, isUnrestricted, type McpPolicy, needsApproval } from "./mcp-policy.ts";
import type { McpServerConfig } from "./server-config.ts";

export type Leave = { readonly kind: "given" } | { readonly kind: "refused"; readonly reason: string };

export interface LeaveRequest {
  readonly threadId: string;
  readonly turnId: string;
  readonly server: McpServerConfig;
  readonly tool: Tool;
  readonly args: unknown;
}

export interface LeavePorts {
  readonly policy: McpPolicy;
  readonly ask: Ask;
  readonly record: LeaveRecord;
  /** Tools of this thread that the user need not be asked about again. */
  readonly remembered: Set<string>;
  /** Makes such a tool free for all threads to come. */
  readonly persist: (server: string, tool: string) => Promise<void>;
}

const CANCELLED = "user cancelled MCP tool call";
const LASTING = { session: "for the session", always: "for good" } as const;

export async function askLeave(request: LeaveRequest, ports: LeavePorts): Promise<Leave> {
  const { server, tool } = request;
  const mode = approvalMode(server, tool.name);
  const key = JSON.stringify([server.name, tool.name]);
  const { record } = ports;
  const give = async (by: DecidedBy, reason: string | null = null): Promise<Leave> => {
    await record.decide("approved", by, reason);
    return { kind: "given" };
  };
  const refuse = async (by: DecidedBy, reason: string): Promise<Leave> => {
    await record.decide("denied", by, reason);
    return { kind: "refused", reason };
  };
  if (isUnrestricted(ports.policy) || !needsApproval(mode, tool.annotations)) return give({ kind: "policy" });
  // Only where the choice was left to the annotations can the user's choice stand for later calls.
  const mayRemember = mode === "auto";
  if (mayRemember && ports.remembered.has(key)) return give({ kind: "sessionGrant" });
  if (ports.policy.approvalPolicy === "never") {
    return refuse({ kind: "policy" }, "MCP tool call requires approval, but approval policy is never");
  }
  await record.ask();
  const answer = await ports.ask("mcpServer/elicitation/request", toQuestion(request, mayRemember));
  if (answer.kind !== "answered") {
    await recordUnanswered(answer, record);
    return { kind: "refused", reason: CANCELLED };
  }
  const by: DecidedBy = { kind: "client", name: answer.from ?? null };
  if (answer.result.action === "cancel") return refuse(by, CANCELLED);
  if (answer.result.action === "decline") return refuse(by, "user rejected MCP tool call");
  const lasting = mayRemember ? lastingChoice(answer.result) : null;
  const given = await give(by, lasting === null ? null : LASTING[lasting]);
  if (lasting !== null) ports.remembered.add(key);
  if (lasting === "always") await ports.persist(server.name, tool.name);
  return given;
}

function lastingChoice({ _meta: meta }: McpServerElicitationRequestResponse): "session" | "always" | null {
  const persist = isObject(meta) ? meta["persist"] : null;
  return persist === "session" || persist === "always" ? persist : null;
}

function toQuestion(request: LeaveRequest, mayRemember: boolean): McpServerElicitationRequestParams {
  const { threadId, turnId, server, tool, args } = request;
  return {
    threadId,
    turnId,
    serverName: server.name,
    mode: "form",
    _meta: {
      codex_approval_kind: "mcp_tool_call",
      ...(mayRemember && { persist: ["session", "always"] }),
      ...(tool.title !== undefined && { tool_title: tool.title }),
      ...(tool.description !== undefined && { tool_description: tool.description }),
      ...(args !== null && { tool_params: args }),
      ...(isObject(args) && { tool_params_display: toDisplay(args) }),
    },
    message: `Allow the ${server.name} MCP server to run tool "${tool.name}"?`,
    requestedSchema: { type: "object", properties: {} },
  };
}

function toDisplay(args: Readonly<Record<string, unknown>>) {
  return Object.keys(args)
    .sort()
    .map((name) => ({ name, value: args[name], display_name: name }));
}
