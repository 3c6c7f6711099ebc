/** The console of `heddle serve`: its page, the sessions of its browsers, and the address that is printed. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../base/clock.ts";
import type { Heddle } from "../../server/heddle.ts";
import { consoleRoutes } from "../../server/http/console/console-routes.ts";
import type { Route } from "../../server/http/route-table.ts";
import { sessionRoutes } from "../../server/http/session-routes.ts";
import type { Sessions } from "../../transport/gate.ts";

export interface ConsoleFront {
  readonly sessions: Sessions;
  readonly routes: readonly Route[];
}

export function createConsoleFront({ devices }: Pick<Heddle, "devices">): ConsoleFront {
  return {
    sessions: { find: async (secret) => (await devices()).sessions.find(secret) },
    routes: [...sessionRoutes({ devices, clock: systemClock }), ...consoleRoutes(consoleFolder())],
  };
}

/** The build writes the page beside the command line. */
function consoleFolder(): string {
  return join(dirname(fileURLToPath(import.meta.url)), "console");
}

/** The address of the page on this machine; null without a listener on a port. */
export function consoleAddress(urls: readonly string[]): string | null {
  const url = urls.find((each) => /^wss?:/u.test(each));
  if (url === undefined) return null;
  // A browser cannot open the address of all interfaces.
  return `${url.replace(/^ws/u, "http").replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:|$)/u, "//127.0.0.1")}/`;
}

/** With a ticket that signs one browser in within five minutes, unless the output is kept as the log of a service. */
export async function signInAddress(
  { devices }: Pick<Heddle, "devices">,
  address: string,
  isLogged: boolean,
): Promise<string> {
  return isLogged ? address : `${address}#ticket=${(await devices()).tickets.issue()}`;
}
