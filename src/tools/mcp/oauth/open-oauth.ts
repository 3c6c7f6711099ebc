/** Everything about logins to MCP servers, made when the first one is stored or wanted. */
import { randomBytes } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import type { Environment } from "../../../base/environment.ts";
import type { Logger } from "../../../base/logger.ts";
import { createNetworkFetch } from "../../../base/network/network-fetch.ts";
import { headersFor } from "../open-transport.ts";
import type { HttpServer } from "../server-config.ts";
import { keyOf, openCredentialsFile } from "./credentials-file.ts";
import { findAuthorization } from "./find-authorization.ts";
import { startLogin } from "./login.ts";
import { createLoginDesk, type LoginRequest, type StartedLogin } from "./login-desk.ts";
import { type Fetch, fetchWithLogin } from "./login-fetch.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";
import { renewTokens } from "./renew-tokens.ts";
import { createTokenKeeper, type TokenKeeper } from "./token-keeper.ts";

export interface OAuthOptions {
  /** The file with the logins. */
  readonly path: string;
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
  /** What is said of us over HTTP. */
  readonly userAgent: string;
}

/** How it stands with the login to a server: stored and good, or what is known of the server instead. */
export type LoginStanding = "usable" | "unusable" | "offered" | "unsupported" | "unknown";

export interface OAuth {
  /** Sends requests with the tokens that are stored for a server; null when there are none. */
  fetchFor(name: string, server: HttpServer, fetchFn: Fetch): Promise<Fetch | null>;
  standingOf(name: string, server: HttpServer): Promise<LoginStanding>;
  /** Throws, with words for the user, when there is no way to log in. */
  logIn(request: LoginRequest): Promise<StartedLogin>;
  endLogins(reason: string): void;
}

const DEFAULT_TIMEOUT_SECS = 300;
export const MAX_TIMEOUT_SECS = 3600;
const DISCOVERY_TIMEOUT_MS = 5_000;
const STATE_BYTES = 16;

export function openOAuth(options: OAuthOptions): OAuth {
  const { clock, log, env, userAgent } = options;
  const send = createNetworkFetch(env);
  const file = openCredentialsFile(options);
  const keepers = new Map<string, TokenKeeper>();
  /** As they were configured last. */
  const servers = new Map<string, HttpServer>();
  const headersOf = (name: string, server: HttpServer) => ({
    "user-agent": userAgent,
    ...headersFor(name, server, env),
  });

  function keeperOf(name: string, server: HttpServer): TokenKeeper {
    const key = keyOf(name, server.url);
    servers.set(key, server);
    const known = keepers.get(key);
    if (known !== undefined) return known;
    const keeper = createTokenKeeper({
      name,
      url: server.url,
      file,
      clock,
      renewTokens(stored) {
        const now = servers.get(key) ?? server;
        return renewTokens(stored, { server: now, headers: headersOf(name, now), clock, send });
      },
    });
    keepers.set(key, keeper);
    return keeper;
  }

  const desk = createLoginDesk({
    createId: options.createId,
    log,
    start: ({ timeoutSecs, callback, ...request }, signal) => {
      const { name, server } = request;
      const seconds = Math.min(Math.max(timeoutSecs ?? DEFAULT_TIMEOUT_SECS, 1), MAX_TIMEOUT_SECS);
      return startLogin({
        ...request,
        signal,
        clock,
        send,
        timeoutMs: seconds * 1000,
        headers: headersOf(name, server),
        createState: () => randomBytes(STATE_BYTES).toString("base64url"),
        callback: {
          port: server.login.callbackPort ?? callback.port,
          url: server.login.callbackUrl ?? callback.url,
        },
        async store(credentials) {
          await file.save(credentials);
          await keeperOf(name, server).load();
        },
      });
    },
  });

  return {
    async fetchFor(name, server, fetchFn) {
      const keeper = keeperOf(name, server);
      return (await keeper.load()) === "none" ? null : fetchWithLogin(keeper, fetchFn);
    },
    async standingOf(name, server) {
      const standing = await keeperOf(name, server).load();
      if (standing !== "none") return standing;
      const headers = headersOf(name, server);
      const timeoutMs = DISCOVERY_TIMEOUT_MS;
      const fetchFn = createOAuthFetch({ clock, send, headers, serverUrl: server.url, timeoutMs });
      return (await findAuthorization(server, fetchFn)) === null ? "unsupported" : "offered";
    },
    logIn: desk.logIn,
    endLogins: desk.endAll,
  };
}
