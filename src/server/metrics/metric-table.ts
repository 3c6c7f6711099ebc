/**
 * Every metric of a server. The documents' table, the dashboard's check and what is exported follow from this. A label's
 * value is a word of ours or of the protocol: never anything that a user, a client, a model or a provider has chosen.
 */
import type { MetricTable } from "../../base/metrics/registry.ts";

/** From a loopback round trip to a minute of thinking. */
const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;
/** Work of whole turns, and waiting for people. */
const LONG_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600] as const;
/** What the machine does by itself. */
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
    help: "Connections of clients that are open.",
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
    help: "Callers that were turned away, by HTTP status.",
    labels: { status: null },
  },

  heddle_requests_total: {
    type: "counter",
    help: "Requests that were answered, by method; one that is not of the protocol is unknown.",
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

  heddle_threads_loaded: { type: "gauge", help: "Threads that are loaded." },
  heddle_turns_running: { type: "gauge", help: "Turns that run." },
  heddle_turns_total: {
    type: "counter",
    help: "Turns that have ended, by kind and by how.",
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
    help: "Responses that were asked for, by how they ended; a broken one was asked for again from where it broke.",
    labels: { end: ["completed", "failed", "broken", "interrupted"] },
  },
  heddle_model_request_seconds: {
    type: "histogram",
    help: "Time from asking for a response to its end, retries included.",
    buckets: SECONDS,
  },
  heddle_model_errors_total: {
    type: "counter",
    help: "Failures of providers, by kind of error, whether they were tried again or not.",
    labels: { error: null },
  },
  heddle_model_retries_total: {
    type: "counter",
    help: "Requests that were sent again before any answer, and responses that broke and were asked for again.",
    labels: { of: ["request", "response"] },
  },
  heddle_tokens_total: {
    type: "counter",
    help: "Tokens as providers count them. Cached input is part of input, and reasoning part of output.",
    labels: { kind: ["input", "cached_input", "output", "reasoning"] },
  },

  heddle_tool_calls_total: {
    type: "counter",
    help: "Calls of the model, by tool (all of MCP servers are mcp, all of clients dynamic) and by how they ended.",
    labels: { tool: null, end: null },
  },
  heddle_tool_seconds: {
    type: "histogram",
    help: "Time that tools have run, waiting for permission included.",
    buckets: SECONDS,
  },
  heddle_commands_total: {
    type: "counter",
    help: "Commands of models and users that have ended.",
    labels: { status: ["completed", "failed", "declined"] },
  },
  heddle_command_seconds: { type: "histogram", help: "Time that commands have run.", buckets: SECONDS },

  heddle_permissions_total: {
    type: "counter",
    help: "Decisions about permissions: what they were about, what was decided, and by whom or what.",
    labels: { kind: null, decision: null, by: null },
  },
  heddle_permissions_waiting: { type: "gauge", help: "Permissions that somebody is asked for now." },
  heddle_permission_wait_seconds: {
    type: "histogram",
    help: "Time for which an answer was waited for, where somebody was asked.",
    buckets: LONG_SECONDS,
  },

  heddle_hook_runs_total: {
    type: "counter",
    help: "Runs of hooks, by event and by how they ended.",
    labels: { event: null, status: null },
  },
  heddle_hook_seconds: { type: "histogram", help: "Time that hooks have run.", buckets: SECONDS },

  heddle_queued_turns: {
    type: "gauge",
    help: "Queued turns of all threads of the home; those that could not be started hold up the ones behind them.",
    labels: { state: ["pending", "failed"] },
  },
  heddle_queue_oldest_seconds: {
    type: "gauge",
    help: "Age of the oldest queued turn; 0 where there is none.",
  },

  heddle_store_append_seconds: {
    type: "histogram",
    help: "Time from an append to the history until it is kept.",
    buckets: SHORT_SECONDS,
  },
  heddle_store_append_failures_total: { type: "counter", help: "Appends to the history that were lost." },

  heddle_event_loop_delay_seconds: {
    type: "histogram",
    help: "How late a timer fires that is due ten times a second: time in which the server answered nobody.",
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
  heddle_open_fds: { type: "gauge", help: "Open file descriptors; 0 where the system does not tell." },
} as const satisfies MetricTable;
