/** Has an access token replaced by those who gave it out. */
import type { Clock } from "../../../base/clock.ts";
import type { NetworkFetch } from "../../../base/network/network-fetch.ts";
import type { HttpServer } from "../server-config.ts";
import type { Credentials } from "./credentials-file.ts";
import { assertOneProvider, findAuthorization } from "./find-authorization.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";
import { toTimed } from "./plan-login.ts";

export type Renewal =
  | { readonly kind: "renewed"; readonly credentials: Credentials }
  /** The refresh token is of no use any more. */
  | { readonly kind: "rejected" }
  /** Nobody is there to whom the refresh token may be shown. */
  | { readonly kind: "unbound" };

export interface RenewOptions {
  readonly server: HttpServer;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly send?: NetworkFetch;
}

const RENEWAL_TIMEOUT_MS = 45_000;
const FINAL = new Set<string>(["invalid_grant", "invalid_client", "unauthorized_client"]);

/** Throws when it could not be found out, which another try may. */
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

export function isFilled(text: string | null): text is string {
  return text !== null && text.trim() !== "";
}
