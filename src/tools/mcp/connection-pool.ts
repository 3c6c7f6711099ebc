/** The connections of a server, each shared by all threads that are configured for it in the same way. */
import { type ConnectionOptions, McpConnection } from "./mcp-connection.ts";
import { connectionKey, type McpServerConfig } from "./server-config.ts";

export interface ConnectionPool {
  /** The connection for a server; it stays at least until it is released as often as it was acquired. */
  acquire(config: McpServerConfig): McpConnection;
  /** The last one to release a connection ends it, after the calls that are running. */
  release(config: McpServerConfig): void;
  close(): Promise<void>;
}

export function createConnectionPool(options: ConnectionOptions): ConnectionPool {
  const retiring = new Set<McpConnection>();
  const entries = new Map<string, { readonly connection: McpConnection; holders: number }>();
  return {
    acquire(config) {
      const key = connectionKey(config);
      const entry = entries.get(key) ?? { connection: new McpConnection(config, options), holders: 0 };
      entry.holders += 1;
      entries.set(key, entry);
      return entry.connection;
    },
    release(config) {
      const key = connectionKey(config);
      const entry = entries.get(key);
      if (entry === undefined) return;
      entry.holders -= 1;
      if (entry.holders > 0) return;
      entries.delete(key);
      retiring.add(entry.connection);
      void entry.connection.retire().finally(() => retiring.delete(entry.connection));
    },
    async close() {
      const all = [...[...entries.values()].map(({ connection }) => connection), ...retiring];
      entries.clear();
      await Promise.all(all.map((connection) => connection.close()));
    },
  };
}
