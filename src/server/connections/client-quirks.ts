/** What is known of a client that does not do as others do. */
export interface ClientQuirk {
  /** What the client does, and what would become of it. */
  readonly does: string;
  /** What the server does about it. */
  readonly remedy: string;
  /** How long the first notice after a response waits. */
  readonly noticeDelayMs?: number;
  /** It only looks after the server, which does not present itself by its name. */
  readonly lendsNoName?: true;
}

/**
 * By `clientInfo.name`. Whoever is not here is served as the protocol says, and pays for nothing of this.
 * docs/clients.md shows the same table.
 */
const clientQuirks: Readonly<Record<string, ClientQuirk>> = {
  "ai-sdk-provider-codex-app-server": {
    does: "listens to a turn only once it has seen the response to `turn/start`, and loses notices that it reads together with it",
    remedy:
      "the first notice after a response waits 20 ms, and comes behind as many blanks as are read at once",
    noticeDelayMs: 20,
  },
  "codex-backend": {
    does: "looks after the server for somebody else",
    remedy: "the server does not present itself by its name",
    lendsNoName: true,
  },
  codex_app_server_daemon: {
    does: "starts and watches the server",
    remedy: "the server does not present itself by its name",
    lendsNoName: true,
  },
};

export function quirksOf(clientName: string): Partial<ClientQuirk> {
  return Object.hasOwn(clientQuirks, clientName) ? (clientQuirks[clientName] ?? {}) : {};
}

export function listQuirks(): readonly (readonly [name: string, quirk: ClientQuirk])[] {
  return Object.entries(clientQuirks);
}
