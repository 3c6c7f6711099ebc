import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import type { Logger } from "../base/logger.ts";
import type { ConfigValues } from "../config/schema/config-schema.ts";
import type { ThreadSettings } from "../engine/settings.ts";
import { modelInfo } from "../model/catalog/model-info.ts";
import type { McpServerStatusUpdatedNotification } from "../protocol/generated/types.ts";
import { peerVersion } from "../protocol/peer-version.ts";
import { createMcpTools, type McpTools, type PreparedMcp } from "../tools/mcp/create-mcp-tools.ts";
import type { McpPolicy } from "../tools/mcp/mcp-policy.ts";
import { readMcpServers } from "../tools/mcp/server-config.ts";
import type { ThreadMcp } from "../tools/mcp/thread-servers.ts";
import type { ConfigSource } from "./config-source.ts";

export interface McpServersOptions {
  readonly config: ConfigSource;
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Logger;
  /** Tells the clients of a thread how one of its servers starts. */
  readonly onStartup: (status: McpServerStatusUpdatedNotification & { readonly threadId: string }) => void;
}

/** What a thread's servers depend on. */
export interface McpThread {
  readonly values: ConfigValues;
  readonly cwd: string;
  /** As they are when a tool is called. */
  readonly settings: () => ThreadSettings;
  /** The thread's configuration as the files have it now. */
  readonly reread: () => Promise<ConfigValues>;
}

/** The MCP servers of a server's threads. */
export interface McpServers
  extends Pick<McpTools, "begin" | "toolsFor" | "find" | "borrow" | "forget" | "close"> {
  prepare(thread: McpThread): Promise<PreparedMcp>;
  /** Lets every thread take over what the configuration says about its servers now. */
  reload(): Promise<void>;
}

const DEFAULT_GRACE_MS = 1_000;

export function openMcpServers({ config, env, clock, log, onStartup }: McpServersOptions): McpServers {
  const rereads = new Map<string, () => Promise<ThreadMcp>>();

  async function persist(server: string, tool: string): Promise<void> {
    const keyPath = ["mcp_servers", server, "tools", tool, "approval_mode"].map(quote).join(".");
    const written = await (await config.get()).write({ keyPath, value: "approve", mergeStrategy: "replace" });
    if (written.ok) return;
    log.warn("the approval of an MCP tool could not be kept", {
      server,
      tool,
      reason: written.error.message,
    });
  }

  const tools = createMcpTools({
    env,
    clock,
    log,
    version: peerVersion,
    userAgent: `codex-mcp-client/${peerVersion}`,
    persist,
    onStartup: (threadId, { name, status, error }) =>
      onStartup({ threadId, name, status, error, failureReason: null }),
  });
  return {
    ...tools,
    async prepare({ values, cwd, settings, reread }) {
      const prepared = await tools.prepare(toThreadMcp(values, cwd), () => toMcpPolicy(settings()));
      if (prepared.kind === "missing") return prepared;
      return {
        ...prepared,
        register(threadId) {
          rereads.set(threadId, async () => toThreadMcp(await reread(), cwd));
          prepared.register(threadId);
        },
      };
    },
    forget(threadId) {
      rereads.delete(threadId);
      tools.forget(threadId);
    },
    async reload() {
      const all = [...rereads].map(async ([threadId, reread]) => tools.update(threadId, await reread()));
      await Promise.all(all);
    },
  };
}

export function toThreadMcp(values: ConfigValues, cwd: string): ThreadMcp {
  return {
    servers: readMcpServers(values.mcp_servers, cwd),
    startupGraceMs: values.mcp_optional_startup_grace_ms ?? DEFAULT_GRACE_MS,
  };
}

function toMcpPolicy({ approvalPolicy, sandbox, model }: ThreadSettings): McpPolicy {
  const { toolOutput, inputModalities } = modelInfo(model);
  return { approvalPolicy, sandbox, truncation: toolOutput, modalities: inputModalities };
}

/** A segment of a key path, whatever it holds. */
function quote(segment: string): string {
  return `"${segment.replaceAll(/["\\]/g, "\\$&")}"`;
}
