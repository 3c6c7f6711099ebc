/**
 * The collectors of traces and metrics: `[otel]` of the configuration, or else the environment variables of
 * OpenTelemetry. Without either nothing is sent.
 */
import type { Environment } from "../../base/environment.ts";
import { isObject } from "../../base/json-object.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { CollectorSettings } from "./sdk/otlp-exporter.ts";
import type { TelemetrySettings } from "./sdk/telemetry-sdk.ts";
import type { Attributes } from "./sdk/tracer.ts";

export type OtelConfig = ConfigValues["otel"];

/** A collector whose certificate files have not been read yet. */
export interface NamedCollector extends Omit<CollectorSettings, "tls"> {
  readonly tlsFiles: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

export interface WantedTelemetry extends Omit<TelemetrySettings, "traces" | "metrics"> {
  readonly traces: NamedCollector | null;
  readonly metrics: NamedCollector | null;
  readonly spanAttributes: Attributes;
  /** Messages about exporters that are configured and cannot be used. */
  readonly faults: readonly string[];
}

type Signal = "traces" | "metrics";

const TIMEOUT_MS = 10_000;
const METRICS_EVERY_MS = 60_000;
const SPANS_EVERY_MS = 5000;
const MAX_INTERVAL_MS = 3_600_000;
/** The limits of a list of headers or attributes, and of the characters of each. */
const MAX_PAIRS = 64;
const MAX_TEXT = 4096;

export function readTelemetrySettings(env: Environment, otel: OtelConfig): WantedTelemetry {
  const faults: string[] = [];
  const collectorOf = (signal: Signal, exporter: unknown): NamedCollector | null => {
    const found =
      exporter === null || exporter === undefined ? ofEnvironment(env, signal) : ofConfig(exporter);
    if (found === null || typeof found !== "string") return found;
    faults.push(`${signal} are not sent: ${found}`);
    return null;
  };
  const traces = collectorOf("traces", otel?.trace_exporter);
  const metrics = collectorOf("metrics", otel?.metrics_exporter);
  const environment = otel?.environment ?? null;
  return {
    traces,
    metrics,
    metricsEveryMs: readMs(env["OTEL_METRIC_EXPORT_INTERVAL"]) ?? METRICS_EVERY_MS,
    spansEveryMs: readMs(env["OTEL_BSP_SCHEDULE_DELAY"]) ?? SPANS_EVERY_MS,
    resource: {
      ...readPairs(env["OTEL_RESOURCE_ATTRIBUTES"]),
      "service.name": env["OTEL_SERVICE_NAME"] || "heddle",
      ...(environment !== null && { env: environment, "deployment.environment.name": environment }),
    },
    spanAttributes: Object.fromEntries(Object.entries(otel?.span_attributes ?? {}).slice(0, MAX_PAIRS)),
    faults,
  };
}

/** Null if the exporter is switched off; a message if it cannot be used. */
function ofConfig(exporter: unknown): NamedCollector | string | null {
  if (!isObject(exporter)) return exporter === "statsig" ? "statsig is a service of Codex's makers" : null;
  const http = exporter["otlp-http"];
  if (!isObject(http)) return "`otlp-grpc` is not supported; use `otlp-http`";
  const { endpoint, headers, protocol, tls } = http;
  const files = isObject(tls) ? tls : {};
  const file = (name: string, key: string) => (typeof files[key] === "string" ? { [name]: files[key] } : {});
  return toCollector(String(endpoint), {
    headers: isObject(headers) ? (headers as Record<string, string>) : {},
    encoding: protocol === "json" ? "json" : "protobuf",
    timeoutMs: TIMEOUT_MS,
    tlsFiles: {
      ...file("ca", "ca-certificate"),
      ...file("cert", "client-certificate"),
      ...file("key", "client-private-key"),
    },
  });
}

function ofEnvironment(env: Environment, signal: Signal): NamedCollector | string | null {
  const upper = signal.toUpperCase();
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true" || env[`OTEL_${upper}_EXPORTER`] === "none")
    return null;
  const own = (name: string) => env[`OTEL_EXPORTER_OTLP_${upper}_${name}`] || undefined;
  const common = (name: string) => env[`OTEL_EXPORTER_OTLP_${name}`] || undefined;
  const base = common("ENDPOINT");
  const endpoint = own("ENDPOINT") ?? (base && `${base.replace(/\/+$/u, "")}/v1/${signal}`);
  if (endpoint === undefined) return null;
  const protocol = own("PROTOCOL") ?? common("PROTOCOL") ?? "http/protobuf";
  if (protocol !== "http/protobuf" && protocol !== "http/json")
    return `the protocol ${protocol.slice(0, 64)} is not supported; use http/protobuf or http/json`;
  const file = (name: string, variable: string) => {
    const path = own(variable) ?? common(variable);
    return path === undefined ? {} : { [name]: path };
  };
  return toCollector(endpoint, {
    headers: readPairs(own("HEADERS") ?? common("HEADERS")),
    encoding: protocol === "http/json" ? "json" : "protobuf",
    timeoutMs: readMs(own("TIMEOUT") ?? common("TIMEOUT")) ?? TIMEOUT_MS,
    tlsFiles: {
      ...file("ca", "CERTIFICATE"),
      ...file("cert", "CLIENT_CERTIFICATE"),
      ...file("key", "CLIENT_KEY"),
    },
  });
}

function toCollector(endpoint: string, rest: Omit<NamedCollector, "url">): NamedCollector | string {
  const isHttp = URL.canParse(endpoint) && /^https?:$/u.test(new URL(endpoint).protocol);
  return isHttp ? { ...rest, url: endpoint } : "the endpoint must begin with http:// or https://";
}

function readMs(text: string | undefined): number | null {
  if (text === undefined || !/^[1-9]\d{0,8}$/u.test(text.trim())) return null;
  return Math.min(Number(text), MAX_INTERVAL_MS);
}

/** Parses `name=value,…` with percent-encoded values, as in the environment variables of OpenTelemetry. */
function readPairs(text = ""): Record<string, string> {
  const pairs = text.slice(0, MAX_PAIRS * MAX_TEXT).split(",", MAX_PAIRS);
  return Object.fromEntries(
    pairs.flatMap((pair) => {
      const at = pair.indexOf("=");
      const name = pair.slice(0, Math.max(0, at)).trim();
      return name === "" ? [] : [[name, decode(pair.slice(at + 1).trim())]];
    }),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
