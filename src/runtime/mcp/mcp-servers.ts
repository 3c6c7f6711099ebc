import type { Logger } from "../../base/logger.ts";
import { isRefusal } from "../../base/refusal.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { ThreadSettings } from "../../engine/state/settings.ts";
import { modelInfo } from "../../model/catalog/model-info.ts";
import type { McpServerStatusUpdatedNotification } from "../../protocol/generated/types.ts";
import { peerVersion } from "../../protocol/peer-methods.ts";
import {
  type ClientExtensions,
  NO_EXTENSIONS,
  type ServerExtensions,
} from "../../tools/mcp/client-extensions.ts";
import { createMcpTools, type McpTools, type PreparedMcp } from "../../tools/mcp/create-mcp-tools.ts";
import type { McpPolicy } from "../../tools/mcp/mcp-policy.ts";
import { createOAuthAccess } from "../../tools/mcp/oauth/oauth-access.ts";
import type { OAuth } from "../../tools/mcp/oauth/open-oauth.ts";
import type { LoginRequest, StartedLogin } from "../../tools/mcp/oauth/pending-logins.ts";
import { readMcpServers } from "../../tools/mcp/server/server-config.ts";
import type { ThreadMcp } from "../../tools/mcp/thread-servers.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import type { Host } from "../configuration/host.ts";
import { configOutcome, type ThreadRefusal } from "../configuration/thread-refusal.ts";

/** Notifies the clients of a thread of the progress of one of its servers. */
export type OnMcpStartup = (
  status: McpServerStatusUpdatedNotification & { readonly threadId: string },
) => void;

/** The facts that the MCP servers of a thread depend on. */
export interface McpThread {
  readonly values: ConfigValues;
  readonly cwd: string;
  /** Capabilities of the client that asked for the thread. */
  readonly extensions: ClientExtensions;
  /** Whether the thread is a user's own. */
  readonly isUsers: boolean;
  /** As they are when a tool is called. */
  readonly settings: () => ThreadSettings;
  /** The thread's configuration as the files have it now. */
  readonly reread: () => Promise<ConfigValues | ThreadRefusal>;
}

/** The MCP servers of a server's threads. */
export interface McpServers
  extends Pick<McpTools, "begin" | "toolsFor" | "find" | "borrow" | "forget" | "close">,
    Pick<OAuth, "loginStatusOf" | "endLogins"> {
  prepare(thread: McpThread): Promise<PreparedMcp>;
  /** Lets a tool be called unasked in all threads to come. */
  allowTool(server: string, tool: string): Promise<void>;
  /** The configured servers of a thread now; null for a thread that was started without any. */
  reread(threadId: string): Promise<ThreadMcp | ThreadRefusal> | null;
  /** Every thread takes over what the configuration says about its servers now; null when all of them could. */
  reload(): Promise<ThreadRefusal | null>;
  /** Starts a login. All threads connect anew to its server once it has succeeded. */
  logIn(request: Omit<LoginRequest, "callback">): Promise<StartedLogin | ThreadRefusal>;
}

const DEFAULT_GRACE_MS = 1_000;
export const SHUTTING_DOWN = "the server is shutting down";

