import type { Logger } from "../../base/logger.ts";
import { logFailure } from "../../base/tasks.ts";
import type { ConfigWarningNotification } from "../../protocol/generated/types.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import type { Identity } from "../../runtime/configuration/identity.ts";
import type { LimitSource, Limits } from "../../runtime/configuration/limits.ts";
import { quirksOf } from "./client-quirks.ts";
import type { Connection } from "./connection.ts";
import type { Notifier } from "./notifier.ts";

export interface GreetingOptions {
  readonly config: ConfigSource;
  readonly limits: LimitSource;
  readonly identity: Identity;
  readonly rulesWarning: () => Promise<ConfigWarningNotification | null>;
  readonly notifier: () => Notifier;
  /** Hears of the client. */
  readonly introduced: (connection: Connection) => void;
  readonly installationId: () => string;
  readonly log: Logger;
}

/** What a client is told once it is welcome: what is wrong with the configuration, and that nobody controls the server from afar. */
export function createGreeting(options: GreetingOptions) {
  const { config, limits, identity, rulesWarning, notifier, introduced, installationId, log } = options;
  async function greet(connection: Connection): Promise<void> {
    const report = await config.startup();
    respectHabits(connection, await limits.read());
    const ofRules = await rulesWarning();
    for (const warning of [...(report.ok ? report.warnings : []), ...(ofRules === null ? [] : [ofRules])])
      notifier().to([connection], "configWarning", warning);
    notifier().to([connection], "remoteControl/status/changed", {
      status: "disabled",
      serverName: identity.serverName,
      installationId: installationId(),
      environmentId: null,
    });
  }

  /** What is configured goes before what is known. */
  function respectHabits(connection: Connection, { noticeDelaysMs }: Limits): void {
    const { handshake } = connection;
    if (handshake.phase !== "ready") return;
    const { clientName } = handshake;
    const delayMs = noticeDelaysMs.get(clientName) ?? quirksOf(clientName).noticeDelayMs ?? 0;
    if (delayMs > 0) connection.delayNotices(delayMs);
  }

  /** Never rejects: the client's requests wait for it. */
  return (connection: Connection): Promise<void> => {
    introduced(connection);
    return greet(connection).catch((error: unknown) => logFailure(log, "greeting a client", error));
  };
}
