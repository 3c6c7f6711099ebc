/** A connected MCP client with its server's facts. The SDK is loaded on first use. */
import type {
  Client,
  ClientCapabilities,
  ElicitRequest,
  ElicitResult,
  Transport,
} from "@modelcontextprotocol/client";
import { MAX_TIMER_MS } from "../../base/clock.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { Tool } from "../../protocol/generated/types.ts";
import { OWN_FORM, type ServerExtensions } from "./client-extensions.ts";
import { findLoginNeeded, type McpOutcome } from "./server/server-failure.ts";

export type ElicitationParams = ElicitRequest["params"] | OwnForm;
export type ElicitationAnswer = ElicitResult;

/** A form beyond the MCP specification; only the requesting client can validate it. */
export interface OwnForm {
  readonly mode: typeof OWN_FORM;
  readonly message: string;
  readonly requestedSchema: unknown;
  readonly _meta?: unknown;
}

/** The client info sent to a server. */
export interface McpClientInfo {
  readonly version: string;
  readonly extensions: ServerExtensions;
}

/** The server's facts from the handshake. */
export interface ServerFacts {
  readonly info: JsonObject | null;
  readonly capabilities: JsonObject;
  readonly instructions: string | null;
}

export interface ToolList {
  readonly tools: readonly Tool[];
  readonly meta: unknown;
}

export interface McpClient {
  readonly facts: ServerFacts;
  request(method: string, params: JsonObject, options: McpRequestOptions): Promise<McpOutcome<JsonObject>>;
  close(): Promise<void>;
}

export interface McpRequestOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (message: string) => void;
}

export interface ClientListener {
  readonly onClose: () => void;
  readonly onToolsChanged: () => void;
  readonly onFault: (error: Error) => void;
  readonly onElicitation: (params: ElicitationParams, signal: AbortSignal) => Promise<ElicitationAnswer>;
}

/** The protocol version offered first, then the others that are accepted. */
const VERSIONS = ["2025-06-18", "2025-11-25", "2025-03-26", "2024-11-05", "2024-10-07"];
/** Callers enforce their own timeouts; the SDK's cannot pause while a user is asked. */
const NO_TIMEOUT_MS = MAX_TIMER_MS;
const MAX_PAGES = 100;

/** A schema that accepts any result, so that unknown members of newer servers are retained. */
const AS_IT_IS = {
  "~standard": {
    version: 1,
    vendor: "heddle",
    validate: (value: unknown) => ({ value }),
  },
} as const;

type FormParams = Omit<OwnForm, "mode">;

const FORM_PARAMS = {
  "~standard": {
    version: 1,
    vendor: "heddle",
    validate: (value: unknown) =>
      isFormParams(value)
        ? { value }
        : { issues: [{ message: "`message` and `requestedSchema` are needed" }] },
  },
} as const;

function isFormParams(value: unknown): value is FormParams {
  return isObject(value) && typeof value["message"] === "string" && value["requestedSchema"] !== undefined;
}

export async function connectClient(
  transport: Transport,
  { version, extensions }: McpClientInfo,
  listener: ClientListener,
): Promise<McpClient> {
  const { Client } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "codex-mcp-client", title: "Codex", version },
    { capabilities: toCapabilities(extensions), supportedProtocolVersions: VERSIONS },
  );
  const progress = receiveProgress(transport);
  client.onerror = listener.onFault;
  client.onclose = listener.onClose;
  client.setRequestHandler("elicitation/create", (request, { mcpReq }) =>
    listener.onElicitation(request.params, mcpReq.signal),
  );
  if (Object.hasOwn(extensions, OWN_FORM)) {
    client.setRequestHandler(OWN_FORM, { params: FORM_PARAMS }, (params, { mcpReq }) =>
      // The params have been validated as such.
      listener.onElicitation({ ...(params as FormParams), mode: OWN_FORM }, mcpReq.signal),
    );
  }
  client.setNotificationHandler("notifications/tools/list_changed", listener.onToolsChanged);
  await client.connect(transport, { timeout: NO_TIMEOUT_MS });
  return {
    facts: {
      info: toObject(client.getServerVersion()),
      capabilities: toObject(client.getServerCapabilities()) ?? {},
      instructions: client.getInstructions() ?? null,
    },
    async request(method, params, options) {
      const { onProgress } = options;
      if (onProgress === undefined) return request(client, method, params, options);
      const { token, stop } = progress.follow(onProgress);
      const meta = isObject(params["_meta"]) ? params["_meta"] : {};
      const followed = { ...params, _meta: { ...meta, progressToken: token } };
      return request(client, method, followed, options).finally(stop);
    },
    close: () => client.close(),
  };
}

function toCapabilities(extensions: ServerExtensions): ClientCapabilities {
  return {
    elicitation: { form: {}, url: {} },
    // The client sent them as JSON.
    ...(Object.keys(extensions).length > 0 && { extensions: extensions as ClientCapabilities["extensions"] }),
  };
}

async function request(
  client: Client,
  method: string,
  params: JsonObject,
  { signal }: McpRequestOptions,
): Promise<McpOutcome<JsonObject>> {
  try {
    const result: unknown = await client.request({ method, params: { ...params } }, AS_IT_IS, {
      signal,
      timeout: NO_TIMEOUT_MS,
    });
    return { kind: "answered", result: toObject(result) ?? {} };
  } catch (error) {
    if (signal.aborted) return { kind: "cancelled" };
    const { ProtocolError } = await import("@modelcontextprotocol/client");
    if (error instanceof ProtocolError) {
      return { kind: "refused", code: error.code, message: error.message, data: error.data };
    }
    const refusal = findLoginNeeded(error);
    return { kind: "failed", message: describe(error), ...(refusal !== null && { refusal }) };
  }
}

/**
 * Handles progress before the SDK does: the SDK drops a progress notification as stray when the response
 * arrives in the same chunk. The SDK calls a handler that was installed before its own.
 */
function receiveProgress(transport: Transport) {
  const followers = new Map<unknown, (message: string) => void>();
  let tokens = 0;
  transport.onmessage = (message) => {
    if (!("method" in message) || message.method !== "notifications/progress") return;
    const { progressToken, message: text } = message.params ?? {};
    if (typeof text === "string") followers.get(progressToken)?.(text);
  };
  return {
    follow(onProgress: (message: string) => void) {
      tokens += 1;
      const token = `progress-${tokens}`;
      followers.set(token, onProgress);
      return { token, stop: () => void followers.delete(token) };
    },
  };
}

/** The SDK's error for a closed connection depends on when it closed. */
function describe(error: unknown): string {
  const { message, code } = error as { readonly message: string; readonly code?: unknown };
  const gone = code === "CONNECTION_CLOSED" || message === "Not connected";
  return gone ? "Transport closed" : message;
}

/** Reads all pages of a list. */
export async function listAll(
  client: Pick<McpClient, "request">,
  method: string,
  member: string,
  options: McpRequestOptions,
): Promise<McpOutcome<{ readonly entries: readonly JsonObject[]; readonly meta: unknown }>> {
  const entries: JsonObject[] = [];
  let meta: unknown = null;
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const outcome = await client.request(method, typeof cursor === "string" ? { cursor } : {}, options);
    if (outcome.kind !== "answered") return outcome;
    const found = outcome.result[member];
    if (Array.isArray(found)) entries.push(...found.filter(isObject));
    meta ??= outcome.result["_meta"] ?? null;
    cursor = outcome.result["nextCursor"];
    if (typeof cursor !== "string") break;
  }
  return { kind: "answered", result: { entries, meta } };
}

/** As a plain object, so that clients receive all of its members. */
function toObject(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}
