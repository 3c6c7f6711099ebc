/** Discovers the authorization server of an MCP server. */
import type {
  AuthorizationServerMetadata,
  OAuthProtectedResourceMetadata,
} from "@modelcontextprotocol/client";
import type { NetworkFetch } from "../../../base/network/network-fetch.ts";
import type { HttpServer } from "../server/server-config.ts";
import { readMetadata } from "./read-metadata.ts";

/** The authorization server, with scopes and resource. */
export interface Authorization {
  /** The URL of the authorization server. */
  readonly url: string;
  readonly metadata: AuthorizationServerMetadata;
  /** Scopes that may be requested. */
  readonly scopes: readonly string[];
  /** The resource indicator for tokens, where known. */
  readonly resource: string | null;
}

/** Null for a server without login metadata. */
export async function findAuthorization(
  server: HttpServer,
  fetchFn: NetworkFetch,
): Promise<Authorization | null> {
  const sdk = await import("@modelcontextprotocol/client");
  const refusal = await fetchFn(server.url, { headers: { accept: "application/json, text/event-stream" } });
  const { resourceMetadataUrl } = refusal.ok ? {} : sdk.extractWWWAuthenticateParams(refusal);
  const place = { fetchFn, ...(resourceMetadataUrl && { resourceMetadataUrl }) };
  const { issuer } = server.login;
  const resourceMetadata = await sdk
    .discoverOAuthProtectedResourceMetadata(server.url, place, fetchFn)
    .catch((error: unknown) => {
      // A configured issuer does not need it; otherwise a network error leaves the result unknown.
      if (issuer === null && error instanceof TypeError) throw error;
      return undefined;
    });
  const named = issuer ?? resourceMetadata?.authorization_servers?.[0];
  const found = await firstOf(named === undefined ? ownServersOf(server) : [named], fetchFn);
  if (found === null) return null;
  const { url, metadata } = found;
  const ofResource = tidy(resourceMetadata?.scopes_supported ?? []);
  return {
    url,
    metadata,
    scopes: ofResource.length > 0 ? ofResource : tidy(metadata.scopes_supported ?? []),
    resource: await resourceOf(server, resourceMetadata),
  };
}

/** A server that names no authorization server is its own: for its whole origin, or for its path alone. */
function ownServersOf({ url }: HttpServer): readonly string[] {
  const { origin, pathname } = new URL(url);
  return pathname === "/" ? [`${origin}/`] : [`${origin}/`, `${origin}${pathname}`];
}

async function firstOf(
  urls: readonly string[],
  fetchFn: NetworkFetch,
): Promise<Pick<Authorization, "url" | "metadata"> | null> {
  for (const url of urls) {
    const metadata = await readMetadata(url, fetchFn);
    if (metadata !== null) return { url, metadata };
  }
  return null;
}

async function resourceOf(
  { url, login: { resource } }: HttpServer,
  metadata: OAuthProtectedResourceMetadata | undefined,
): Promise<string | null> {
  const configured = resource?.trim() ?? "";
  if (configured !== "") return configured;
  if (metadata === undefined) return null;
  const { checkResourceAllowed, resourceUrlFromServerUrl } = await import("@modelcontextprotocol/client");
  const requestedResource = resourceUrlFromServerUrl(url);
  if (checkResourceAllowed({ requestedResource, configuredResource: metadata.resource })) {
    return metadata.resource;
  }
  throw new Error(`the server at ${url} declares that its tokens are for ${metadata.resource}`);
}

function tidy(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes.map((scope) => scope.trim()).filter((scope) => scope !== ""))];
}

/** Known providers whose endpoints have different origins. */
const APART: readonly (readonly [issuer: string, authorization: string, token: string])[] = [
  ["https://api.figma.com", "https://www.figma.com", "https://api.figma.com"],
  ["https://agent.robinhood.com/mcp/trading", "https://robinhood.com", "https://api.robinhood.com"],
];

/**
 * A malicious server could send the user to the pages of another provider and receive the returned code
 * itself. Throws unless the endpoints belong together.
 */
export function assertOneProvider(metadata: AuthorizationServerMetadata): void {
  const { issuer, authorization_endpoint: pages, token_endpoint: tokens } = metadata;
  const [authorization, token] = [originOf(pages), originOf(tokens)];
  if (metadata["authorization_response_iss_parameter_supported"] === true) return;
  if (authorization === originOf(issuer) || authorization === token) return;
  const isKnown = APART.some(
    ([name, ...origins]) =>
      name === issuer.replace(/\/$/, "") && origins[0] === authorization && origins[1] === token,
  );
  if (isKnown) return;
  throw new Error(
    "OAuth authorization endpoint origin does not match the authorization server origin without issuer-bound callbacks",
  );
}

function originOf(url: string): string {
  const { protocol, origin } = new URL(url);
  if (protocol === "https:" || protocol === "http:") return origin;
  throw new Error(`the authorization server names an address that no browser should open: ${protocol}`);
}
