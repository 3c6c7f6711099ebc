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

export interface McpThread {
  readonly values: ConfigValues;
  readonly cwd: string;
  /** Capabilities of the client that requested the thread. */
  readonly extensions: ClientExtensions;
  /** Whether it is a thread of a user, not of an agent. */
  readonly isUsers: boolean;
  /** Read when a tool is called. */
  readonly settings: () => ThreadSettings;
  /** The thread's configuration, read again from the files. */
  readonly reread: () => Promise<ConfigValues | ThreadRefusal>;
}

/** The MCP servers of a server's threads. */
export interface McpServers
  extends Pick<McpTools, "begin" | "toolsFor" | "find" | "borrow" | "forget" | "close">,
    Pick<OAuth, "loginStatusOf" | "endLogins"> {
  prepare(thread: McpThread): Promise<PreparedMcp>;
  /** Allows a tool to be called without asking, in all future threads. */
  allowTool(server: string, tool: string): Promise<void>;
  /** The currently configured servers of a thread; null for a thread that was started without any. */
  reread(threadId: string): Promise<ThreadMcp | ThreadRefusal> | null;
  /**
   * Applies the current configuration to the servers of all threads; null if it could be read for all of
   * them.
   */
  reload(): Promise<ThreadRefusal | null>;
  /** Starts a login. After it has succeeded, all threads reconnect to its server. */
  logIn(request: Omit<LoginRequest, "callback">): Promise<StartedLogin | ThreadRefusal>;
}

const DEFAULT_GRACE_MS = 1_000;
export const SHUTTING_DOWN = "the server is shutting down";

export function openMcpServers(host: Host, config: ConfigSource, onStartup: OnMcpStartup): McpServers {
  const { env, clock, createId, log } = host;
  const rereads = new Map<string, () => Promise<ThreadMcp | ThreadRefusal>>();
  const userAgent = `codex-mcp-client/${peerVersion}`;
  const isSandboxWritable = config.writablePaths.contains;
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
      // Not the project's configuration, which must not decide where callbacks arrive and credentials are
      // stored.
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

/** Adds the configured callback to a login, and reconnects the server after it has succeeded. */
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
        log.info("the login to an MCP server is stored in a file, because there is no keyring", {
          server: name,
        });
      }
      reconnect(name, server.url);
    },
  };
}

/** Stores in the configuration that a tool may be called without asking. */
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

/** Quotes a segment of a key path. */
function quote(segment: string): string {
  return `"${segment.replaceAll(/["\\]/g, "\\$&")}"`;
}
