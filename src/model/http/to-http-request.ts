import { messageOf } from "../../base/errors.ts";
import type { ModelRequest } from "../model.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import type { HttpRequest } from "./http-client.ts";
import type { Wire } from "./wire.ts";

/** The request as it goes out, or the reason why there cannot be one. */
export function toHttpRequest(
  provider: ProviderSettings,
  wire: Wire,
  request: ModelRequest,
): HttpRequest | string {
  const url = toUrl(provider, wire.path);
  if (url === null) return `the base_url of model provider ${provider.id} is not an http address`;
  try {
    return { url, headers: toHeaders(provider, request.headers), body: JSON.stringify(wire.toBody(request)) };
  } catch (error) {
    return `the request cannot be written as JSON: ${messageOf(error)}`;
  }
}

function toUrl({ baseUrl, queryParams }: ProviderSettings, path: string): URL | null {
  const query = Object.entries(queryParams)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  const text = `${baseUrl.replace(/\/+$/, "")}/${path}${query === "" ? "" : `?${query}`}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === "http:" || url.protocol === "https:" ? url : null;
}

function toHeaders(
  provider: ProviderSettings,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of [...Object.entries(own), ...Object.entries(provider.headers)]) {
    if (isHeader(name, value)) headers[name.toLowerCase()] = value;
  }
  headers["accept"] = "text/event-stream";
  headers["content-type"] = "application/json";
  if (provider.bearerToken !== null) headers["authorization"] = `Bearer ${provider.bearerToken}`;
  return headers;
}

/** What HTTP cannot carry is left out, as it would otherwise fail the whole request. */
function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
