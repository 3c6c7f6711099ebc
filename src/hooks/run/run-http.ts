/** Runs an HTTP hook: the event's input is posted, and the JSON response is the hook's output. */
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { isObject } from "../../base/json-object.ts";
import type { NetworkFetch } from "../../base/network/network-fetch.ts";
import type { HandlerResult } from "../outcome.ts";
import { withinDeadline } from "./within-deadline.ts";

export interface HookService {
  readonly url: string;
  /** Values may reference variables as `${NAME}`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The event's input, as JSON. */
  readonly input: string;
  readonly timeoutSeconds: number;
  /** Aborts the run. */
  readonly signal: AbortSignal;
}

export interface HookServicePorts {
  readonly fetch: NetworkFetch;
  readonly clock: Clock;
  /** Only variables that a header references are sent. */
  readonly env: Environment;
}

export const MAX_BODY_BYTES = 1 << 20;
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/gu;

export function postToHook(
  { fetch, clock, env }: HookServicePorts,
  { url, headers, input, timeoutSeconds, signal }: HookService,
): Promise<HandlerResult> {
  const address = readAddress(url);
  if (typeof address === "string") return Promise.resolve(failed(address));
  const filled = fillHeaders(headers, env);
  if (typeof filled === "string") return Promise.resolve(failed(filled));
  return withinDeadline({ clock, timeoutSeconds, signal }, async (deadline) => {
    try {
      const response = await fetch(address, {
        method: "POST",
        headers: filled,
        body: input,
        redirect: "manual",
        signal: deadline.signal,
      });
      return await readResponse(response);
    } catch (error) {
      return deadline.end() ?? failed(`hook at ${address.origin} could not be reached: ${causeOf(error)}`);
    }
  });
}

/** Returns an error message for an address that cannot be used. */
function readAddress(text: string): URL | string {
  if (!URL.canParse(text)) return "hook has an address that cannot be read";
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `hook has an address that begins with ${url.protocol}; use http: or https:`;
  if (url.username !== "" || url.password !== "")
    return "hook has an address with a user or a password in it; put them into its headers";
  return url;
}

/** Returns an error message without any values, for headers that cannot be sent. */
function fillHeaders(templates: HookService["headers"], env: Environment): Headers | string {
  const headers = new Headers();
  for (const [name, template] of Object.entries(templates)) {
    const named = [...template.matchAll(VARIABLE)].map(([, variable = ""]) => variable);
    const missing = named.find((variable) => valueOf(env, variable) === undefined);
    if (missing !== undefined) return `header ${name} names the variable ${missing}, which is not set`;
    try {
      headers.set(
        name,
        template.replace(VARIABLE, (_all, variable: string) => valueOf(env, variable) ?? ""),
      );
    } catch {
      return `header ${name} has characters that no header can have`;
    }
  }
  headers.set("content-type", "application/json");
  return headers;
}

function valueOf(env: Environment, variable: string): string | undefined {
  return Object.hasOwn(env, variable) ? env[variable] : undefined;
}

async function readResponse(response: Response): Promise<HandlerResult> {
  const { status } = response;
  if (!response.ok) {
    await response.body?.cancel();
    const isRedirect = status >= 300 && status < 400;
    return failed(
      `hook answered with status ${status}${isRedirect ? "; redirects are not followed: name the address itself" : ""}`,
    );
  }
  const text = await readText(response);
  if (text === null)
    return failed(`hook answered with status ${status} and more than ${MAX_BODY_BYTES} bytes`);
  if (text.trim() !== "" && !isJsonObject(text))
    return failed(`hook answered with status ${status} and a body that is not a JSON object`);
  return { kind: "exited", exitCode: 0, stdout: text, stderr: "", isCut: false };
}

/** Null for a body above the limit; its remainder is not read. */
async function readText({ body }: Response): Promise<string | null> {
  if (body === null) return "";
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks).toString("utf8");
    bytes += value.length;
    if (bytes > MAX_BODY_BYTES) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/** `fetch` reports the reason in `cause`. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message === "" ? (code ?? cause.name) : cause.message;
}

function failed(message: string): HandlerResult {
  return { kind: "failed", message };
}
