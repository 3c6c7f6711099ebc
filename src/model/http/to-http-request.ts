import { messageOf } from "../../base/errors.ts";
import type { ModelRequest } from "../model.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import type { HttpRequest } from "./http-client.ts";
import type { JsonCache } from "./json-cache.ts";
import type { Wire } from "./wire.ts";

/** The request as it goes out, or the reason why there cannot be one. */
export function toHttpRequest(
  provider: ProviderSettings,
  wire: Wire,
  request: ModelRequest,
  json: JsonCache,
): HttpRequest | string {
  const url = toUrl(provider, wire.path);
  if (url === null) return `the base_url of model provider ${provider.id} is not an http address`;
  try {
    return { url, headers: toHeaders(provider, request.headers), body: encodeBody(wire, request, json) };
  } catch (error) {
    return `the request cannot be written as JSON: ${messageOf(error)}`;
  }
}

/** Tools are most of a short request, and the same in all of them. */
function encodeBody(wire: Wire, request: ModelRequest, json: JsonCache): string {
  const { tools, ...body } = wire.toBody(request);
  if (tools === undefined) return JSON.stringify(body);
  const texts =
    wire.sendsToolsAsGiven && Array.isArray(tools)
      ? `[${tools.map((tool) => json(tool)).join(",")}]`
      : JSON.stringify(tools);
  return `${JSON.stringify(body).slice(0, -1)},"tools":${texts}}`;
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
