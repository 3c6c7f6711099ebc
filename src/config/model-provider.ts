// Resolves the configured model provider: address, credentials, timeouts and retries.
import type { Environment } from "../base/environment.ts";
import { BUILT_IN_PROVIDERS, findProvider } from "./built-ins.ts";
import type { ConfigValues } from "./schema/config-schema.ts";

export interface ModelProvider {
  readonly id: string;
  readonly name: string;
  /** Without a trailing slash; null for the provider `demo`, which needs no network. */
  readonly baseUrl: string | null;
  readonly wireApi: ProviderEntry["wire_api"];
  /** Sent as the wire API requires, mostly as a bearer token. */
  readonly apiKey: string | null;
  /** A program that prints the bearer token, where there is no key. */
  readonly tokenCommand: TokenCommand | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly queryParams: Readonly<Record<string, string>>;
  readonly requestMaxRetries: number;
  readonly streamMaxRetries: number;
  readonly streamIdleTimeoutMs: number;
  readonly requiresOpenaiAuth: boolean;
  /** Why it cannot be used, for example because a variable is not set. */
  readonly fault: string | null;
}

export interface TokenCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly refreshIntervalMs: number;
  readonly cwd: string | null;
}

export type ResolvedProvider = { ok: true; provider: ModelProvider } | { ok: false; message: string };

export const DEFAULT_REQUEST_MAX_RETRIES = 4;
export const DEFAULT_STREAM_MAX_RETRIES = 5;
export const DEFAULT_STREAM_IDLE_TIMEOUT_MS = 300_000;
const MAX_RETRIES = 100;

const OPENAI_BASE_URL = "https://api.openai.com/v1";
const ANTHROPIC_BASE_URL = "https://api.anthropic.com/v1";
const ANTHROPIC_KEY = "ANTHROPIC_API_KEY";
/** The built-in provider that a configured table may replace. */
const REPLACEABLE = "anthropic";
const LOCAL_PORTS: Readonly<Record<string, number>> = { ollama: 11_434, lmstudio: 1234 };

/** Whether it is a built-in provider that runs on this machine. */
export function isLocalProvider(id: string): boolean {
  return Object.hasOwn(LOCAL_PORTS, id);
}

interface ResolveOptions {
  readonly env: Environment;
  /** A thread's override of the configured provider. */
  readonly id?: string | null;
}

type ProviderEntry = ConfigValues["model_providers"][string];

export function resolveModelProvider(values: ConfigValues, options: ResolveOptions): ResolvedProvider {
  const openaiKey = openaiApiKey(options);
  const id = options.id ?? values.model_provider ?? defaultProvider(values, openaiKey);
  const missing = findProvider({ ...values, model_provider: id });
  if (missing !== undefined) return { ok: false, message: missing };
  const entry = values.model_providers[id];
  if (entry !== undefined && (id === REPLACEABLE || !BUILT_IN_PROVIDERS.includes(id)))
    return { ok: true, provider: fromEntry(id, entry, options.env, openaiKey) };
  if (id.startsWith("amazon-bedrock"))
    return { ok: false, message: `model provider \`${id}\` is not supported` };
  return { ok: true, provider: builtIn(id, values, options.env, openaiKey) };
}

/** Without any configured model the scripted one is used, so that a first start works. */
function defaultProvider({ openai_base_url: baseUrl }: ConfigValues, openaiKey: string | null): string {
  return openaiKey === null && baseUrl === null ? "demo" : "openai";
}

function openaiApiKey({ env }: ResolveOptions): string | null {
  return nonEmpty(env["CODEX_API_KEY"]) ?? nonEmpty(env["OPENAI_API_KEY"]);
}

function nonEmpty(value: string | null | undefined): string | null {
  return value === null || value === undefined || value.trim() === "" ? null : value;
}

