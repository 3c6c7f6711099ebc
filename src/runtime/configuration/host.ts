import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { Logger } from "../../base/logger.ts";

/** The process that the runtime runs in. Everything that tests control is injected here. */
export interface Host {
  readonly env: Environment;
  /** The folder that the server was started in; relative folders of clients start from it. */
  readonly cwd: string;
  /** The home folder of the user, not the home of Heddle. */
  readonly userHome: string;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
}
