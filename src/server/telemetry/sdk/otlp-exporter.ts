/** Exports to one collector over HTTP, and logs the first failure of a series. */
import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import {
  createOtlpHttpExportDelegate,
  httpAgentFactoryFromOptions,
} from "@opentelemetry/otlp-exporter-base/node-http";
import type { IExporterMetricsHelper, ISerializer } from "@opentelemetry/otlp-transformer";
import type { Logger } from "../../../base/logger.ts";

export interface CollectorSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly encoding: "json" | "protobuf";
  /** The timeout of one export, retries included. */
  readonly timeoutMs: number;
  /** PEM texts. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

export interface OtlpExporter<T> {
  export(items: T, onResult: (result: ExportResult) => void): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

interface OtlpExporterOptions<T> {
  readonly collector: CollectorSettings;
  readonly signal: "traces" | "metrics";
  readonly serializers: { readonly [E in CollectorSettings["encoding"]]: ISerializer<T, unknown> };
  readonly counting: IExporterMetricsHelper<T>;
  readonly userAgent: string;
  readonly log: Logger;
}

/** Concurrent exports; further ones are dropped while a collector is slow. */
const MAX_EXPORTS = 4;
const CONTENT_TYPES = { json: "application/json", protobuf: "application/x-protobuf" };

export function createOtlpExporter<T>(options: OtlpExporterOptions<T>): OtlpExporter<T> {
  const { collector, signal, serializers, counting, userAgent, log } = options;
  const { url, headers, encoding, timeoutMs, tls } = collector;
  const delegate = createOtlpHttpExportDelegate(
    {
      url,
      headers: async () => ({ ...headers, "Content-Type": CONTENT_TYPES[encoding] }),
      timeoutMillis: timeoutMs,
      concurrencyLimit: MAX_EXPORTS,
      compression: "none",
      agentFactory: httpAgentFactoryFromOptions({ keepAlive: true, ...tls }),
      userAgent,
    },
    serializers[encoding],
    `heddle_${signal}`,
    counting,
    undefined,
  );
  let isFailing = false;

  function note({ code, error }: ExportResult): void {
    const hasFailed = code !== ExportResultCode.SUCCESS;
    // URLs may contain secrets, and responses of a collector may contain anything, so neither is logged.
    if (hasFailed && !isFailing)
      log.warn("telemetry cannot be sent", { signal, collector: new URL(url).host, reason: reasonOf(error) });
    if (!hasFailed && isFailing) log.info("telemetry is sent again", { signal });
    isFailing = hasFailed;
  }

  return {
    export: (items, onResult) =>
      delegate.export(items, (result) => {
        note(result);
        onResult(result);
      }),
    forceFlush: () => delegate.forceFlush(),
    shutdown: () => delegate.shutdown(),
  };
}

/** The HTTP status, or the error code of the system if there was no response. */
function reasonOf(error: Error | undefined): string {
  const codes = [error, error?.cause].map((each) => (each as { readonly code?: unknown } | undefined)?.code);
  const code = codes.find((each) => typeof each === "number" || typeof each === "string");
  return code === undefined
    ? "the response timed out, or was not that of a collector"
    : String(code).slice(0, 64);
}
