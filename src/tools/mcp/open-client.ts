/** Opens the client of an MCP server: transport, handshake, and tool list. */
import type { Transport } from "@modelcontextprotocol/client";
import { messageOf } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { Tool } from "../../protocol/generated/types.ts";
import type { ServerExtensions } from "./client-extensions.ts";
import {
  type ClientListener,
  connectClient,
  listAll,
  type McpClient,
  type ServerFacts,
  type ToolList,
} from "./mcp-client.ts";
import { createTransport, type TransportOptions } from "./open-transport.ts";
import { hasOwnToken, type McpServerConfig } from "./server/server-config.ts";
import { chainOf, findLoginNeeded, type StartupFailure } from "./server/server-failure.ts";

export interface ReadyServer extends ServerFacts, ToolList {}

export type Opened =
  | { readonly kind: "ready"; readonly server: ReadyServer }
  | { readonly kind: "failed"; readonly failure: StartupFailure };

export interface McpConnectionOptions extends TransportOptions {
  /** Heddle's version. */
  readonly version: string;
}

export interface Opening {
  readonly config: McpServerConfig;
  readonly extensions: ServerExtensions;
  readonly options: McpConnectionOptions;
  /** Aborts the opening. */
  readonly signal: AbortSignal;
  /** Receives what must be closed later: first the bare transport, then the client. */
  readonly onClient: (client: McpClient) => void;
  readonly listener: Omit<ClientListener, "onClose"> & {
    readonly onClose: (client: McpClient | null) => void;
  };
}

export async function openMcpClient(opening: Opening): Promise<Opened> {
  const { config, extensions, options, signal, onClient, listener } = opening;
  let transport: Transport;
  let client: McpClient | null = null;
  try {
    transport = await createTransport(config, options);
  } catch (error) {
    return failed(messageOf(error));
  }
  if (signal.aborted) return ABORTED;
  // The transport must be closable from here on, also if the handshake never completes.
  onClient({ ...NOT_YET, close: () => transport.close() });
  try {
    const { version } = options;
    const onClose = () => listener.onClose(client);
    client = await connectClient(transport, { version, extensions }, { ...listener, onClose });
  } catch (error) {
    return toFailure(error, config, describeHandshake);
  }
  if (signal.aborted) {
    await client.close();
    return ABORTED;
  }
  onClient(client);
  const listed = await listTools(client, signal);
  if (listed.kind === "failed") return toFailure(listed.error, config, messageOf);
  return { kind: "ready", server: { ...client.facts, ...listed.list } };
}

/** Classifies an error, which may be a required login. */
export function toFailure(
  error: unknown,
  { transport }: McpServerConfig,
  describe: (error: unknown) => string,
): Opened {
  const refusal = findLoginNeeded(error);
  if (refusal === null) return failed(describe(error));
  const hasToken = transport.kind === "http" && hasOwnToken(transport);
  const why = hasToken ? "badToken" : refusal.hadLogin ? "oldLogin" : "noLogin";
  return { kind: "failed", failure: { kind: "loginNeeded", why } };
}

const NOT_YET: Omit<McpClient, "close"> = {
  facts: { info: null, capabilities: {}, instructions: null },
  request: async () => ({ kind: "failed", message: "Transport closed" }),
};

export function failed(message: string): Extract<Opened, { kind: "failed" }> {
  return { kind: "failed", failure: { kind: "failed", message } };
}

const ABORTED = failed("the start was given up");

type Listed =
  | { readonly kind: "listed"; readonly list: ToolList }
  | { readonly kind: "failed"; readonly error: Error };

export async function listTools(client: McpClient, signal: AbortSignal): Promise<Listed> {
  const none: Listed = { kind: "listed", list: { tools: [], meta: null } };
  if (client.facts.capabilities["tools"] === undefined) return none;
  const outcome = await listAll(client, "tools/list", "tools", { signal });
  if (outcome.kind !== "answered") {
    const reason = outcome.kind === "cancelled" ? "the start was given up" : outcome.message;
    const cause = outcome.kind === "failed" ? outcome.refusal : undefined;
    return { kind: "failed", error: new Error(`tools/list failed: ${reason}`, { cause }) };
  }
  const { entries, meta } = outcome.result;
  return { kind: "listed", list: { tools: entries.filter(isTool), meta } };
}

function isTool(entry: JsonObject): entry is JsonObject & Tool {
  return typeof entry["name"] === "string";
}

function describeHandshake(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  if (code === "CONNECTION_CLOSED") {
    return "handshaking with MCP server failed: connection closed: initialize response";
  }
  const { cause } = error as { readonly cause?: { readonly syscall?: unknown } };
  if (typeof cause?.syscall === "string" && cause.syscall.startsWith("spawn")) return messageOf(error);
  return `handshaking with MCP server failed: ${chainOf(error)}`;
}
