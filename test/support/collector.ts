/** A telemetry collector on loopback that decodes and records OTLP in JSON. */
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { createDeferred } from "../../src/base/tasks.ts";

export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: Points;
  readonly gauge?: Points;
  readonly histogram?: Points;
}

interface Points {
  readonly dataPoints: readonly {
    readonly attributes: readonly Pair[];
    readonly asDouble?: number;
    readonly count?: number;
  }[];
}

export interface ReceivedExport {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

type RawSpan = Omit<ReceivedSpan, "attributes"> & { readonly attributes: readonly Pair[] };

export const toObject = (pairs: readonly Pair[]): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

export async function openCollector(
  answer: RequestListener = (_request, response) => response.end("{}"),
  tls: { readonly cert: string; readonly key: string } | null = null,
) {
  const exports: ReceivedExport[] = [];
  const first = createDeferred<void>();
  const receive: RequestListener = (request, response) => {
    void text(request).then((body) => {
      exports.push({ path: request.url ?? "", headers: request.headers, body });
      first.resolve();
      answer(request, response);
    });
  };
  const server = tls === null ? createServer(receive) : createTlsServer({ ...tls }, receive);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const bodies = <T>(path: string): T[] =>
    exports.filter((each) => each.path === path).map(({ body }) => JSON.parse(body) as T);
  return {
    url: `${tls === null ? "http" : "https"}://127.0.0.1:${port}`,
    exports,
    whenReached: first.promise,
    spans: (): ReceivedSpan[] =>
      bodies<{ resourceSpans: { scopeSpans: { spans: RawSpan[] }[] }[] }>("/v1/traces")
        .flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans))
        .flatMap(({ spans }) => spans)
        .map((span) => ({ ...span, attributes: toObject(span.attributes) })),
    resource: (): Record<string, unknown> =>
      toObject(
        bodies<{ resourceSpans: { resource: { attributes: Pair[] } }[] }>("/v1/traces")[0]?.resourceSpans[0]
          ?.resource.attributes ?? [],
      ),
    /** The last received ones. */
    metrics: (): ReceivedMetric[] =>
      bodies<{ resourceMetrics: { scopeMetrics: { metrics: ReceivedMetric[] }[] }[] }>("/v1/metrics")
        .at(-1)
        ?.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)) ?? [],
  };
}