function builtIn(
  id: string,
  values: ConfigValues,
  env: Environment,
  openaiKey: string | null,
): ModelProvider {
  const common = {
    id,
    wireApi: "responses",
    tokenCommand: null,
    queryParams: {},
    requestMaxRetries: DEFAULT_REQUEST_MAX_RETRIES,
    streamMaxRetries: DEFAULT_STREAM_MAX_RETRIES,
    streamIdleTimeoutMs: DEFAULT_STREAM_IDLE_TIMEOUT_MS,
    fault: null,
  } as const;
  if (id === "openai") {
    const baseUrl = withoutSlash(nonEmpty(values.openai_base_url) ?? OPENAI_BASE_URL);
    const headers = fromEnvironment(
      { "OpenAI-Organization": "OPENAI_ORGANIZATION", "OpenAI-Project": "OPENAI_PROJECT" },
      env,
    );
    return { ...common, name: "OpenAI", baseUrl, apiKey: openaiKey, headers, requiresOpenaiAuth: true };
  }
  if (id === "anthropic") {
    const apiKey = nonEmpty(env[ANTHROPIC_KEY]);
    const fault = apiKey === null ? missingVariable(ANTHROPIC_KEY) : null;
    const wire = { wireApi: "messages", baseUrl: ANTHROPIC_BASE_URL } as const;
    return { ...common, ...wire, name: "Anthropic", apiKey, headers: {}, requiresOpenaiAuth: false, fault };
  }
  const rest = { ...common, apiKey: null, headers: {}, requiresOpenaiAuth: false };
  const port = LOCAL_PORTS[id];
  if (port === undefined) return { ...rest, name: "Demo", baseUrl: null };
  const chosenPort = /^\d{1,5}$/.exec(env["CODEX_OSS_PORT"]?.trim() ?? "")?.[0] ?? port;
  const baseUrl = nonEmpty(env["CODEX_OSS_BASE_URL"]) ?? `http://localhost:${chosenPort}/v1`;
  return { ...rest, name: "gpt-oss", baseUrl: withoutSlash(baseUrl) };
}

function fromEntry(
  id: string,
  entry: ProviderEntry,
  env: Environment,
  openaiKey: string | null,
): ModelProvider {
  const { env_key: variable, env_key_instructions: instructions } = entry;
  const keyFromVariable = variable === null ? null : nonEmpty(env[variable]);
  const isKeyMissing = variable !== null && keyFromVariable === null;
  const advice = instructions === null ? "" : ` ${instructions}`;
  const ownKey = keyFromVariable ?? nonEmpty(entry.experimental_bearer_token);
  return {
    id,
    name: entry.name,
    baseUrl: baseUrlOf(entry),
    wireApi: entry.wire_api,
    apiKey: ownKey ?? (entry.requires_openai_auth ? openaiKey : null),
    tokenCommand: entry.auth === null ? null : tokenCommand(entry.auth),
    headers: { ...entry.http_headers, ...fromEnvironment(entry.env_http_headers ?? {}, env) },
    queryParams: { ...entry.query_params },
    requestMaxRetries: Math.min(entry.request_max_retries ?? DEFAULT_REQUEST_MAX_RETRIES, MAX_RETRIES),
    streamMaxRetries: Math.min(entry.stream_max_retries ?? DEFAULT_STREAM_MAX_RETRIES, MAX_RETRIES),
    streamIdleTimeoutMs: entry.stream_idle_timeout_ms ?? DEFAULT_STREAM_IDLE_TIMEOUT_MS,
    requiresOpenaiAuth: entry.requires_openai_auth,
    fault: isKeyMissing ? missingVariable(variable) + advice : null,
  };
}

function missingVariable(name: string): string {
  return `Missing environment variable: \`${name}\`.`;
}

function tokenCommand(auth: NonNullable<ProviderEntry["auth"]>): TokenCommand {
  const { command, args, timeout_ms: timeoutMs, refresh_interval_ms: refreshIntervalMs, cwd } = auth;
  return { command, args, timeoutMs, refreshIntervalMs, cwd };
}

/** A header whose variable is not set is not sent. */
function fromEnvironment(
  variables: Readonly<Record<string, string>>,
  env: Environment,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [header, variable] of Object.entries(variables)) {
    const value = nonEmpty(env[variable]);
    if (value !== null) headers[header] = value;
  }
  return headers;
}

/** Base URLs of the Messages API are usually written without the version; both forms are accepted. */
function baseUrlOf({ base_url: given, wire_api: wireApi }: ProviderEntry): string {
  if (wireApi !== "messages") return withoutSlash(nonEmpty(given) ?? OPENAI_BASE_URL);
  const url = withoutSlash(nonEmpty(given) ?? ANTHROPIC_BASE_URL);
  return /\/v\d+$/.test(url) ? url : `${url}/v1`;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
