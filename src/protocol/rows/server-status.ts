// The load of the server, its metrics, and faults of its set-up. The peer has only `server/diagnostics`.

import { exclusive, free, request } from "./row.ts";
import {
  array,
  boolean,
  choice,
  define,
  i64,
  map,
  nullable,
  number,
  object,
  string,
  u32,
  u64,
} from "./shape.ts";

export const ServerStatusParams = define("ServerStatusParams", object({}));
export const ServerConnection = define(
  "ServerConnection",
  object({
    id: string(),
    clientName: nullable(string()),
    clientVersion: nullable(string()),
    subject: nullable(string()),
    since: i64(),
    inFlight: u32(),
    isYou: boolean(),
  }),
  "A connection; `subject` is that of its token, `isYou` the one that asks.",
);
export const ServerStatusResponse = define(
  "ServerStatusResponse",
  object({
    version: string(),
    startedAt: i64(),
    uptimeMs: i64(),
    threadsLoaded: u32(),
    turnsRunning: u32(),
    waiting: object({ question: u32(), usageLimit: u32() }),
    queued: object({ pending: u32(), failed: u32() }),
    outbox: object({ pending: u32(), abandoned: u32() }),
    connections: array(ServerConnection),
    connectionCount: u32(),
    memory: object({ rssBytes: u64(), heapUsedBytes: u64(), heapTotalBytes: u64(), externalBytes: u64() }),
    cpuSeconds: object({ user: number(), system: number() }),
    eventLoopDelay: object({ meanMs: number(), p99Ms: nullable(number()) }),
  }),
  "`waiting` counts turns by the reason for which they wait. `connections` has the first 200. `p99Ms` is the bound of a bucket, and null before the first sample.",
);
export const MetricsListParams = define("MetricsListParams", object({}));
export const MetricBucket = define(
  "MetricBucket",
  object({ le: nullable(number()), count: u64() }),
  "How many observations were at most `le`, those of lower buckets included; null has no bound.",
);
export const MetricSample = define(
  "MetricSample",
  object({
    labels: map(string()),
    value: number(),
    buckets: nullable(array(MetricBucket)),
    count: nullable(u64()),
  }),
  "For a histogram, `value` is the sum of its observations.",
);
export const MetricEntry = define(
  "MetricEntry",
  object({
    name: string(),
    kind: choice("counter", "gauge", "histogram"),
    help: string(),
    samples: array(MetricSample),
  }),
);
export const MetricsListResponse = define("MetricsListResponse", object({ data: array(MetricEntry) }));
export const DoctorRunParams = define("DoctorRunParams", object({}));
export const DoctorFinding = define(
  "DoctorFinding",
  object({
    subject: string(),
    verdict: choice("ok", "advice", "problem"),
    message: string(),
    advice: nullable(string()),
  }),
);
export const DoctorRunResponse = define(
  "DoctorRunResponse",
  object({ findings: array(DoctorFinding), isComplete: boolean() }),
  "`isComplete` is false if the time was over before everything was examined.",
);

export const serverStatusRequests = {
  "server/status": request({
    summary: "Reads the load of the server and who is connected to it.",
    stability: "experimental",
    scope: "read",
    params: ServerStatusParams,
    result: ServerStatusResponse,
    order: free,
    idempotent: true,
    handlers: "server-status",
  }),
  "metrics/list": request({
    summary: "Reads the values of all metrics; events are counted from the first call on.",
    stability: "experimental",
    scope: "read",
    params: MetricsListParams,
    result: MetricsListResponse,
    order: free,
    idempotent: true,
    handlers: "server-status",
  }),
  "doctor/run": request({
    summary: "Examines the set-up of the server, as `heddle doctor` does without its history.",
    stability: "experimental",
    scope: "operate",
    params: DoctorRunParams,
    result: DoctorRunResponse,
    order: exclusive("doctor"),
    idempotent: true,
    handlers: "server-status",
  }),
};
