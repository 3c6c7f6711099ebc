// Telemetry exporters and their endpoints.
import { choice, filePath, flag, integer, later, mapOf, secret, text } from "./kind.ts";
import { optional, required, table, variantOf, withDefault } from "./table.ts";

const tls = later(() =>
  table("OtelTlsConfig", {
    "ca-certificate": optional(filePath(), "Certificate of the authority."),
    "client-certificate": optional(filePath(), "Certificate of the client."),
    "client-private-key": optional(filePath(), "Key of the client."),
  }),
);

const exporterHeaders = withDefault(mapOf(secret()), {}, "Headers to send.");

const exporter = later(() =>
  variantOf(choice(["none", "statsig"], { listed: ["none", "statsig", "otlp-http", "otlp-grpc"] }), {
    "otlp-http": table("OtelExporterKind", {
      endpoint: required(text(), "Address of the collector."),
      headers: exporterHeaders,
      protocol: required(choice(["binary", "json"]), "Encoding."),
      tls: optional(tls, "Certificates."),
    }),
    "otlp-grpc": table("OtelExporterKind", {
      endpoint: required(text(), "Address of the collector."),
      headers: exporterHeaders,
      tls: optional(tls, "Certificates."),
    }),
  }),
);

export const otel = later(() =>
  table("OtelConfigToml", {
    tool_result: optional(
      table("ToolResultLogConfig", {
        max_bytes: withDefault(integer("usize"), 2048, "Bytes of a tool's output that are reported."),
      }),
      "Results of tools.",
    ),
    log_user_prompt: optional(flag(), "Report prompts."),
    log_agent_responses: optional(flag(), "Report answers."),
    log_guardian_assessments: optional(flag(), "Report automatic reviews."),
    environment: optional(text(), "Name of the deployment."),
    exporter: optional(exporter, "Where events go."),
    trace_exporter: optional(exporter, "Where traces go."),
    metrics_exporter: optional(exporter, "Where metrics go."),
    span_attributes: optional(mapOf(text()), "Attributes of every span."),
    tracestate: optional(mapOf(mapOf(text())), "Entries of the trace state."),
  }),
);

export const otelKeys = {
  otel: optional(otel, "OpenTelemetry; read when the first client connects."),
};
