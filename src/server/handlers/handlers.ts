import type { Configuration } from "../../config/configuration.ts";
import type { Engine } from "../../engine/engine.ts";
import type { SwitchSkill } from "../../engine/skills/configured-skills.ts";
import type { SkillCatalog } from "../../engine/skills/skill-catalog.ts";
import type { Connection } from "../connection.ts";
import type { DispatchOptions } from "../dispatch.ts";
import type { Identity } from "../identity.ts";
import type { ServerParts } from "../server.ts";
import type { Subscriptions } from "../subscriptions.ts";
import type { ThreadStarter } from "../thread-starter.ts";
import { createAccountHandlers } from "./account.ts";
import { catalogHandlers } from "./catalogs.ts";
import { createConfigHandlers } from "./config.ts";
import { createDiagnosticsHandlers } from "./diagnostics.ts";
import { createFeatureHandlers } from "./features.ts";
import { createInitializeHandlers } from "./initialize.ts";
import { createModelHandlers } from "./models.ts";
import { createPermissionHandlers } from "./permissions.ts";
import { createSkillsHandlers } from "./skills.ts";
import { createThreadHandlers } from "./threads.ts";

export interface HandlerParts extends ServerParts {
  readonly config: Configuration;
  readonly engine: Engine;
  readonly subscriptions: Subscriptions;
  readonly threads: ThreadStarter;
  readonly skills: SkillCatalog;
  readonly switchSkill: SwitchSkill;
  readonly identity: Identity;
  readonly home: string;
  readonly cwd: string;
  readonly greet: (connection: Connection) => void;
}

/** Everything that the server serves. A method that is missing here is answered as not supported. */
export function createHandlers(parts: HandlerParts): DispatchOptions["handlers"] {
  const { config, engine, connections, threads } = parts;
  const gauges = () => ({
    "app.requests.in_flight": [...connections].reduce((sum, { inFlight }) => sum + inFlight, 0),
    ...(engine.loaded().length === 0 ? {} : { "core.threads.live": engine.loaded().length }),
  });
  return {
    ...createInitializeHandlers(parts),
    ...createDiagnosticsHandlers({ gauges }),
    ...createConfigHandlers(config),
    ...createModelHandlers({ catalog: threads.catalog }),
    ...createAccountHandlers({ provider: async () => (await threads.defaults()).provider }),
    ...createPermissionHandlers(config),
    ...createFeatureHandlers({ config, engine }),
    ...createSkillsHandlers({ ...parts, catalog: parts.skills }),
    ...catalogHandlers,
    ...createThreadHandlers(parts),
  };
}
