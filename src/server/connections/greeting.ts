import type { Logger } from "../../base/logger.ts";
import { logFailure } from "../../base/tasks.ts";
import type { ConfigWarningNotification } from "../../protocol/generated/types.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import type { Identity } from "../../runtime/configuration/identity.ts";
import type { LimitSource, Limits } from "../../runtime/configuration/limits.ts";
import type { ClientConnection } from "./client-connection.ts";
import { quirksOf } from "./client-quirks.ts";
import type { Notifier } from "./notifier.ts";
import type { OwnThreads } from "./own-threads.ts";

export interface GreetingOptions {
  readonly config: ConfigSource;
  readonly limits: LimitSource;
  readonly identity: Identity;
  readonly rulesWarning: () => Promise<ConfigWarningNotification | null>;
  readonly notifier: () => Notifier;
  readonly onInitialized: (connection: ClientConnection) => void;
  readonly installationId: () => Promise<string>;
  /** The threads of a subject. */
  readonly ownThreadsOf: (subject: string | null) => Promise<OwnThreads>;
  readonly log: Logger;
}

/** The first notifications to an initialized client: configuration warnings, and that remote control is disabled. */
export function createGreeting(options: GreetingOptions) {
  const {
    config,
    limits,
    identity,
    rulesWarning,
    notifier,
    onInitialized,
    installationId,
    ownThreadsOf,
    log,
  } = options;
  async function greet(connection: ClientConnection): Promise<void> {
    const report = await config.startup();
    const current = await limits.read();
    applyQuirks(connection, current);
    await limitThreads(connection, current);
    const ruleFault = await rulesWarning();
    for (const warning of [...(report.ok ? report.warnings : []), ...(ruleFault === null ? [] : [ruleFault])])
      notifier().to([connection], "configWarning", warning);
    notifier().to([connection], "remoteControl/status/changed", {
      status: "disabled",
      serverName: identity.serverName,
      installationId: await installationId(),
      environmentId: null,
    });
  }

  async function limitThreads(connection: ClientConnection, { ownThreads }: Limits): Promise<void> {
    const isOpen = !ownThreads || !connection.isLimited || connection.scopes.has("admin");
    connection.own = isOpen ? null : await ownThreadsOf(connection.subject);
  }

  /** Configured delays take precedence over the built-in quirks. */
  function applyQuirks(connection: ClientConnection, { noticeDelaysMs }: Limits): void {
    const { handshake } = connection;
    if (handshake.phase !== "ready") return;
    const { clientName } = handshake;
    const delayMs = noticeDelaysMs.get(clientName) ?? quirksOf(clientName).noticeDelayMs ?? 0;
    if (delayMs > 0) connection.delayNotices(delayMs);
  }

  /** Never rejects, because requests of the client wait for it. */
  return (connection: ClientConnection): Promise<void> => {
    onInitialized(connection);
    return greet(connection).catch((error: unknown) => logFailure(log, "greeting a client", error));
  };
}
