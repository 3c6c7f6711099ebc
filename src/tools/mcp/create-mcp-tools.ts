/** The MCP servers of all threads of one server, and the tools that they give to their models. */
import type { Tool } from "../tool.ts";
import { createConnectionPool } from "./connection-pool.ts";
import type { McpPolicy } from "./mcp-policy.ts";
import type { ConnectionOptions } from "./open-client.ts";
import { type StartupReport, type ThreadMcp, ThreadServers } from "./thread-servers.ts";

export interface McpToolsOptions extends ConnectionOptions {
  /** Is called as a server of a thread starts. */
  readonly onStartup: (threadId: string, report: StartupReport) => void;
}

export interface McpTools {
  /** Readies the servers of a thread that has no id yet; those that it cannot do without are waited for. */
  prepare(thread: ThreadMcp, policy: () => McpPolicy): Promise<PreparedMcp>;
  /** Starts a thread's servers in the background and reports it; called once its clients know the thread. */
  begin(threadId: string): void;
  /** What a thread's model can call at the moment; asked for before each request to it. */
  toolsFor(threadId: string): Promise<readonly Tool[]>;
  /** Takes over a changed configuration. */
  update(threadId: string, thread: ThreadMcp): void;
  find(threadId: string): ThreadServers | undefined;
  /** Servers for a task that belongs to no thread; they are let go after it. */
  borrow<T>(thread: ThreadMcp, task: (servers: ThreadServers) => Promise<T>): Promise<T>;
  /** Lets every thread connect anew to a server. */
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
      /** Gives the servers to the thread. */
      register(threadId: string): void;
    };

/** Nobody is behind a task without a thread who could decide anything. */
const NOBODY: McpPolicy = {
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
      const servers = new ThreadServers(thread, { pool, clock, policy: () => NOBODY });
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
