/** File searches of clients: one-off questions, and sessions that stay open while a user types. */
import type { FileMatch, FileSearch, FileSearchHost } from "../../search/file-search.ts";
import type { ClientConnection } from "../connections/client-connection.ts";

export interface FileSearches {
  /**
   * Resolves with the best matches of a complete search, or the best so far if a later question has the same
   * token.
   */
  ask(connection: ClientConnection, question: Question): Promise<readonly FileMatch[]>;
  /** Replaces an open session of the same name; false if the connection has too many. */
  open(connection: ClientConnection, session: Session): boolean;
  /** False if there is no session of that name. */
  update(connection: ClientConnection, name: string, query: string): boolean;
  stop(connection: ClientConnection, name: string): void;
  /** Closes all searches of a connection. */
  drop(connection: ClientConnection): void;
}

interface Question {
  readonly query: string;
  readonly roots: readonly string[];
  /** A later question with the same token cancels this one. */
  readonly token: string | null;
}

interface Session {
  readonly name: string;
  readonly roots: readonly string[];
  readonly onUpdate: (query: string, files: readonly FileMatch[]) => void;
  readonly onComplete: () => void;
}

/** Open search sessions per connection. */
export const MAX_SESSIONS_PER_CONNECTION = 32;

interface OpenSession {
  latest: string;
  readonly search: FileSearch;
}

interface Owned {
  readonly sessions: Map<string, OpenSession>;
  readonly questions: Set<() => void>;
  readonly tokens: Map<string, () => void>;
}

export function createFileSearches(
  host: FileSearchHost,
  maxSessions = MAX_SESSIONS_PER_CONNECTION,
): FileSearches {
  const owners = new Map<ClientConnection, Owned>();

  function ownedBy(connection: ClientConnection): Owned {
    const owned = owners.get(connection) ?? { sessions: new Map(), questions: new Set(), tokens: new Map() };
    owners.set(connection, owned);
    return owned;
  }

  return {
    ask(connection, { query, roots, token }) {
      const { questions, tokens } = ownedBy(connection);
      if (token !== null) tokens.get(token)?.();
      if (query === "" || roots.length === 0) return Promise.resolve([]);
      return new Promise((resolve) => {
        let best: readonly FileMatch[] = [];
        const finish = (): void => {
          search.close();
          questions.delete(finish);
          if (token !== null && tokens.get(token) === finish) tokens.delete(token);
          resolve(best);
        };
        const listener = {
          onUpdate: (_: string, files: readonly FileMatch[]) => void (best = files),
          onComplete: finish,
        };
        const search = host.open({ roots, query }, listener);
        questions.add(finish);
        if (token !== null) tokens.set(token, finish);
      });
    },

    open(connection, { name, roots, onUpdate, onComplete }) {
      const { sessions } = ownedBy(connection);
      const earlier = sessions.get(name);
      if (earlier === undefined && sessions.size >= maxSessions) return false;
      earlier?.search.close();
      const session: OpenSession = {
        latest: "",
        search: host.open(
          { roots, query: "" },
          {
            // Late results of an earlier query are dropped.
            onUpdate: (query, files) => query === session.latest && onUpdate(query, files),
            onComplete: (query) => query === session.latest && onComplete(),
          },
        ),
      };
      sessions.set(name, session);
      return true;
    },

    update(connection, name, query) {
      const session = owners.get(connection)?.sessions.get(name);
      if (session === undefined) return false;
      session.latest = query;
      session.search.update(query);
      return true;
    },

    stop(connection, name) {
      const sessions = owners.get(connection)?.sessions;
      sessions?.get(name)?.search.close();
      sessions?.delete(name);
    },

    drop(connection) {
      const owned = owners.get(connection);
      owners.delete(connection);
      for (const { search } of owned?.sessions.values() ?? []) search.close();
      for (const finish of owned?.questions ?? []) finish();
    },
  };
}