export function openMcpServers(host: Host, config: ConfigSource, onStartup: OnMcpStartup): McpServers {
  const { env, clock, createId, log } = host;
  const rereads = new Map<string, () => Promise<ThreadMcp | ThreadRefusal>>();
  const userAgent = `codex-mcp-client/${peerVersion}`;
  const isSandboxWritable = config.places.contains;
  const oauth = createOAuthAccess({
    env,
    clock,
    createId,
    log,
    home: config.home,
    userAgent,
    isSandboxWritable,
  });

  const tools = createMcpTools({
    env,
    clock,
    log,
    version: peerVersion,
    userAgent,
    oauth,
    isSandboxWritable,
    onStartup: (threadId, report) => onStartup({ threadId, ...report }),
  });
  return {
    ...tools,
    allowTool: (server, tool) => allowTool(server, tool, config, log),
    loginStatusOf: oauth.loginStatusOf,
    endLogins: oauth.endLogins,
    async logIn(request) {
      // A project's configuration does not decide where callbacks arrive and credentials are stored.
      const effective = configOutcome(await (await config.get()).effective());
      if (isRefusal(effective)) return effective;
      const { values } = effective;
      return oauth.logIn(withOAuthSettings(request, values, log, tools.reconnect));
    },
    async close() {
      oauth.endLogins(SHUTTING_DOWN);
      await tools.close();
    },
    async prepare({ values, cwd, extensions, isUsers, settings, reread }) {
      const { forServers } = extensions;
      const fillsForms = isUsers && extensions.fillsForms;
      const thread = toThreadMcp(values, cwd, forServers);
      const prepared = await tools.prepare(thread, () => ({ ...toMcpPolicy(settings()), fillsForms }));
      if (prepared.kind === "missing") return prepared;
      return {
        ...prepared,
        register(threadId) {
          rereads.set(threadId, async () => {
            const values = await reread();
            return isRefusal(values) ? values : toThreadMcp(values, cwd, forServers);
          });
          prepared.register(threadId);
        },
      };
    },
    forget(threadId) {
      rereads.delete(threadId);
      tools.forget(threadId);
    },
    reread: (threadId) => rereads.get(threadId)?.() ?? null,
    async reload() {
      const outcomes = await Promise.all(
        [...rereads].map(async ([threadId, reread]) => {
          const servers = await reread();
          if (!isRefusal(servers)) tools.update(threadId, servers);
          return servers;
        }),
      );
      return outcomes.find(isRefusal) ?? null;
    },
  };
}

/** A login with the callback of the configuration. Its server is reconnected once it has succeeded. */
function withOAuthSettings(
  request: Omit<LoginRequest, "callback">,
  values: ConfigValues,
  log: Logger,
  reconnect: McpTools["reconnect"],
): LoginRequest {
  const { mcp_oauth_callback_port: port, mcp_oauth_callback_url: url } = values;
  const { name, server, onEnd } = request;
  return {
    ...request,
    callback: { port: port ?? null, url: url ?? null },
    onEnd(outcome, loginId) {
      onEnd(outcome, loginId);
      if (outcome.kind === "failed") return;
      if (values.mcp_oauth_credentials_store !== "file") {
        log.info("there is no keyring; the login to an MCP server is kept in a file", { server: name });
      }
      reconnect(name, server.url);
    },
  };
}

/** Writes into the configuration that a tool may be called unasked. */
async function allowTool(server: string, tool: string, config: ConfigSource, log: Logger): Promise<void> {
  const keyPath = ["mcp_servers", server, "tools", tool, "approval_mode"].map(quote).join(".");
  const written = await (await config.get()).write({ keyPath, value: "approve", mergeStrategy: "replace" });
  if (written.ok) return;
  const { message: reason } = written.error;
  log.warn("the approval of an MCP tool could not be stored", { server, tool, reason });
}

export function toThreadMcp(
  values: ConfigValues,
  cwd: string,
  extensions: ServerExtensions = NO_EXTENSIONS.forServers,
): ThreadMcp {
  return {
    servers: readMcpServers(values.mcp_servers, { cwd, workspacePrograms: values.workspace_programs }),
    startupGraceMs: values.mcp_optional_startup_grace_ms ?? DEFAULT_GRACE_MS,
    extensions,
  };
}

function toMcpPolicy({ approvalPolicy, sandbox, model }: ThreadSettings): Omit<McpPolicy, "fillsForms"> {
  const { toolOutput, inputModalities } = modelInfo(model);
  return { approvalPolicy, sandbox, truncation: toolOutput, modalities: inputModalities };
}

/** A segment of a key path, whatever it holds. */
function quote(segment: string): string {
  return `"${segment.replaceAll(/["\\]/g, "\\$&")}"`;
}
