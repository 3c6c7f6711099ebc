/** The MCP servers of all threads, and the tools that they provide. */
import type { Tool } from "../tool.ts";
import { createConnectionPool } from "./connection-pool.ts";
import type { McpPolicy } from "./mcp-policy.ts";
import type { McpConnectionOptions } from "./open-client.ts";
import { type McpStartupReport, type ThreadMcp, ThreadServers } from "./thread-servers.ts";

export interface McpToolsOptions extends McpConnectionOptions {
  /** Called for each start-up state of a thread's server. */
  readonly onStartup: (threadId: string, report: McpStartupReport) => void;
}

export interface McpTools {
  /** Prepares the servers of a thread that has no id yet; waits for the required ones. */
  prepare(thread: ThreadMcp, policy: () => McpPolicy): Promise<PreparedMcp>;
  /**
   * Starts a thread's servers in the background and reports their state; called once clients know the thread.
   */
  begin(threadId: string): void;
  /** The tools that a thread's model can call now; evaluated before each model request. */
  toolsFor(threadId: string): Promise<readonly Tool[]>;
  /** Applies a changed configuration. */
  update(threadId: string, thread: ThreadMcp): void;
  find(threadId: string): ThreadServers | undefined;
  /** Provides servers for a task without a thread; they are released after it. */
  borrow<T>(thread: ThreadMcp, task: (servers: ThreadServers) => Promise<T>): Promise<T>;
  /** Reopens the connections of all threads to a server. */
  reconnect(name: string, url: string): void;
  /** Ids of the threads that have servers. */
  threads(): readonly string[];
  forget(threadId: string): void;
  close(): Promise<void>;
}

export type PreparedMcp =
  | { readonly kind: "missing"; readonly message: string }
  | {
      readonly kind: "ready";
      /** Assigns the servers to the thread. */
      register(threadId: string): void;
    };

/** The policy for a task without a thread, which has no client to ask. */
const NO_CLIENTS: McpPolicy = {
  approvalPolicy: "never",
  sandbox: { type: "readOnly", networkAccess: false },
  truncation: { unit: "bytes", limit: 0 },
  modalities: ["text"],
  fillsForms: false,
};

export function createMcpTools(options: McpToolsOptions): McpTools {
  const { clock, onStartup } = options;
  const pool = createConnectionPool(options);
  const threads = new Map<string, ThreadServers>();
  return {
    async prepare(thread, policy) {
      const servers = new ThreadServers(thread, { pool, clock, policy });
      const message = await servers.missing();
      if (message !== null) {
        servers.close();
        return { kind: "missing", message };
      }
      return {
        kind: "ready",
        register: (threadId) => void threads.set(threadId, servers),
      };
    },
    begin: (threadId) => threads.get(threadId)?.begin((report) => onStartup(threadId, report)),
    toolsFor: async (threadId) => (await threads.get(threadId)?.tools()) ?? [],
    update: (threadId, thread) => threads.get(threadId)?.update(thread),
    find: (threadId) => threads.get(threadId),
    async borrow(thread, task) {
      const servers = new ThreadServers(thread, { pool, clock, policy: () => NO_CLIENTS });
      try {
        return await task(servers);
      } finally {
        servers.close();
      }
    },
    reconnect: pool.reopen,
    threads: () => [...threads.keys()],
    forget(threadId) {
      const servers = threads.get(threadId);
      threads.delete(threadId);
      servers?.close();
    },
    async close() {
      threads.clear();
      await pool.close();
    },
  };
}
