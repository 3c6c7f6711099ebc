/** Updates the metrics from the events of the server. */
import type { Clock } from "../../base/clock.ts";
import type { Registry } from "../../base/metrics/registry.ts";
import type { ThreadEvent } from "../../engine/state/events.ts";
import { requestRows } from "../../protocol/generated/table.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import type { DecisionRequest, Verdict } from "../../store/decisions.ts";
import { errorKindOf } from "../observation/error-kind.ts";
import {
  type AnsweredRequest,
  type OnServerEvent,
  type ServerEvent,
  waitedMs,
} from "../observation/server-events.ts";
import type { METRICS } from "./metric-table.ts";

export type ServerRegistry = Registry<typeof METRICS>;

export interface CountOptions {
  readonly registry: ServerRegistry;
  readonly clock: Pick<Clock, "monotonic">;
}

export interface EventCounts {
  readonly onEvent: OnServerEvent;
  turnsRunning(): number;
  permissionsWaiting(): number;
}

export function countEvents({ registry, clock }: CountOptions): EventCounts {
  const turns = createTurnCounts(registry, clock);
  const waiting = createWaiting();
  const countConnection = createConnectionCounts(registry);
  return {
    turnsRunning: turns.running,
    permissionsWaiting: waiting.count,
    onEvent(event) {
      switch (event.type) {
        case "thread":
          if (event.event.type === "turnEnded") waiting.forget(event.event.turnId);
          if (event.event.type === "itemCompleted") return countItem(registry, event.event.item);
          return turns.count(event.event);
        case "connectionOpened":
        case "connectionClosed":
          return countConnection(event);
        case "connectionRefused":
          return registry.add("heddle_connections_refused_total", 1, {
            status: String(event.refused.status),
          });
        case "requestAnswered":
          return countAnswer(registry, event);
        case "modelRequestRetried":
          return registry.add("heddle_model_retries_total", 1, { of: "request" });
        case "webhookAttempted":
          return registry.add("heddle_webhook_attempts_total", 1, { result: event.kind });
        case "permissionAsked":
          return waiting.add(event.request);
        case "permissionAnswered":
          waiting.remove(event.request);
          registry.observe("heddle_permission_wait_seconds", waitedMs(event.request, event.verdict) / 1000);
          return countDecision(registry, event);
        case "permissionDecided":
          return countDecision(registry, event);
        case "clientInitialized":
          return;
      }
    },
  };
}

type ConnectionEvent = Extract<ServerEvent, { type: "connectionOpened" | "connectionClosed" }>;

function createConnectionCounts(registry: ServerRegistry): (event: ConnectionEvent) => void {
  const transports = new Map<number, string>();
  const open = new Map<string, number>();

  function countOpen(transport: string, change: 1 | -1): void {
    const count = (open.get(transport) ?? 0) + change;
    open.set(transport, count);
    registry.set("heddle_connections", count, { transport });
  }

  return (event) => {
    const { id } = event.connection;
    if (event.type === "connectionOpened") {
      const transport = event.origin?.transport ?? "memory";
      transports.set(id, transport);
      registry.add("heddle_connections_opened_total", 1, { transport });
      return countOpen(transport, 1);
    }
    const transport = transports.get(id);
    transports.delete(id);
    registry.add("heddle_connections_closed_total", 1, { reason: event.reason.kind });
    if (transport !== undefined) countOpen(transport, -1);
  };
}

function countAnswer(registry: ServerRegistry, { request, error, durationMs }: AnsweredRequest): void {
  const method = Object.hasOwn(requestRows, request.method) ? request.method : "unknown";
  registry.add("heddle_requests_total", 1, { method });
  registry.observe("heddle_request_seconds", durationMs / 1000);
  if (error !== null) registry.add("heddle_request_errors_total", 1, { method, code: String(error.code) });
}

function countItem(registry: ServerRegistry, item: ThreadItem): void {
  if (item.type !== "commandExecution") return;
  registry.add("heddle_commands_total", 1, { status: item.status });
  if (item.durationMs !== null && item.status !== "declined")
    registry.observe("heddle_command_seconds", item.durationMs / 1000);
}

function countDecision(
  registry: ServerRegistry,
  { request, verdict }: { readonly request: DecisionRequest; readonly verdict: Verdict },
): void {
  const { subject } = request;
  const { outcome: decision, by } = verdict;
  registry.add("heddle_permissions_total", 1, { kind: subject.kind, decision, by: by.kind });
}

