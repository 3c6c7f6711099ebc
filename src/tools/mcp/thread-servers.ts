/** The MCP servers of one thread: their configuration, start-up reports, and tools. */
import type { Clock } from "../../base/clock.ts";
import { isObject } from "../../base/json-object.ts";
import type { McpServerStartupFailureReason, McpServerStartupState } from "../../protocol/generated/types.ts";
import type { Tool } from "../tool.ts";
import type { ServerExtensions } from "./client-extensions.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { McpConnection, McpConnectionState } from "./mcp-connection.ts";
import type { McpPolicy } from "./mcp-policy.ts";
import { createMcpTool } from "./mcp-tool.ts";
import { createResourceTools, type ResourceServers } from "./resource-tools.ts";
import { allowsTool, type McpServerConfig } from "./server/server-config.ts";
import { explainStartup, startupCause } from "./server/server-failure.ts";
import { nameTools } from "./tool-names.ts";

/** The MCP configuration of a thread. */
export interface ThreadMcp {
  readonly servers: readonly McpServerConfig[];
  /** How long a model request waits for optional servers. */
  readonly startupGraceMs: number;
  readonly extensions: ServerExtensions;
}

export interface McpStartupReport {
  readonly name: string;
  readonly status: McpServerStartupState;
  readonly error: string | null;
  readonly failureReason: McpServerStartupFailureReason | null;
}

export interface ThreadServersOptions {
  readonly pool: ConnectionPool;
  readonly clock: Clock;
  readonly policy: () => McpPolicy;
}

export interface ThreadServer {
  readonly config: McpServerConfig;
  /** Null for a disabled server. */
  readonly connection: McpConnection | null;
}

const RESOURCE_TIMEOUT_MS = 60_000;

export class ThreadServers {
  readonly #options: ThreadServersOptions;
  readonly #extensions: ServerExtensions;
  readonly #servers = new Map<string, ThreadServer>();
  readonly #stops = new Map<string, () => void>();
  #graceMs: number;
  #report: ((report: McpStartupReport) => void) | null = null;

  constructor(thread: ThreadMcp, options: ThreadServersOptions) {
    this.#options = options;
    this.#extensions = thread.extensions;
    this.#graceMs = thread.startupGraceMs;
    for (const config of thread.servers) this.#add(config);
  }

