/** The console of `heddle serve`: its page, the sessions of its browsers, and the address that is printed. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../base/clock.ts";
import type { Heddle } from "../../server/heddle.ts";
import { consoleRoutes } from "../../server/http/console/console-routes.ts";
import type { Route } from "../../server/http/route-table.ts";
import { sessionRoutes } from "../../server/http/session-routes.ts";
import type { Sessions } from "../../transport/token-holder.ts";

export interface ConsoleFront {
  /** Absent without a console. */
  readonly sessions?: Sessions;
  readonly routes: readonly Route[];
  /**
   * The address of the page on this machine; null without a page or a port. It has a ticket that signs one browser in within
   * five minutes, unless the output becomes the log of a service.
   */
  signInAddress(urls: readonly string[], env: NodeJS.ProcessEnv): Promise<string | null>;
}

export function createConsoleFront({ devices }: Pick<Heddle, "devices">, isOn: boolean): ConsoleFront {
  if (!isOn) return { routes: [], signInAddress: async () => null };
  return {
    sessions: { find: async (secret) => (await devices()).sessions.find(secret) },
    routes: [...sessionRoutes({ devices, clock: systemClock }), ...consoleRoutes(consoleFolder())],
    async signInAddress(urls, env) {
      const address = consoleAddress(urls);
      if (address === null || isLogged(env)) return address;
      return `${address}#ticket=${(await devices()).tickets.issue()}`;
    },
  };
}

/** The build writes the page beside the command line. */
function consoleFolder(): string {
  return join(dirname(fileURLToPath(import.meta.url)), "console");
}

/** systemd sets the variable where it keeps the output. */
function isLogged(env: NodeJS.ProcessEnv): boolean {
  return env["JOURNAL_STREAM"] !== undefined;
}

function consoleAddress(urls: readonly string[]): string | null {
  const url = urls.find((each) => /^wss?:/u.test(each));
  if (url === undefined) return null;
  // A browser cannot open the address of all interfaces.
  return `${url.replace(/^ws/u, "http").replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:|$)/u, "//127.0.0.1")}/`;
}
