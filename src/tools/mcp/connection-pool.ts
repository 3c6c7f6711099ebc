/** A pool of MCP connections, each shared by all threads with an equal server configuration. */
import type { ServerExtensions } from "./client-extensions.ts";
import { McpConnection } from "./mcp-connection.ts";
import type { McpConnectionOptions } from "./open-client.ts";
import { connectionKey, type McpServerConfig } from "./server/server-config.ts";

export interface ConnectionPool {
  /** Increments the reference count of a connection, opening it on first use. */
  acquire(config: McpServerConfig, extensions: ServerExtensions): McpConnection;
  /** The last release closes the connection, after pending calls. */
  release(config: McpServerConfig, extensions: ServerExtensions): void;
  /** Reopens the connections to a server, for which a login has been stored meanwhile. */
  reopen(name: string, url: string): void;
  close(): Promise<void>;
}

interface Entry {
  readonly config: McpServerConfig;
  readonly connection: McpConnection;
  holders: number;
}

export function createConnectionPool(options: McpConnectionOptions): ConnectionPool {
  const retiring = new Set<McpConnection>();
  const entries = new Map<string, Entry>();
  // A server learns the client's capabilities only in the handshake, so that they are part of the key.
  const keyOf = (config: McpServerConfig, extensions: ServerExtensions) =>
    JSON.stringify([connectionKey(config), extensions]);
  return {
    acquire(config, extensions) {
      const key = keyOf(config, extensions);
      const known = entries.get(key);
      const connection = known?.connection ?? new McpConnection(config, extensions, options);
      const entry = known ?? { config, connection, holders: 0 };
      entry.holders += 1;
      entries.set(key, entry);
      return entry.connection;
    },
    release(config, extensions) {
      const key = keyOf(config, extensions);
      const entry = entries.get(key);
      if (entry === undefined) return;
      entry.holders -= 1;
      if (entry.holders > 0) return;
      entries.delete(key);
      retiring.add(entry.connection);
      void entry.connection.retire().finally(() => retiring.delete(entry.connection));
    },
    reopen(name, url) {
      for (const { config, connection } of entries.values()) {
        const { transport } = config;
        if (config.name === name && transport.kind === "http" && transport.url === url)
          void connection.reopen();
      }
    },
    async close() {
      const all = [...[...entries.values()].map(({ connection }) => connection), ...retiring];
      entries.clear();
      await Promise.all(all.map((connection) => connection.close()));
    },
  };
}
