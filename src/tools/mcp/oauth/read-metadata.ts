/** Reads the metadata of an authorization server. Many omit members that the standards require. */
import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import { isObject, type JsonObject } from "../../../base/json-object.ts";
import type { NetworkFetch } from "../../../base/network/network-fetch.ts";

const TEXTS = ["registration_endpoint", "revocation_endpoint"] as const;
const LISTS = [
  "scopes_supported",
  "response_types_supported",
  "grant_types_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
] as const;

/** Null where none of the well-known URLs has metadata. */
export async function readMetadata(
  authorizationServer: string,
  fetchFn: NetworkFetch,
): Promise<AuthorizationServerMetadata | null> {
  const { buildDiscoveryUrls } = await import("@modelcontextprotocol/client");
  for (const { url } of buildDiscoveryUrls(authorizationServer)) {
    const response = await fetchFn(url, { headers: { accept: "application/json" } });
    if (response.ok) return parseMetadata(await response.text(), url.href, authorizationServer);
    if (response.status >= 500 && response.status !== 502)
      throw new Error(`${url.href} answered with status ${response.status}`);
  }
  return null;
}

export function parseMetadata(text: string, from: string, server: string): AuthorizationServerMetadata {
  const fault = (what: string) => new Error(`${from} does not describe an authorization server: ${what}`);
  const metadata = parseObject(text);
  if (metadata === null) throw fault("it is not a JSON object");
  // A missing issuer defaults to the requested server.
  const { issuer = server, authorization_endpoint: pages, token_endpoint: tokens } = metadata;
  if (typeof pages !== "string" || !URL.canParse(pages)) throw fault("`authorization_endpoint` is not a URL");
  if (typeof tokens !== "string" || !URL.canParse(tokens)) throw fault("`token_endpoint` is not a URL");
  if (typeof issuer !== "string" || !isSame(issuer, server))
    throw fault(`it is that of another \`issuer\` than ${server}`);
  return {
    issuer,
    authorization_endpoint: pages,
    token_endpoint: tokens,
    response_types_supported: ["code"],
    ...pick(metadata, TEXTS, (value) => typeof value === "string" && URL.canParse(value)),
    ...pick(
      metadata,
      LISTS,
      (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
    ),
    ...pick(
      metadata,
      ["authorization_response_iss_parameter_supported"],
      (value) => typeof value === "boolean",
    ),
  };
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isSame(issuer: string, server: string): boolean {
  return issuer === server || (server.endsWith("/") && issuer === server.slice(0, -1));
}

function pick(from: JsonObject, names: readonly string[], isGood: (value: unknown) => boolean): JsonObject {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(from, name) && isGood(from[name])).map((name) => [name, from[name]]),
  );
}
