/** Converts model requests to HTTP requests. */
import { messageOf } from "../../base/errors.ts";
import type { ModelRequest } from "../model.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { type HttpRequest, type HttpTarget, toTarget } from "./http-client.ts";
import type { WireFormat } from "./wire.ts";

/** Returns the HTTP request, or the reason why it cannot be built. */
export type ToHttpRequest = (request: ModelRequest) => HttpRequest | string;

/** Precomputes the parts that all requests to a provider share. */
export function createToHttpRequest(provider: ProviderSettings, wire: WireFormat): ToHttpRequest {
  const target = targetOf(provider, wire.path);
  const json = createJsonCache();
  const fixed = fixedHeaders(provider, wire);
  return (request) => {
    if (target === null) return `the base_url of model provider ${provider.id} is not an http address`;
    try {
      const headers = { ...sendable(request.headers), ...fixed };
      return { target, headers, body: encodeBody(wire, request, json) };
    } catch (error) {
      return `the request cannot be written as JSON: ${messageOf(error)}`;
    }
  };
}

/** The JSON of tools is cached: tools are most of a short request and the same in every request. */
function encodeBody(wire: WireFormat, request: ModelRequest, json: JsonCache): string {
  const { tools, ...body } = wire.toBody(request);
  if (tools === undefined) return JSON.stringify(body);
  const texts =
    wire.passesToolsThrough && Array.isArray(tools)
      ? `[${tools.map((tool) => json(tool)).join(",")}]`
      : JSON.stringify(tools);
  return `${JSON.stringify(body).slice(0, -1)},"tools":${texts}}`;
}

/** Null if the base URL is not a valid HTTP URL. */
export function targetOf(
  { baseUrl, queryParams }: Pick<ProviderSettings, "baseUrl" | "queryParams">,
  path: string,
): HttpTarget | null {
  const query = Object.entries(queryParams)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  const text = `${baseUrl.replace(/\/+$/, "")}/${path}${query === "" ? "" : `?${query}`}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === "http:" || url.protocol === "https:" ? toTarget(url) : null;
}

/** Headers of the provider's settings take precedence over those of the wire format and the engine. */
export function fixedHeaders(
  { headers, bearerToken }: Pick<ProviderSettings, "headers" | "bearerToken">,
  wire: Pick<WireFormat, "headers" | "authHeaders">,
): Record<string, string> {
  return {
    ...wire.headers,
    ...sendable(headers),
    accept: "text/event-stream",
    "content-type": "application/json",
    ...(bearerToken === null ? {} : wire.authHeaders(bearerToken)),
  };
}

/** Lower-cases names and drops headers that are invalid in HTTP, which would fail the whole request. */
function sendable(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (isHeader(name, value)) headers[name.toLowerCase()] = value;
  }
  return headers;
}

function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** Caches the JSON text of values that recur in every request. The values must be immutable. */
type JsonCache = (value: unknown) => string;

function createJsonCache(): JsonCache {
  const texts = new WeakMap<object, string>();
  return (value) => {
    if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
    let text = texts.get(value);
    if (text === undefined) {
      text = JSON.stringify(value);
      texts.set(value, text);
    }
    return text;
  };
}
