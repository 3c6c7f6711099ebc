/**
 * The tokens of one MCP server, shared by all connections to it. They are refreshed before they expire and
 * when the server rejects them, once for all waiting callers, and stored before use. Another program may
 * refresh them too, which is why the file is read again first.
 */
import type { Clock } from "../../../base/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import type { NetworkFetch } from "../../../base/network/network-fetch.ts";
import type { HttpServer } from "../server/server-config.ts";
import { findRefusal, LoginNeededError } from "../server/server-failure.ts";
import type { Credentials, CredentialsFile } from "./credentials-file.ts";
import { assertOneProvider, findAuthorization } from "./find-authorization.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";
import { toTimed } from "./plan-login.ts";

/** Whether a login is stored, and whether it is usable. */
export type StoredLoginStatus = "none" | "usable" | "unusable";

export interface TokenProvider {
  /** Loads the stored login. */
  load(): Promise<StoredLoginStatus>;
  /** The token to send; null without a usable one. */
  token(): Promise<string | null>;
  /** A token other than the rejected one; null when only a new login helps. */
  renew(refused: string): Promise<string | null>;
  /** Marks a token as rejected by the server. */
  refuse(token: string): void;
}

export interface TokenProviderOptions {
  readonly name: string;
  readonly url: string;
  readonly file: Pick<CredentialsFile, "load" | "save">;
  readonly clock: Clock;
  readonly renewTokens: (stored: Credentials) => Promise<Renewal>;
}

/** A token counts as expired this long before its expiry. */
export const EXPIRY_MARGIN_MS = 30_000;

export function createTokenProvider(options: TokenProviderOptions): TokenProvider {
  const { name, url, file, clock } = options;
  let held: Credentials | null = null;
  let renewing: Promise<string | null> | null = null;
  let refusedToken: string | null = null;

  const isFresh = ({ accessToken, expiresAt }: Credentials) =>
    isFilled(accessToken) && (expiresAt === null || clock.now() + EXPIRY_MARGIN_MS < expiresAt);

  async function replace(refused: string): Promise<string | null> {
    const stored = await file.load(name, url);
    held = stored;
    if (stored === null) return null;
    if (stored.accessToken !== refused && isFresh(stored)) return stored.accessToken;
    const renewal = await renewStored(stored);
    const now = await file.load(name, url);
    // A login stored meanwhile takes precedence.
    if (now !== null && now.accessToken !== stored.accessToken) {
      held = now;
      return now.accessToken;
    }
    if (renewal.kind === "renewed") {
      await file.save(renewal.credentials);
      held = renewal.credentials;
      return renewal.credentials.accessToken;
    }
    refusedToken = refused;
    if (renewal.kind === "rejected") {
      held = { ...stored, refreshToken: null };
      await file.save(held);
    }
    return null;
  }

  async function renewStored(stored: Credentials): Promise<Renewal> {
    try {
      return await options.renewTokens(stored);
    } catch (error) {
      const reason = messageOf(error).slice(0, 300);
      throw new Error(`failed to refresh OAuth tokens for server ${name}: ${reason}`, { cause: error });
    }
  }

  async function renew(refused: string): Promise<string | null> {
    if (held !== null && held.accessToken !== refused && isFresh(held)) return held.accessToken;
    renewing ??= replace(refused).finally(() => {
      renewing = null;
    });
    return renewing;
  }

  return {
    async load() {
      held = await file.load(name, url);
      if (held === null) return "none";
      const { clientId, accessToken, issuer, refreshToken } = held;
      if (!isFilled(clientId) || accessToken === refusedToken) return "unusable";
      return isFresh(held) || (isFilled(issuer) && isFilled(refreshToken)) ? "usable" : "unusable";
    },
    async token() {
      held ??= await file.load(name, url);
      if (held === null || isFresh(held)) return held?.accessToken ?? null;
      return renew(held.accessToken);
    },
    renew,
    refuse(token) {
      refusedToken = token;
    },
  };
}

export type Renewal =
  | { readonly kind: "renewed"; readonly credentials: Credentials }
  /** The refresh token is no longer valid. */
  | { readonly kind: "rejected" }
  /** There is no issuer to which the refresh token may be sent. */
  | { readonly kind: "unbound" };

export interface RenewOptions {
  readonly server: HttpServer;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly send?: NetworkFetch;
}

const RENEWAL_TIMEOUT_MS = 45_000;
const FINAL = new Set<string>(["invalid_grant", "invalid_client", "unauthorized_client"]);

/** Throws where the result is unknown and a retry may succeed. */
export async function renewTokens(stored: Credentials, options: RenewOptions): Promise<Renewal> {
  const { server, clock } = options;
  const { refreshToken, issuer } = stored;
  if (!isFilled(refreshToken) || !isFilled(issuer)) return { kind: "unbound" };
  const fetchFn = createOAuthFetch({ ...options, serverUrl: server.url, timeoutMs: RENEWAL_TIMEOUT_MS });
  const found = await findAuthorization(server, fetchFn);
  if (found === null || found.metadata.issuer !== issuer) return { kind: "unbound" };
  const { url, metadata, resource } = found;
  assertOneProvider(metadata);
  const sdk = await import("@modelcontextprotocol/client");
  try {
    const tokens = await sdk.refreshAuthorization(url, {
      metadata,
      clientInformation: { client_id: stored.clientId },
      refreshToken,
      fetchFn,
      ...(resource !== null && { resource }),
    });
    const timed = toTimed(tokens, clock);
    const scopes = tokens.scope === undefined ? stored.scopes : timed.scopes;
    const credentials = { ...stored, ...timed, scopes, refreshToken: tokens.refresh_token ?? refreshToken };
    return { kind: "renewed", credentials };
  } catch (error) {
    if (error instanceof sdk.OAuthError && FINAL.has(error.code)) return { kind: "rejected" };
    throw error;
  }
}

function isFilled(text: string | null): text is string {
  return text !== null && text.trim() !== "";
}

/** A request whose token is rejected is retried once with another token. */
export function fetchWithLogin(provider: TokenProvider, fetchFn: NetworkFetch): NetworkFetch {
  const send = (url: string | URL, init: RequestInit, token: string) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetchFn(url, { ...init, headers });
  };
  return async (url, init = {}) => {
    const token = await provider.token();
    if (token === null) throw new LoginNeededError(null, true);
    const response = await send(url, init, token);
    const refusal = await findRefusal(response, true);
    if (refusal === null) return response;
    const other = await provider.renew(token);
    if (other === null) throw refusal;
    const again = await send(url, init, other);
    const secondRefusal = await findRefusal(again, true);
    if (secondRefusal === null) return again;
    provider.refuse(other);
    throw secondRefusal;
  };
}
