/**
 * All metrics of a server. The table in the docs, the check of the dashboard and the exports are derived from
 * this. Label values are fixed words of ours or of the protocol, never chosen by a user, a client, a model or
 * a provider.
 */
import type { MetricTable } from "../../base/metrics/registry.ts";

/** Buckets from a loopback round trip to minutes of model time. */
const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;
/** Buckets for whole turns, and for answers of users. */
const LONG_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600] as const;
/** Buckets for work of the server itself. */
const SHORT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;

const TRANSPORTS = ["stdio", "websocket", "unix", "memory"] as const;
const TURN_KINDS = ["user", "compact", "review", "shell"] as const;

export const METRICS = {
  heddle_build_info: {
    type: "gauge",
    help: "Always 1; the label has the version of the server.",
    labels: { version: null },
  },
  heddle_start_time_seconds: {
    type: "gauge",
    help: "When counting began, which is when the server was started, in seconds since 1970.",
  },

  heddle_connections: {
    type: "gauge",
    help: "Open connections of clients.",
    labels: { transport: TRANSPORTS },
  },
  heddle_connections_opened_total: {
    type: "counter",
    help: "Connections that were opened.",
    labels: { transport: TRANSPORTS },
  },
  heddle_connections_closed_total: {
    type: "counter",
    help: "Connections that have ended: by either side, because the client read too slowly, or by a fault.",
    labels: { reason: ["ended", "overflow", "failed"] },
  },
  heddle_connections_refused_total: {
    type: "counter",
    help: "Connections and requests that were refused, by HTTP status.",
    labels: { status: null },
  },

  heddle_requests_total: {
    type: "counter",
    help: "Answered requests, by method; `unknown` for methods that are not in the protocol.",
    labels: { method: null },
  },
  heddle_request_errors_total: {
    type: "counter",
    help: "Requests that were answered with an error, by method and JSON-RPC code.",
    labels: { method: null, code: null },
  },
  heddle_request_seconds: {
    type: "histogram",
    help: "Time from the arrival of a request to its answer.",
    buckets: SHORT_SECONDS,
  },

  heddle_threads_loaded: { type: "gauge", help: "Loaded threads." },
  heddle_turns_running: { type: "gauge", help: "Running turns." },
  heddle_turns_total: {
    type: "counter",
    help: "Ended turns, by kind and outcome.",
    labels: { kind: TURN_KINDS, end: ["completed", "failed", "interrupted"] },
  },
  heddle_turn_seconds: {
    type: "histogram",
    help: "Time from the beginning of a turn to its end.",
    buckets: LONG_SECONDS,
  },
  heddle_turn_first_delta_seconds: {
    type: "histogram",
    help: "Time from the beginning of a turn to the first delta of the model.",
    buckets: SECONDS,
  },

  heddle_model_requests_total: {
    type: "counter",
    help: "Model responses, by outcome; a broken one was requested again from where it broke.",
    labels: { end: ["completed", "failed", "broken", "interrupted"] },
  },
  heddle_model_request_seconds: {
    type: "histogram",
    help: "Time from the request for a response to its end, retries included.",
    buckets: SECONDS,
  },
  heddle_model_errors_total: {
    type: "counter",
    help: "Failures of providers, by kind of error, retried or not.",
    labels: { error: null },
  },
  heddle_model_retries_total: {
    type: "counter",
    help: "Retries: of requests without a response, and of responses that broke.",
    labels: { of: ["request", "response"] },
  },
  heddle_tokens_total: {
    type: "counter",
    help: "Tokens as providers count them. Cached input is part of input, and reasoning part of output.",
    labels: { kind: ["input", "cached_input", "output", "reasoning"] },
  },

  heddle_tool_calls_total: {
    type: "counter",
    help: "Tool calls of the model, by tool (`mcp` for all MCP servers, `dynamic` for all tools of clients) and outcome.",
    labels: { tool: null, end: null },
  },
  heddle_tool_seconds: {
    type: "histogram",
    help: "Run time of tools, waits for permission included.",
    buckets: SECONDS,
  },
  heddle_commands_total: {
    type: "counter",
    help: "Ended commands of models and users.",
    labels: { status: ["completed", "failed", "declined"] },
  },
  heddle_command_seconds: { type: "histogram", help: "Run time of commands.", buckets: SECONDS },

  heddle_permissions_total: {
    type: "counter",
    help: "Permission decisions, by kind of request, decision and decider.",
    labels: { kind: null, decision: null, by: null },
  },
  heddle_permissions_waiting: { type: "gauge", help: "Permission requests that wait for an answer." },
  heddle_permission_wait_seconds: {
    type: "histogram",
    help: "Time until a permission request was answered.",
    buckets: LONG_SECONDS,
  },

  heddle_hook_runs_total: {
    type: "counter",
    help: "Hook runs, by event and status.",
    labels: { event: null, status: null },
  },
  heddle_hook_seconds: { type: "histogram", help: "Run time of hooks.", buckets: SECONDS },

  heddle_queued_turns: {
    type: "gauge",
    help: "Queued turns of all threads of the home; a failed one blocks the turns behind it.",
    labels: { state: ["pending", "failed"] },
  },
  heddle_turns_waiting: {
    type: "gauge",
    help: "Turns of the home that wait for an answer which outlives the server, or for the end of a usage limit; at most 1000 of each.",
    labels: { reason: ["question", "usage_limit"] },
  },
  heddle_queue_oldest_seconds: {
    type: "gauge",
    help: "Age of the oldest queued turn; 0 if there is none.",
  },
  heddle_schedule_lag_seconds: {
    type: "gauge",
    help: "How late the longest due schedule of the home is; 0 if none is due.",
  },

  heddle_webhook_deliveries: {
    type: "gauge",
    help: "Deliveries to webhooks of the home: those that wait, and those that were given up and are still listed.",
    labels: { state: ["pending", "abandoned"] },
  },
  heddle_webhook_oldest_seconds: {
    type: "gauge",
    help: "Age of the oldest delivery that waits; 0 if there is none.",
  },
  heddle_webhook_attempts_total: {
    type: "counter",
    help: "Attempts of this server to deliver to webhooks, by result; `abandoned` and `switchedOff` are failures after which nothing is retried.",
    labels: { result: ["delivered", "failed", "abandoned", "switchedOff"] },
  },

  heddle_store_append_seconds: {
    type: "histogram",
    help: "Time until an append to the history is durable.",
    buckets: SHORT_SECONDS,
  },
  heddle_store_append_failures_total: { type: "counter", help: "Appends to the history that were lost." },

  heddle_event_loop_delay_seconds: {
    type: "histogram",
    help: "Delay of a timer that is due ten times a second: time in which the event loop was blocked.",
    buckets: SHORT_SECONDS,
  },
  heddle_cpu_seconds_total: {
    type: "counter",
    help: "Processor time of the server, without its children.",
    labels: { mode: ["user", "system"] },
  },
  heddle_memory_bytes: {
    type: "gauge",
    help: "Memory of the server.",
    labels: { kind: ["rss", "heap_total", "heap_used", "external"] },
  },
  heddle_open_fds: { type: "gauge", help: "Open file descriptors; 0 if the system does not report them." },
} as const satisfies MetricTable;
