/** Makes requests to a provider out of what the engine asks a model. */
import { messageOf } from "../../base/errors.ts";
import type { ModelRequest } from "../model.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { type HttpRequest, type HttpTarget, toTarget } from "./http-client.ts";
import type { Wire } from "./wire.ts";

/** Gives the request as it goes out, or the reason why there cannot be one. */
export type ToHttpRequest = (request: ModelRequest) => HttpRequest | string;

/** What is the same in all requests to a provider is made once. */
export function createToHttpRequest(provider: ProviderSettings, wire: Wire): ToHttpRequest {
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

/** Null when that is no address that can be asked. */
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

/** What the provider's settings say wins over what the engine says about itself. */
export function fixedHeaders(
  { headers, bearerToken }: Pick<ProviderSettings, "headers" | "bearerToken">,
  wire: Pick<Wire, "headers" | "login">,
): Record<string, string> {
  return {
    ...wire.headers,
    ...sendable(headers),
    accept: "text/event-stream",
    "content-type": "application/json",
    ...(bearerToken === null ? {} : wire.login(bearerToken)),
  };
}

/** With names in lower case; what HTTP cannot carry is left out, as it would otherwise fail the whole request. */
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

/** Gives the JSON text of values that come again with every request, made once for each. They must not change. */
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