/** Pending permission requests. The end of a turn also removes its unanswered ones. */
function createWaiting() {
  const items = new Map<string, Set<string>>();
  return {
    add({ turnId, itemId }: DecisionRequest): void {
      const known = items.get(turnId) ?? new Set();
      items.set(turnId, known.add(itemId));
    },
    remove({ turnId, itemId }: DecisionRequest): void {
      const known = items.get(turnId);
      known?.delete(itemId);
      if (known?.size === 0) items.delete(turnId);
    },
    forget: (turnId: string): void => void items.delete(turnId),
    count: (): number => [...items.values()].reduce((sum, { size }) => sum + size, 0),
  };
}

interface RunningTurn {
  readonly startedAt: number;
  hasAnswered: boolean;
}

function createTurnCounts(registry: ServerRegistry, clock: CountOptions["clock"]) {
  const turns = new Map<string, RunningTurn>();
  const requests = new Map<string, number>();
  const secondsSince = (startedAt: number): number => (clock.monotonic() - startedAt) / 1000;

  function end({ turnId, kind, outcome }: Extract<ThreadEvent, { type: "turnEnded" }>): void {
    const turn = turns.get(turnId);
    turns.delete(turnId);
    registry.add("heddle_turns_total", 1, { kind, end: outcome.kind });
    if (turn !== undefined) registry.observe("heddle_turn_seconds", secondsSince(turn.startedAt));
  }

  function answerBegins(turnId: string): void {
    const turn = turns.get(turnId);
    if (turn === undefined || turn.hasAnswered) return;
    turn.hasAnswered = true;
    registry.observe("heddle_turn_first_delta_seconds", secondsSince(turn.startedAt));
  }

  function answered(event: Extract<ThreadEvent, { type: "modelAnswered" }>): void {
    const { requestId, outcome, error, usage } = event;
    const askedAt = requests.get(requestId);
    requests.delete(requestId);
    registry.add("heddle_model_requests_total", 1, { end: outcome });
    if (askedAt !== undefined) registry.observe("heddle_model_request_seconds", secondsSince(askedAt));
    if (error !== null) registry.add("heddle_model_errors_total", 1, { error: errorKindOf(error).error });
    if (usage === null) return;
    registry.add("heddle_tokens_total", usage.inputTokens, { kind: "input" });
    registry.add("heddle_tokens_total", usage.cachedInputTokens, { kind: "cached_input" });
    registry.add("heddle_tokens_total", usage.outputTokens, { kind: "output" });
    registry.add("heddle_tokens_total", usage.reasoningOutputTokens, { kind: "reasoning" });
  }

  function called({ tool, isDone, ranMs }: Extract<ThreadEvent, { type: "callEnded" }>): void {
    const end = ranMs === null ? "not_run" : isDone ? "done" : "failed";
    registry.add("heddle_tool_calls_total", 1, { tool, end });
    if (ranMs !== null) registry.observe("heddle_tool_seconds", ranMs / 1000);
  }

  return {
    running: () => turns.size,
    count(event: ThreadEvent): void {
      switch (event.type) {
        case "turnStarted":
          return void turns.set(event.turnId, { startedAt: clock.monotonic(), hasAnswered: false });
        case "turnEnded":
          return end(event);
        case "modelAsked":
          return void requests.set(event.requestId, clock.monotonic());
        case "answerBegun":
          return answerBegins(event.turnId);
        case "modelRetried":
          registry.add("heddle_model_errors_total", 1, { error: errorKindOf(event.error).error });
          return registry.add("heddle_model_retries_total", 1, { of: "response" });
        case "modelAnswered":
          return answered(event);
        case "callEnded":
          return called(event);
        case "hookEnded": {
          const { eventName, status, durationMs } = event.run;
          registry.add("heddle_hook_runs_total", 1, { event: eventName, status });
          if (durationMs !== null) registry.observe("heddle_hook_seconds", durationMs / 1000);
          return;
        }
        case "appended":
          if (!event.isPersisted) return registry.add("heddle_store_append_failures_total", 1);
          return registry.observe("heddle_store_append_seconds", event.durationMs / 1000);
        default:
          return;
      }
    },
  };
}
