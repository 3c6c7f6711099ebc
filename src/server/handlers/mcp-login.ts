/** OAuth login to an MCP server in the user's browser. All clients are notified of the outcome. */
import { messageOf } from "../../base/errors.ts";
import type { Effective } from "../../config/get-effective.ts";
import { allowsServer } from "../../config/requirements.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import { errorCodes } from "../../protocol/errors.ts";
import type {
  McpServerOauthLoginParams,
  McpServerOauthLoginResponse,
} from "../../protocol/generated/types.ts";
import type { McpServers } from "../../runtime/mcp/mcp-servers.ts";
import { type HttpServer, hasOwnToken } from "../../tools/mcp/server/server-config.ts";
import type { ThreadServers } from "../../tools/mcp/thread-servers.ts";
import { invalidRequest, unwrap } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";

interface McpLoginParts {
  readonly mcp: Pick<McpServers, "logIn">;
  readonly notifier: Pick<Notifier, "toAll">;
}

const MAX_REASON_CHARS = 600;

/** Throws if managed requirements forbid the server; called before any network request. */
export function refuseForbidden({ values, requirements }: Effective, name: string): void {
  const server = Object.hasOwn(values.mcp_servers, name) ? values.mcp_servers[name] : undefined;
  if (server === undefined || allowsServer(requirements?.values, name, server)) return;
  const reason = "failed to resolve MCP server runtime: the MCP server is disabled by managed requirements";
  throw new RpcError(errorCodes.internalError, reason);
}

export async function startMcpLogin(
  servers: ThreadServers,
  { name, threadId = null, scopes = null, timeoutSecs = null, clientRegistration }: McpServerOauthLoginParams,
  { mcp, notifier }: McpLoginParts,
): Promise<McpServerOauthLoginResponse> {
  const server = findLoginServer(servers, name);
  try {
    return unwrap(
      await mcp.logIn({
        name,
        server,
        scopes,
        timeoutSecs,
        registration: clientRegistration ?? "auto",
        onEnd: (outcome, loginId) =>
          notifier.toAll("mcpServer/oauthLogin/completed", {
            name,
            threadId,
            loginId,
            success: outcome.kind === "succeeded",
            ...(outcome.kind === "failed" && { error: outcome.error }),
          }),
      }),
    );
  } catch (error) {
    const reason = messageOf(error).slice(0, MAX_REASON_CHARS);
    throw new RpcError(errorCodes.internalError, `failed to login to MCP server '${name}': ${reason}`);
  }
}

function findLoginServer(servers: ThreadServers, name: string): HttpServer {
  const { config } = servers.find(name) ?? {};
  if (config === undefined) throw invalidRequest(`No MCP server named '${name}' found.`);
  const { transport, unsupported } = config;
  if (transport.kind === "stdio") {
    throw invalidRequest("OAuth login is only supported for streamable HTTP servers.");
  }
  if (unsupported !== null) throw invalidRequest(`MCP server '${name}' cannot be used: ${unsupported}`);
  if (!hasOwnToken(transport)) return transport;
  throw invalidRequest(
    `MCP server '${name}' has a token of its own; remove \`bearer_token_env_var\` or its Authorization header to log in`,
  );
}