  /** All configured servers, ordered by name. */
  all(): readonly ThreadServer[] {
    return [...this.#servers.values()].sort((a, b) => (a.config.name < b.config.name ? -1 : 1));
  }

  find(name: string): ThreadServer | undefined {
    return this.#servers.get(name);
  }

  get policy(): () => McpPolicy {
    return this.#options.policy;
  }

  /** Waits for the required servers; returns an error message if one of them fails. */
  async missing(): Promise<string | null> {
    const required = this.#active().filter(({ config }) => config.required);
    const opened = await Promise.all(
      required.map(async ({ config, connection }) => ({ config, opened: await connection.ready() })),
    );
    const faults = opened.flatMap((each) =>
      each.opened.kind === "failed" ? [`${each.config.name}: ${startupCause(each.opened.failure)}`] : [],
    );
    return faults.length === 0 ? null : `required MCP servers failed to initialize: ${faults.join(", ")}`;
  }

  /** Starts all servers in the background and reports each start-up state, now and on every restart. */
  begin(report: (report: McpStartupReport) => void): void {
    if (this.#report !== null) return;
    this.#report = report;
    for (const server of this.#active()) this.#start(server);
  }

  /** The tools that the model can call. Waits for starting servers, up to the grace period. */
  async tools(): Promise<readonly Tool[]> {
    const active = this.#active();
    if (active.length === 0) return [];
    await Promise.all(
      active.map(({ config, connection }) =>
        config.required ? connection.ready() : connection.readyWithin(this.#graceMs),
      ),
    );
    const { clock, policy } = this.#options;
    const resources = createResourceTools({
      servers: this.#resourceServers(),
      clock,
      truncation: () => policy().truncation,
    });
    return [...resources, ...this.#serverTools()];
  }

  /** Applies a changed configuration; failed servers are retried. */
  update({ servers, startupGraceMs }: ThreadMcp): void {
    this.#graceMs = startupGraceMs;
    const before = new Map(this.#servers);
    this.#servers.clear();
    for (const config of servers) this.#add(config);
    for (const { config } of before.values()) this.#stopReports(config.name);
    for (const server of this.#active()) {
      const old = before.get(server.config.name);
      const same = old?.connection === server.connection && old?.connection?.state.kind !== "failed";
      if (this.#report !== null) this.#start(server, same);
    }
    this.#release(before.values());
  }

  close(): void {
    const all = [...this.#servers.values()];
    for (const { config } of all) this.#stopReports(config.name);
    this.#servers.clear();
    this.#release(all);
  }

  #add(config: McpServerConfig): void {
    const connection = config.enabled ? this.#options.pool.acquire(config, this.#extensions) : null;
    this.#servers.set(config.name, { config, connection });
  }

  #release(servers: Iterable<ThreadServer>): void {
    for (const { config, connection } of servers) {
      if (connection !== null) this.#options.pool.release(config, this.#extensions);
    }
  }

  #active() {
    return this.all().flatMap(({ config, connection }) =>
      connection === null ? [] : [{ config, connection }],
    );
  }

  #start(
    { config, connection }: { config: McpServerConfig; connection: McpConnection },
    silent = false,
  ): void {
    const report = (state: McpConnectionState) => this.#reportState(config.name, state);
    connection.retry();
    if (!silent) {
      const { state } = connection;
      if (state.kind === "starting" || state.kind === "ready") report({ kind: "starting" });
      if (state.kind === "ready") report(state);
    }
    this.#stops.set(config.name, connection.onChange(report));
    void connection.ready();
  }

  #stopReports(name: string): void {
    this.#stops.get(name)?.();
    this.#stops.delete(name);
  }

  #reportState(name: string, state: McpConnectionState): void {
    const status = STATUS[state.kind];
    if (status === null) return;
    const failure = state.kind === "failed" ? state.failure : null;
    const error = failure === null ? null : explainStartup(name, failure);
    const isOld = failure?.kind === "loginNeeded" && failure.why === "oldLogin";
    this.#report?.({ name, status, error, failureReason: isOld ? "reauthenticationRequired" : null });
  }

  #serverTools(): Tool[] {
    const { clock, policy } = this.#options;
    const offered = this.#active().flatMap(({ config, connection }) => {
      const { state } = connection;
      if (state.kind !== "ready") return [];
      const { tools, instructions } = state.server;
      return tools
        .filter((tool) => allowsTool(config, tool.name) && isForModels(tool._meta))
        .map((definition) => ({
          server: config.name,
          tool: definition.name,
          definition,
          config,
          connection,
          instructions,
        }));
    });
    return nameTools(offered).flatMap(({ definition, callable, config, connection, instructions }) => {
      const server = config;
      const tool = createMcpTool({
        definition,
        callable,
        instructions,
        server,
        connection,
        policy,
        clock,
      });
      return tool === null ? [] : [tool];
    });
  }

  #resourceServers(): ResourceServers {
    const options = (signal: AbortSignal) => ({ timeoutMs: RESOURCE_TIMEOUT_MS, signal });
    const connectionOf = (name: string) => this.#servers.get(name)?.connection ?? null;
    return {
      connected: () =>
        this.#active().flatMap(({ config, connection }) => (hasResources(connection) ? [config.name] : [])),
      has: (name) => connectionOf(name) !== null,
      request: async (name, method, params, signal) =>
        (await connectionOf(name)?.request(method, params, options(signal))) ?? UNKNOWN,
      list: async (name, method, member, signal) =>
        (await connectionOf(name)?.list(method, member, options(signal))) ?? UNKNOWN,
    };
  }
}

const UNKNOWN = { kind: "failed", message: "unknown MCP server" } as const;

const STATUS: Readonly<Record<McpConnectionState["kind"], McpServerStartupState | null>> = {
  idle: null,
  starting: "starting",
  ready: "ready",
  failed: "failed",
  died: null,
  closed: null,
};

export function hasResources({ state }: McpConnection): boolean {
  return state.kind === "ready" && state.server.capabilities["resources"] !== undefined;
}

/** Some tools are only for the apps that a server shows. */
function isForModels(meta: unknown): boolean {
  const ui = isObject(meta) ? meta["ui"] : null;
  const visibility = isObject(ui) ? ui["visibility"] : null;
  return !Array.isArray(visibility) || visibility.includes("model");
}
