/**
 * Batches and sends spans and metrics with the OpenTelemetry SDK. The build bundles this file and the SDK
 * separately, so that they are loaded only if telemetry is configured. Nothing is registered globally.
 */
import {
  createTraceState,
  ROOT_CONTEXT,
  type SpanContext as SdkSpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import {
  JsonMetricsSerializer,
  JsonTraceSerializer,
  MetricsExporterMetricsHelper,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from "@opentelemetry/otlp-transformer";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "../../../base/logger.ts";
import type { Metric } from "../../../base/metrics/registry.ts";
import { type CollectorSettings, createOtlpExporter } from "./otlp-exporter.ts";
import { toOtlpMetrics } from "./to-otlp-metrics.ts";
import type { SpanContext, Tracer } from "./tracer.ts";

export interface TelemetrySettings {
  /** Null if not configured. */
  readonly traces: CollectorSettings | null;
  readonly metrics: CollectorSettings | null;
  readonly metricsEveryMs: number;
  readonly spansEveryMs: number;
  /** The resource attributes of the server. */
  readonly resource: Readonly<Record<string, string>>;
}

export interface TelemetryDeps {
  readonly version: string;
  readonly readMetrics: () => Promise<readonly Metric[]>;
  readonly startedAtMs: number;
  readonly now: () => number;
  readonly log: Logger;
}

export interface TelemetrySdk {
  /** Null if no traces are exported. */
  readonly tracer: Tracer | null;
  /** Flushes, within a timeout. Never rejects. */
  close(withinMs: number): Promise<void>;
}

/** Buffered spans; further ones are dropped. */
const MAX_WAITING_SPANS = 2048;
const MAX_BATCH_SPANS = 512;

export function openTelemetrySdk(settings: TelemetrySettings, deps: TelemetryDeps): TelemetrySdk {
  const resource = resourceFromAttributes({ ...settings.resource });
  const traces = settings.traces === null ? null : openTraces(settings.traces, settings, resource, deps);
  const metrics = settings.metrics === null ? null : openMetrics(settings.metrics, settings, resource, deps);
  const shutdowns = [traces?.provider, metrics].flatMap((each) => (each == null ? [] : [each]));
  return {
    tracer: traces?.tracer ?? null,
    async close(withinMs) {
      const closed = Promise.allSettled(shutdowns.map((each) => each.shutdown()));
      let cancel = (): void => {};
      const passed = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        cancel = () => clearTimeout(timer);
      });
      await Promise.race([closed, passed]);
      cancel();
    },
  };
}

function openTraces(
  collector: CollectorSettings,
  { spansEveryMs }: TelemetrySettings,
  resource: Resource,
  { version, log }: TelemetryDeps,
) {
  const exporter = createOtlpExporter({
    collector,
    signal: "traces",
    serializers: { json: JsonTraceSerializer, protobuf: ProtobufTraceSerializer },
    counting: TraceExporterMetricsHelper,
    userAgent: `heddle/${version}`,
    log,
  });
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: MAX_WAITING_SPANS,
    maxExportBatchSize: MAX_BATCH_SPANS,
    scheduledDelayMillis: spansEveryMs,
    exportTimeoutMillis: collector.timeoutMs,
  });
  const provider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [processor],
  });
  return { provider, tracer: createTracer(provider, version) };
}

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, server: SpanKind.SERVER };

function createTracer(provider: TracerProvider, version: string): Tracer {
  const tracer = provider.getTracer("heddle", version);
  return {
    start({ name, kind, parent, startedAtMs, attributes }) {
      const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, toSdk(parent));
      const options = { kind: KINDS[kind], startTime: startedAtMs, attributes: { ...attributes } };
      const span = tracer.startSpan(name, options, context);
      return {
        context: fromSdk(span.spanContext()),
        end(atMs, { error, attributes: found }) {
          span.setAttributes({ ...found, ...(error !== null && { "error.type": error }) });
          if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end(atMs);
        },
      };
    },
  };
}

function toSdk({ traceId, spanId, isSampled, traceState }: SpanContext): SdkSpanContext {
  return {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(traceState !== null && { traceState: createTraceState(traceState) }),
  };
}

function fromSdk({ traceId, spanId, traceFlags, traceState }: SdkSpanContext): SpanContext {
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return { traceId, spanId, isSampled, traceState: traceState?.serialize() ?? null };
}

function openMetrics(
  collector: CollectorSettings,
  { metricsEveryMs }: TelemetrySettings,
  resource: Resource,
  { version, readMetrics, startedAtMs, now, log }: TelemetryDeps,
): MeterProvider {
  const exporter = createOtlpExporter({
    collector,
    signal: "metrics",
    serializers: { json: JsonMetricsSerializer, protobuf: ProtobufMetricsSerializer },
    counting: MetricsExporterMetricsHelper,
    userAgent: `heddle/${version}`,
    log,
  });
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: metricsEveryMs,
    exportTimeoutMillis: Math.min(collector.timeoutMs, metricsEveryMs),
    metricProducers: [
      {
        async collect() {
          const metrics = toOtlpMetrics(await readMetrics(), startedAtMs, now());
          const scopeMetrics = [{ scope: { name: "heddle", version }, metrics }];
          return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
        },
      },
    ],
  });
  return new MeterProvider({ resource, readers: [reader] });
}
