/** Prepares a login: the authorization URL, and the exchange of the returned code for tokens. */
import type { OAuthTokens } from "@modelcontextprotocol/client";
import type { Clock } from "../../../base/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import type { NetworkFetch } from "../../../base/network/network-fetch.ts";
import type { HttpServer } from "../server/server-config.ts";
import type { Credentials } from "./credentials-file.ts";
import { type Authorization, assertOneProvider, findAuthorization } from "./find-authorization.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";

/** How a client without a configured id is registered. */
export type Registration = "auto" | "cimd" | "dcr";

export interface LoginPlanOptions {
  readonly name: string;
  readonly server: HttpServer;
  /** Null uses the configured scopes, or else the offered ones. */
  readonly scopes: readonly string[] | null;
  readonly registration: Registration;
  /** The redirect URL of the callback listener. */
  readonly redirectUrl: string;
  /** Headers for requests to the MCP server. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly send?: NetworkFetch;
  /** Creates an unguessable `state`. */
  readonly createState: () => string;
  readonly signal: AbortSignal;
}

export interface LoginPlan {
  readonly authorizationUrl: string;
  readonly state: string;
  redeem(returned: { readonly code: string; readonly issuer: string | null }): Promise<Credentials>;
}

const REQUEST_TIMEOUT_MS = 30_000;
const CLIENT_NAME = "Heddle";

export async function planLogin(options: LoginPlanOptions): Promise<LoginPlan> {
  const { name, server, redirectUrl, clock } = options;
  const fetchFn = createOAuthFetch({ ...options, serverUrl: server.url, timeoutMs: REQUEST_TIMEOUT_MS });
  const found = await findAuthorization(server, fetchFn);
  if (found === null) {
    throw new Error(
      `${server.url} does not say how to log in; give the server a token with \`bearer_token_env_var\``,
    );
  }
  const { url, metadata } = found;
  assertOneProvider(metadata);
  const sdk = await import("@modelcontextprotocol/client");
  const scope = (options.scopes ?? server.login.scopes ?? found.scopes).join(" ");
  const clientId = server.login.clientId ?? (await register(options, found, scope, fetchFn));
  const clientInformation = { client_id: clientId };
  const shared = {
    metadata,
    clientInformation,
    ...(found.resource !== null && { resource: found.resource }),
  };
  const state = options.createState();
  const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(url, {
    ...shared,
    redirectUrl,
    state,
    ...(scope !== "" && { scope }),
  });
  return {
    authorizationUrl: authorizationUrl.href,
    state,
    async redeem({ code, issuer }) {
      const tokens = await sdk.exchangeAuthorization(url, {
        ...shared,
        authorizationCode: code,
        codeVerifier,
        redirectUri: redirectUrl,
        fetchFn,
        ...(issuer !== null && { iss: issuer }),
      });
      return {
        serverName: name,
        serverUrl: server.url,
        issuer: metadata.issuer,
        clientId,
        refreshToken: tokens.refresh_token ?? null,
        ...toTimed(tokens, clock),
      };
    },
  };
}

async function register(
  { registration, redirectUrl }: LoginPlanOptions,
  { url, metadata }: Authorization,
  scope: string,
  fetchFn: NetworkFetch,
): Promise<string> {
  const advice = "register a client there and set `oauth.client_id` of the server to its id";
  if (registration === "cimd") {
    throw new Error(`heddle has no client metadata document; log in with \`dcr\`, or ${advice}`);
  }
  if (metadata.registration_endpoint === undefined) {
    throw new Error(`Dynamic client registration not supported by ${url}; ${advice}`);
  }
  const sdk = await import("@modelcontextprotocol/client");
  const clientMetadata = sdk.resolveClientMetadata({
    redirectUrl,
    clientMetadata: {
      client_name: CLIENT_NAME,
      redirect_uris: [redirectUrl],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
  });
  try {
    const asked = scope === "" ? {} : { scope };
    const client = await sdk.registerClient(url, { metadata, clientMetadata, fetchFn, ...asked });
    return client.client_id;
  } catch (error) {
    throw new Error(`Registration failed: ${messageOf(error).slice(0, 300)}; ${advice}`, { cause: error });
  }
}

export function toTimed(
  { access_token: accessToken, expires_in: expiresIn, scope }: OAuthTokens,
  clock: Clock,
): Pick<Credentials, "accessToken" | "expiresAt" | "scopes"> {
  return {
    accessToken,
    expiresAt: expiresIn === undefined ? null : toExpiry(clock.now() + expiresIn * 1000),
    scopes: scope === undefined ? [] : scope.split(" ").filter((each) => each !== ""),
  };
}

/** Other programs accept only integers here, and would reject the whole file. */
function toExpiry(time: number): number | null {
  return Number.isFinite(time) ? Math.min(Math.max(0, Math.round(time)), Number.MAX_SAFE_INTEGER) : null;
}
