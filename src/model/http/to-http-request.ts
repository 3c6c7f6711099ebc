/** Converts model requests to HTTP requests. */
import { messageOf } from "../../base/errors.ts";
import type { ModelRequest } from "../model.ts";
import type { ProviderSettings } from "../provider-settings.ts";
import { type HttpBody, type HttpRequest, type HttpTarget, toTarget } from "./http-client.ts";
import { createInputBytes } from "./input-bytes.ts";
import type { WireFormat } from "./wire.ts";

/** Returns the HTTP request, or the reason why it cannot be built. */
export type ToHttpRequest = (request: ModelRequest) => HttpRequest | string;

/** Precomputes the parts that all requests to a provider share. */
export function createToHttpRequest(provider: ProviderSettings, wire: WireFormat): ToHttpRequest {
  const target = targetOf(provider, wire.path);
  const encodeBody = createBodyEncoder(wire);
  const fixed = fixedHeaders(provider, wire);
  return (request) => {
    if (target === null) return `the base_url of model provider ${provider.id} is not an http address`;
    try {
      const headers = { ...sendable(request.headers), ...fixed };
      return { target, headers, body: encodeBody(request) };
    } catch (error) {
      return `the request cannot be written as JSON: ${messageOf(error)}`;
    }
  };
}

const NO_ENTRIES: readonly never[] = [];
const BEFORE_INPUT = '"input":[';
const AFTER_INPUT = '],"tools":[]';

/** The members that are large and mostly the same as in the last request are not encoded again. */
function createBodyEncoder({ toBody, passesThrough }: WireFormat): (request: ModelRequest) => HttpBody {
  if (passesThrough === null) return (request) => [JSON.stringify(toBody(request))];
  const inputBytes = createInputBytes(passesThrough);
  const toolsBytes = createToolsBytes();
  return (request) => {
    const text = JSON.stringify(toBody({ ...request, input: NO_ENTRIES, tools: NO_ENTRIES }));
    // The first match is the member itself, because the members before it are no objects.
    const start = text.indexOf(BEFORE_INPUT) + BEFORE_INPUT.length;
    const rest = text.slice(start + AFTER_INPUT.length);
    const input = inputBytes.of(request.input, request.conversation);
    return [text.slice(0, start), input, toolsBytes(request.tools), rest];
  };
}

/** The JSON of the tools, from the end of the input on. Tools are immutable, and most of a short request. */
function createToolsBytes(): (tools: readonly unknown[]) => Buffer {
  const texts = new WeakMap<object, string>();
  let known: readonly unknown[] = [];
  let bytes = Buffer.from(AFTER_INPUT);

  function textOf(tool: unknown): string {
    if (typeof tool !== "object" || tool === null) return JSON.stringify(tool) ?? "null";
    const text = texts.get(tool) ?? JSON.stringify(tool);
    texts.set(tool, text);
    return text;
  }

  return (tools) => {
    if (tools.length === known.length && tools.every((tool, index) => tool === known[index])) return bytes;
    bytes = Buffer.from(`],"tools":[${tools.map(textOf).join(",")}]`);
    known = tools;
    return bytes;
  };
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
