/** Opens the configured exporters. A fault of one is logged, and the server runs without it. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../base/clock.ts";
import { type Environment, version } from "../../base/environment.ts";
import type { Logger } from "../../base/logger.ts";
import { readRegularFile } from "../../base/read-regular-file.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { ServerEvents } from "../observation/server-events.ts";
import { recordSpans } from "./record-spans.ts";
import type { CollectorSettings } from "./sdk/otlp-exporter.ts";
import type { openTelemetrySdk } from "./sdk/telemetry-sdk.ts";
import { type NamedCollector, type OtelConfig, readTelemetrySettings } from "./telemetry-settings.ts";
import { traceOfEnvironment } from "./trace-context.ts";

export interface TelemetryOptions {
  readonly env: Environment;
  readonly otel: OtelConfig;
  readonly events: ServerEvents;
  readonly metrics: () => Promise<Metrics>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Telemetry {
  close(): Promise<void>;
}

/** The timeout for the last export when the server closes. */
const FLUSH_MS = 2000;
const MAX_CERTIFICATE_BYTES = 1024 * 1024;

/** Null if no exporter is configured or usable. */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry | null> {
  const { env, otel, events, clock, log } = options;
  const { spanAttributes, faults, ...wanted } = readTelemetrySettings(env, otel);
  for (const fault of faults) log.warn(fault);
  const traces = await withCertificates("traces", wanted.traces, log);
  const metrics = await withCertificates("metrics", wanted.metrics, log);
  if (traces === null && metrics === null) return null;
  const counted = metrics === null ? null : await options.metrics();
  const sdk = (await loadSdk(import.meta.url)).openTelemetrySdk(
    { ...wanted, traces, metrics, resource: { "service.version": version, ...wanted.resource } },
    {
      version,
      readMetrics: async () => (await counted?.read()) ?? [],
      startedAtMs: clock.now(),
      now: () => clock.now(),
      log,
    },
  );
  const { tracer } = sdk;
  if (tracer !== null) {
    const defaultParent = traceOfEnvironment(env);
    events.addListener(recordSpans({ tracer, clock, defaultParent, attributes: spanAttributes }));
  }
  return { close: () => sdk.close(FLUSH_MS) };
}

/** Null if a certificate cannot be read: nothing is sent without the configured TLS authentication. */
async function withCertificates(
  signal: string,
  collector: NamedCollector | null,
  log: Logger,
): Promise<CollectorSettings | null> {
  if (collector === null) return null;
  const { tlsFiles, ...rest } = collector;
  const tls: Record<string, string> = {};
  for (const [name, path] of Object.entries(tlsFiles)) {
    const file = await readRegularFile(path, { maxBytes: MAX_CERTIFICATE_BYTES, from: "own" });
    if (file.kind !== "read") {
      log.warn(`${signal} are not sent: cannot read ${path}: ${file.message}`);
      return null;
    }
    tls[name] = file.bytes.toString("utf8");
  }
  return { ...rest, tls };
}

interface Sdk {
  readonly openTelemetrySdk: typeof openTelemetrySdk;
}

/** The file name of the bundle of `sdk/telemetry-sdk.ts`, as the build writes it. */
const SDK_FILE = "telemetry.cjs";

/** Loads the bundle from this folder or one of the two above it; from the source if nothing was built. */
async function loadSdk(here: string): Promise<Sdk> {
  const own = dirname(fileURLToPath(here));
  const places = [own, dirname(own), dirname(dirname(own))].map((folder) => join(folder, SDK_FILE));
  const built = places.find((place) => existsSync(place));
  if (built !== undefined) return createRequire(here)(built) as Sdk;
  // A computed specifier, so that the bundler does not include the SDK in the main bundle.
  const source = new URL(["./sdk", "telemetry-sdk.ts"].join("/"), here).href;
  return (await import(source)) as Sdk;
}
