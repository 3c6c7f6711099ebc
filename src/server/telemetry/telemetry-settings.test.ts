import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Environment } from "../../base/environment.ts";
import { type OtelConfig, readTelemetrySettings } from "./telemetry-settings.ts";

const NO_OTEL: NonNullable<OtelConfig> = {
  tool_result: null,
  log_user_prompt: null,
  log_agent_responses: null,
  log_guardian_assessments: null,
  environment: null,
  exporter: null,
  trace_exporter: null,
  metrics_exporter: null,
  span_attributes: null,
  tracestate: null,
};
const HTTP = {
  endpoint: "https://collector.example/in",
  headers: { key: "value" },
  protocol: "binary",
  tls: null,
};
const BASE = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example:4318/" };

const addresses = (env: Environment, otel: Partial<NonNullable<OtelConfig>> | null = null) => {
  const { traces, metrics, faults } = readTelemetrySettings(
    env,
    otel === null ? null : { ...NO_OTEL, ...otel },
  );
  return [traces?.url ?? null, metrics?.url ?? null, faults.length];
};
const TRACES = "http://collector.example:4318/v1/traces";
const METRICS = "http://collector.example:4318/v1/metrics";

describe("where telemetry goes", () => {
  test.each<[string, Environment, Partial<NonNullable<OtelConfig>> | null, unknown]>([
    ["nowhere", {}, null, [null, null, 0]],
    ["nowhere, for an empty name", { OTEL_EXPORTER_OTLP_ENDPOINT: "" }, null, [null, null, 0]],
    ["where one variable says", BASE, null, [TRACES, METRICS, 0]],
    [
      "where a variable says for traces alone",
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://a/b" },
      null,
      ["http://a/b", null, 0],
    ],
    [
      "where the more exact variable says",
      { ...BASE, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://a/b" },
      null,
      [TRACES, "http://a/b", 0],
    ],
    ["nowhere, where all is switched off", { ...BASE, OTEL_SDK_DISABLED: "TRUE" }, null, [null, null, 0]],
    ["only metrics, where traces are", { ...BASE, OTEL_TRACES_EXPORTER: "none" }, null, [null, METRICS, 0]],
    ["nowhere by gRPC", { ...BASE, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, null, [null, null, 2]],
    ["nowhere, for what is no address", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector" }, null, [null, null, 2]],
    ["nowhere, for another scheme", { OTEL_EXPORTER_OTLP_ENDPOINT: "file:///etc" }, null, [null, null, 2]],
    [
      "where the configuration says",
      BASE,
      { trace_exporter: { "otlp-http": HTTP } },
      [HTTP.endpoint, METRICS, 0],
    ],
    [
      "nowhere, where the configuration says so",
      BASE,
      { trace_exporter: "none", metrics_exporter: "none" },
      [null, null, 0],
    ],
    ["nowhere of the peer's makers", BASE, { metrics_exporter: "statsig" }, [TRACES, null, 1]],
    ["nowhere by a configured gRPC", {}, { trace_exporter: { "otlp-grpc": HTTP } }, [null, null, 1]],
  ])("%s", (_, env, otel, expected) => {
    expect(addresses(env, otel)).toEqual(expected);
  });

  test("with which headers, encoding and time", () => {
    const env = {
      ...BASE,
      OTEL_EXPORTER_OTLP_HEADERS: "a=1, b = two%20words ,=none,c,__proto__=x,d=%zz",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "own=1",
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_TIMEOUT: "250",
      OTEL_EXPORTER_OTLP_CERTIFICATE: "/ca.pem",
    };
    const { traces, metrics } = readTelemetrySettings(env, null);
    expect(traces).toMatchObject({ headers: { own: "1" }, encoding: "protobuf", timeoutMs: 250 });
    expect(metrics).toMatchObject({ encoding: "json", tlsFiles: { ca: "/ca.pem" } });
    expect(Object.entries(metrics?.headers ?? {})).toEqual([
      ["a", "1"],
      ["b", "two words"],
      ["__proto__", "x"],
      ["d", "%zz"],
    ]);
  });

  test("what the configuration names gets nothing that the environment has for another", () => {
    const env = {
      ...BASE,
      OTEL_EXPORTER_OTLP_HEADERS: "secret=of-another",
      OTEL_EXPORTER_OTLP_CLIENT_KEY: "/key",
    };
    const { traces } = readTelemetrySettings(env, { ...NO_OTEL, trace_exporter: { "otlp-http": HTTP } });
    expect([traces?.headers, traces?.tlsFiles]).toEqual([{ key: "value" }, {}]);
  });
});

test("what is said of the server", () => {
  const env = { OTEL_RESOURCE_ATTRIBUTES: "team=blue,service.name=no", OTEL_SERVICE_NAME: "mine" };
  expect(readTelemetrySettings(env, { ...NO_OTEL, environment: "prod" }).resource).toEqual({
    team: "blue",
    "service.name": "mine",
    env: "prod",
    "deployment.environment.name": "prod",
  });
});

test.each([
  [undefined, 60_000],
  ["5000", 5000],
  ["0", 60_000],
  ["-1", 60_000],
  ["1e3", 60_000],
  ["999999999", 3_600_000],
])("OTEL_METRIC_EXPORT_INTERVAL=%s is every %d ms", (text, expected) => {
  expect(readTelemetrySettings({ OTEL_METRIC_EXPORT_INTERVAL: text }, null).metricsEveryMs).toBe(expected);
});

test("no environment and no configuration makes it throw", () => {
  const names = ["ENDPOINT", "HEADERS", "PROTOCOL", "TIMEOUT", "TRACES_ENDPOINT"].map(
    (name) => `OTEL_EXPORTER_OTLP_${name}`,
  );
  const env = fc.dictionary(fc.constantFrom(...names, "OTEL_RESOURCE_ATTRIBUTES"), fc.string());
  fc.assert(
    fc.property(env, fc.anything(), (variables, exporter) => {
      const otel = { ...NO_OTEL, trace_exporter: exporter as "none" };
      const { traces } = readTelemetrySettings(variables, otel);
      if (traces !== null) expect(traces.url).toMatch(/^https?:/iu);
    }),
  );
});
