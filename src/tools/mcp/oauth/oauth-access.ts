/** Lazy access to OAuth logins: the implementation is loaded on first use. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { once } from "../../../base/tasks.ts";
import type { OAuth, OAuthOptions } from "./open-oauth.ts";

export interface OAuthAccessOptions extends Omit<OAuthOptions, "path"> {
  readonly home: string;
}

/** The file name that Codex uses. */
const CREDENTIALS_FILE = ".credentials.json";

export function createOAuthAccess({ home, ...options }: OAuthAccessOptions): OAuth {
  const path = join(home, CREDENTIALS_FILE);
  let opened: OAuth | null = null;
  const oauth = once(async () => {
    opened = (await import("./open-oauth.ts")).openOAuth({ ...options, path });
    return opened;
  });
  return {
    async fetchFor(name, server, fetchFn) {
      const isStored = await access(path).then(
        () => true,
        () => false,
      );
      return isStored ? (await oauth.get()).fetchFor(name, server, fetchFn) : null;
    },
    async loginStatusOf(name, server) {
      try {
        return await (await oauth.get()).loginStatusOf(name, server);
      } catch (error) {
        options.log.debug("how to log in to an MCP server could not be found out", {
          server: name,
          reason: messageOf(error),
        });
        return "unknown";
      }
    },
    logIn: async (request) => (await oauth.get()).logIn(request),
    endLogins: (reason) => opened?.endLogins(reason),
  };
}
