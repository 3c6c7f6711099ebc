/** A client that deviates from the protocol, and the server's workaround. */
export interface ClientQuirk {
  /** The deviation and its consequence. */
  readonly does: string;
  /** The workaround. */
  readonly remedy: string;
  /** The first notice after a response is delayed this long. */
  readonly noticeDelayMs?: number;
  /** It only supervises the server, so the server's user agent does not adopt its name. */
  readonly isSupervisor?: true;
}

/**
 * Keyed by `clientInfo.name`. Other clients are served as the protocol says, without any overhead.
 * docs/clients.md has the same table.
 */
const clientQuirks: Readonly<Record<string, ClientQuirk>> = {
  "ai-sdk-provider-codex-app-server": {
    does: "listens to a turn only once it has seen the response to `turn/start`, and loses notices that it reads together with it",
    remedy:
      "the first notice after a response waits 20 ms, and comes behind as many blanks as are read at once",
    noticeDelayMs: 20,
  },
  "codex-backend": {
    does: "supervises the server on behalf of another client",
    remedy: "the server does not present itself by its name",
    isSupervisor: true,
  },
  codex_app_server_daemon: {
    does: "starts and watches the server",
    remedy: "the server does not present itself by its name",
    isSupervisor: true,
  },
};

export function quirksOf(clientName: string): Partial<ClientQuirk> {
  return Object.hasOwn(clientQuirks, clientName) ? (clientQuirks[clientName] ?? {}) : {};
}

export function listQuirks(): readonly (readonly [name: string, quirk: ClientQuirk])[] {
  return Object.entries(clientQuirks);
}
