/** OAuth logins to MCP servers, opened when the first one is stored or requested. */
import { randomBytes } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import type { Environment } from "../../../base/environment.ts";
import type { Logger } from "../../../base/logger.ts";
import { createNetworkFetch, type NetworkFetch } from "../../../base/network/network-fetch.ts";
import { withHelperHeaders } from "../server/headers-helper.ts";
import { type HttpServer, headersFor } from "../server/server-config.ts";
import { keyOf, openCredentialsFile } from "./credentials-file.ts";
import { findAuthorization } from "./find-authorization.ts";
import { startLogin } from "./login.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";
import { createPendingLogins, type LoginRequest, type StartedLogin } from "./pending-logins.ts";
import { createTokenProvider, fetchWithLogin, renewTokens, type TokenProvider } from "./token-provider.ts";

export interface OAuthOptions {
  /** The credentials file. */
  readonly path: string;
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
  /** The `user-agent` header. */
  readonly userAgent: string;
  /** Whether a sandboxed command may have written the file. */
  readonly isSandboxWritable: (path: string) => boolean;
}

/** The login status of a server: a stored login, or what the server supports. */
export type LoginStatus = "usable" | "unusable" | "offered" | "unsupported" | "unknown";

export interface OAuth {
  /** A `fetch` with the stored tokens of a server; null without any. */
  fetchFor(name: string, server: HttpServer, fetchFn: NetworkFetch): Promise<NetworkFetch | null>;
  loginStatusOf(name: string, server: HttpServer): Promise<LoginStatus>;
  /** Throws a message for the user when a login is not possible. */
  logIn(request: LoginRequest): Promise<StartedLogin>;
  endLogins(reason: string): void;
}

const DEFAULT_TIMEOUT_SECS = 300;
const MAX_TIMEOUT_SECS = 3600;
const DISCOVERY_TIMEOUT_MS = 5_000;
const STATE_BYTES = 16;

export function openOAuth(options: OAuthOptions): OAuth {
  const { clock, log, env, userAgent } = options;
  const plain = createNetworkFetch(env);
  const sendFor = (server: HttpServer) => withHelperHeaders(plain, server, options);
  const file = openCredentialsFile(options);
  const providers = new Map<string, TokenProvider>();
  /** The last known configuration of each server. */
  const servers = new Map<string, HttpServer>();
  const headersOf = (name: string, server: HttpServer) => ({
    "user-agent": userAgent,
    ...headersFor(name, server, env),
  });

  function providerOf(name: string, server: HttpServer): TokenProvider {
    const key = keyOf(name, server.url);
    servers.set(key, server);
    const known = providers.get(key);
    if (known !== undefined) return known;
    const provider = createTokenProvider({
      name,
      url: server.url,
      file,
      clock,
      renewTokens(stored) {
        const now = servers.get(key) ?? server;
        return renewTokens(stored, {
          server: now,
          headers: headersOf(name, now),
          clock,
          send: sendFor(now),
        });
      },
    });
    providers.set(key, provider);
    return provider;
  }

  const logins = createPendingLogins({
    createId: options.createId,
    log,
    start: ({ timeoutSecs, callback, ...request }, signal) => {
      const { name, server } = request;
      const seconds = Math.min(Math.max(timeoutSecs ?? DEFAULT_TIMEOUT_SECS, 1), MAX_TIMEOUT_SECS);
      return startLogin({
        ...request,
        signal,
        clock,
        send: sendFor(server),
        timeoutMs: seconds * 1000,
        headers: headersOf(name, server),
        createState: () => randomBytes(STATE_BYTES).toString("base64url"),
        callback: {
          port: server.login.callbackPort ?? callback.port,
          url: server.login.callbackUrl ?? callback.url,
        },
        async store(credentials) {
          await file.save(credentials);
          await providerOf(name, server).load();
        },
      });
    },
  });

  return {
    async fetchFor(name, server, fetchFn) {
      const provider = providerOf(name, server);
      return (await provider.load()) === "none" ? null : fetchWithLogin(provider, fetchFn);
    },
    async loginStatusOf(name, server) {
      const status = await providerOf(name, server).load();
      if (status !== "none") return status;
      // A status query must not run the helper program.
      if (server.helper !== null) return "unknown";
      const headers = headersOf(name, server);
      const timeoutMs = DISCOVERY_TIMEOUT_MS;
      const fetchFn = createOAuthFetch({ clock, send: plain, headers, serverUrl: server.url, timeoutMs });
      return (await findAuthorization(server, fetchFn)) === null ? "unsupported" : "offered";
    },
    logIn: logins.logIn,
    endLogins: logins.endAll,
  };
}
