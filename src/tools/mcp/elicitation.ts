/** Forwards an elicitation of an MCP server to the clients of the thread whose call caused it. */
import { isObject } from "../../base/json-object.ts";
import { isUnrestricted } from "../../policy/decide-mcp-call.ts";
import type {
  McpServerElicitationRequestParams,
  McpServerElicitationRequestResponse,
} from "../../protocol/generated/types.ts";
import type { Ask } from "../tool.ts";
import { OWN_FORM } from "./client-extensions.ts";
import type { ElicitationAnswer, ElicitationParams, OwnForm } from "./mcp-client.ts";
import { forwardsElicitations, type McpPolicy } from "./mcp-policy.ts";
import type { Elicit } from "./server-call.ts";

export interface ElicitationPorts {
  readonly threadId: string;
  /** Null for calls outside of a turn. */
  readonly turnId: string | null;
  readonly server: string;
  readonly policy: () => McpPolicy;
  /** Null where there is no client to ask. */
  readonly ask: Ask | null;
}

export function createElicit(ports: ElicitationPorts): Elicit {
  return { threadId: ports.threadId, answer: (params) => answer(params, ports) };
}

async function answer(params: ElicitationParams, ports: ElicitationPorts): Promise<ElicitationAnswer> {
  const policy = ports.policy();
  if (claimsToBeOurs(params)) return { action: "decline" };
  if (isUnrestricted(policy) && isMereConfirmation(params)) return { action: "accept", content: {} };
  const isAsked = forwardsElicitations(policy) || (isUnrestricted(policy) && requiresInput(params, policy));
  if (!isAsked || ports.ask === null) return { action: "decline" };
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

type Form = Exclude<ElicitationParams, OwnForm | { mode: "url" }>;

function isForm(params: ElicitationParams): params is Form {
  return params.mode !== OWN_FORM && "requestedSchema" in params;
}

function isMereConfirmation(params: ElicitationParams): boolean {
  return isForm(params) && Object.keys(params.requestedSchema.properties).length === 0;
}

/** An approval can be decided by policy, but form input can only come from the user. */
function requiresInput(params: ElicitationParams, { fillsForms }: McpPolicy): boolean {
  const { _meta: meta } = params;
  const isApproval = isObject(meta) && meta["codex_approval_kind"] !== undefined;
  return fillsForms && isForm(params) && !isMereConfirmation(params) && !isApproval;
}

/** Install offers come from Heddle itself, never from an MCP server. */
function claimsToBeOurs({ _meta: meta }: ElicitationParams): boolean {
  return isObject(meta) && meta["codex_approval_kind"] === "tool_suggestion";
}

function toQuestion(params: ElicitationParams, ports: ElicitationPorts): McpServerElicitationRequestParams {
  const { threadId, turnId, server: serverName } = ports;
  const base = { threadId, turnId, serverName, _meta: publicMeta(params._meta), message: params.message };
  if (params.mode === OWN_FORM) return { ...base, mode: OWN_FORM, requestedSchema: params.requestedSchema };
  if (isForm(params)) {
    // The SDK has validated the form against the same rules.
    const requestedSchema = params.requestedSchema as FormSchema;
    return { ...base, mode: "form", requestedSchema };
  }
  return { ...base, mode: "url", url: params.url, elicitationId: params.elicitationId };
}

/** The progress token is internal to the connection; metadata with nothing else becomes null. */
function publicMeta(meta: unknown): unknown {
  if (!isObject(meta)) return meta ?? null;
  const { progressToken: _, ...rest } = meta;
  return Object.keys(rest).length === 0 ? null : rest;
}

type FormSchema = Extract<McpServerElicitationRequestParams, { mode: "form" }>["requestedSchema"];

function toAnswer({ action, content, _meta: meta }: McpServerElicitationRequestResponse): ElicitationAnswer {
  // The server reports content that it cannot use; an acceptance without content accepts an empty form.
  const given = (isObject(content) ? content : {}) as NonNullable<ElicitationAnswer["content"]>;
  return {
    action,
    ...(action === "accept" && { content: given }),
    ...(isObject(meta) && { _meta: meta }),
  };
}
