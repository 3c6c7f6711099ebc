import type { ConfigWarningNotification } from "../protocol/generated/types.ts";
import type { ConfigSource } from "./config-source.ts";
import type { Connection } from "./connection.ts";
import type { Identity } from "./identity.ts";
import { readInstallationId } from "./installation-id.ts";
import type { LimitSource } from "./limits.ts";
import type { Notifier } from "./notifier.ts";

export interface GreetingOptions {
  readonly config: ConfigSource;
  readonly limits: LimitSource;
  readonly identity: Identity;
  readonly rulesWarning: () => Promise<ConfigWarningNotification | null>;
  readonly notifier: () => Notifier;
}

/** What a client is told once it is welcome: what is wrong with the configuration, and that nobody controls the server from afar. */
export function createGreeting({ config, limits, identity, rulesWarning, notifier }: GreetingOptions) {
  return async (connection: Connection): Promise<void> => {
    const report = await config.startup();
    await limits.read();
    const ofRules = await rulesWarning();
    for (const warning of [...(report.ok ? report.warnings : []), ...(ofRules === null ? [] : [ofRules])])
      notifier().to([connection], "configWarning", warning);
    notifier().to([connection], "remoteControl/status/changed", {
      status: "disabled",
      serverName: identity.serverName,
      installationId: readInstallationId(config.home),
      environmentId: null,
    });
  };
}
