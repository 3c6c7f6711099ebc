/** Puts a question of an MCP server to the clients of the thread whose call it asks for. */
import type {
  McpServerElicitationRequestParams,
  McpServerElicitationRequestResponse,
} from "../../protocol/generated/types.ts";
import type { Ask } from "../ask.ts";
import type { Elicit } from "./elicitation-router.ts";
import { isObject } from "./json-object.ts";
import type { ElicitationAnswer, ElicitationParams } from "./mcp-client.ts";
import { isUnrestricted, type McpPolicy, takesQuestions } from "./mcp-policy.ts";

export interface ElicitationPorts {
  readonly threadId: string;
  /** Null for calls that are not part of a turn. */
  readonly turnId: string | null;
  readonly server: string;
  readonly policy: () => McpPolicy;
  /** Null where there is nobody to ask. */
  readonly ask: Ask | null;
}

export function createElicit(ports: ElicitationPorts): Elicit {
  return { threadId: ports.threadId, answer: (params) => answer(params, ports) };
}

async function answer(params: ElicitationParams, ports: ElicitationPorts): Promise<ElicitationAnswer> {
  const policy = ports.policy();
  if (isUnrestricted(policy) && isMereConfirmation(params)) return { action: "accept", content: {} };
  if (!takesQuestions(policy) || ports.ask === null || claimsToBeOurs(params)) return { action: "decline" };
  const given = await ports.ask("mcpServer/elicitation/request", toQuestion(params, ports));
  switch (given.kind) {
    case "answered":
      return toAnswer(given.result);
    case "unanswered":
      return { action: "decline" };
    case "abandoned":
      return { action: "cancel" };
  }
}

function isMereConfirmation(params: ElicitationParams): boolean {
  return "requestedSchema" in params && Object.keys(params.requestedSchema.properties).length === 0;
}

/** Offers to install something come from the server program itself, never from an MCP server. */
function claimsToBeOurs({ _meta: meta }: ElicitationParams): boolean {
  return isObject(meta) && meta["codex_approval_kind"] === "tool_suggestion";
}

function toQuestion(params: ElicitationParams, ports: ElicitationPorts): McpServerElicitationRequestParams {
  const { threadId, turnId, server: serverName } = ports;
  const { message, _meta: meta = null } = params;
  const base = { threadId, turnId, serverName, _meta: meta, message };
  if ("requestedSchema" in params) {
    // The SDK has checked the form against the same rules.
    const requestedSchema = params.requestedSchema as FormSchema;
    return { ...base, mode: "form", requestedSchema };
  }
  return { ...base, mode: "url", url: params.url, elicitationId: params.elicitationId };
}

type FormSchema = Extract<McpServerElicitationRequestParams, { mode: "form" }>["requestedSchema"];

function toAnswer({ action, content, _meta: meta }: McpServerElicitationRequestResponse): ElicitationAnswer {
  // The server says itself what it cannot use in the content.
  const given = action === "accept" && isObject(content) ? (content as ElicitationAnswer["content"]) : null;
  return {
    action,
    ...(given !== null && { content: given }),
    ...(isObject(meta) && { _meta: meta }),
  };
}
