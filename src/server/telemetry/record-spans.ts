/**
 * Records a span for each turn and its model requests, tool calls, hooks and permissions. A turn belongs to
 * the trace of the request that started it. Spans contain ids, names of models and providers, kinds, times
 * and numbers; never prompts, commands or outputs.
 */
import type { ModelAnswered, ThreadEvent } from "../../engine/state/events.ts";
import type { DecisionRequest, Verdict } from "../../store/decisions.ts";
import { errorKindOf } from "../observation/error-kind.ts";
import type { AnsweredRequest, OnServerEvent } from "../observation/server-events.ts";
import type { Attributes, OpenSpan, SpanContext } from "./sdk/tracer.ts";
import { parseTrace } from "./trace-context.ts";
import {
  createStart,
  createTracedTurns,
  type StartSpan,
  type StartSpanOptions,
  type TracedTurns,
} from "./traced-turns.ts";

export interface RecordSpansOptions extends StartSpanOptions {
  /** The parent of turns whose request has no trace. */
  readonly defaultParent: SpanContext | null;
}

/** Requested turns that have not begun. Ids of running turns, as `turn/steer` returns them, are not added. */
const MAX_AWAITED = 1024;
/** Bounded, because asynchronous hooks may outlive their turns. */
const MAX_OPEN_HOOKS = 1024;
/** The limit of ids and names that clients, models or providers choose. */
const MAX_TEXT = 128;

export function recordSpans(options: RecordSpansOptions): OnServerEvent {
  const { clock, defaultParent } = options;
  const start = createStart(options);
  const turns = createTracedTurns(start, clock);
  const traces = createAwaitedTraces(turns);
  const hooks = createHookSpans(start, turns, options);

  function onThreadEvent(threadId: string, event: ThreadEvent): void {
    switch (event.type) {
      case "turnStarted": {
        const { turnId, kind } = event;
        const known = { "thread.id": threadId, "turn.id": turnId, "turn.kind": kind };
        return turns.begin(turnId, traces.take(turnId) ?? defaultParent, known);
      }
      case "turnEnded": {
        const { turnId, outcome } = event;
        const error = outcome.kind === "failed" ? errorKindOf(outcome.error).error : null;
        return turns.end(turnId, { error, attributes: { "turn.status": outcome.kind } });
      }
      case "modelAsked": {
        const { turnId, requestId, provider, model } = event;
        const known = { "gen_ai.provider.name": clip(provider), "gen_ai.request.model": clip(model) };
        const span = { name: "model request", kind: "client", attributes: known } as const;
        return turns.beginPart(turnId, modelKey(requestId), span);
      }
      case "modelAnswered": {
        const error = event.error === null ? null : errorKindOf(event.error).error;
        const attributes = describeAnswer(event);
        return turns.endPart(event.turnId, modelKey(event.requestId), { error, attributes });
      }
      case "callBegun": {
        const { turnId, callId } = event;
        const known = { "tool.call_id": clip(callId) };
        const span = { name: "tool call", kind: "internal", attributes: known } as const;
        return turns.beginPart(turnId, callKey(callId), span);
      }
      case "callEnded": {
        const { turnId, callId, tool, isDone, ranMs } = event;
        const ran = ranMs === null ? {} : { "tool.duration_ms": Math.round(ranMs) };
        const error = isDone ? null : "toolFailed";
        return turns.endPart(turnId, callKey(callId), { error, attributes: { "tool.name": tool, ...ran } });
      }
      case "hookBegun":
        return hooks.begin(event);
      case "hookEnded":
        return hooks.end(event);
      default:
        return;
    }
  }

  return (event) => {
    switch (event.type) {
      case "thread":
        return onThreadEvent(event.threadId, event.event);
      case "requestAnswered":
        return traces.expect(event);
      case "permissionAnswered":
      case "permissionDecided":
        return recordPermission(start, turns, event.request, event.verdict);
      default:
        return;
    }
  };
}

/** Traces of turns that have not begun: `turn/start` is answered before its turn begins. */
function createAwaitedTraces(turns: TracedTurns) {
  const awaited = new Map<string, SpanContext>();
  return {
    expect({ request, result }: AnsweredRequest): void {
      const parent = request.trace === undefined ? null : parseTrace(request.trace);
      const turnId = (result as { readonly turn?: { readonly id?: unknown } } | null | undefined)?.turn?.id;
      if (parent === null || typeof turnId !== "string" || turns.has(turnId)) return;
      const [oldest] = awaited.keys();
      if (awaited.size >= MAX_AWAITED && oldest !== undefined) awaited.delete(oldest);
      awaited.set(turnId, parent);
    },
    take(turnId: string): SpanContext | undefined {
      const parent = awaited.get(turnId);
      awaited.delete(turnId);
      return parent;
    },
  };
}

function createHookSpans(start: StartSpan, turns: TracedTurns, { clock }: RecordSpansOptions) {
  const open = new Map<string, OpenSpan>();
  return {
    begin({ turnId, callId, run }: Extract<ThreadEvent, { type: "hookBegun" }>): void {
      if (open.size >= MAX_OPEN_HOOKS) return;
      const { runId, eventName, handlerType } = run;
      const parent = turns.parentIn(turnId, callId === null ? null : callKey(callId));
      const attributes = { "hook.event": eventName, "hook.handler": handlerType, "hook.run_id": runId };
      open.set(runId, start({ name: "hook", kind: "internal", parent, attributes }));
    },
    end({ run: { runId, status } }: Extract<ThreadEvent, { type: "hookEnded" }>): void {
      const error = status === "failed" ? "hookFailed" : null;
      open.get(runId)?.end(clock.now(), { error, attributes: { "hook.status": status } });
      open.delete(runId);
    },
  };
}

/** A permission span is recorded after its decision: from the request to the recorded verdict. */
function recordPermission(
  start: StartSpan,
  turns: TracedTurns,
  request: DecisionRequest,
  verdict: Verdict,
): void {
  const { turnId, itemId, subject, atMs } = request;
  const parent = turns.parentIn(turnId, callKey(itemId));
  const known = { "permission.kind": subject.kind, "item.id": clip(itemId) };
  const decided = { "permission.decision": verdict.outcome, "permission.by": verdict.by.kind };
  const span = start({ name: "permission", kind: "internal", parent, attributes: known }, atMs);
  span.end(Math.max(atMs, verdict.atMs), { error: null, attributes: decided });
}

const modelKey = (requestId: string): string => `model ${requestId}`;
const callKey = (callId: string): string => `call ${callId}`;

function clip(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

function describeAnswer({ outcome, error, usage }: ModelAnswered): Attributes {
  const status = error === null ? null : errorKindOf(error).httpStatus;
  return {
    "model.status": outcome,
    ...(status !== null && { "http.response.status_code": status }),
    ...(usage !== null && {
      "gen_ai.usage.input_tokens": usage.inputTokens,
      "gen_ai.usage.cached_input_tokens": usage.cachedInputTokens,
      "gen_ai.usage.output_tokens": usage.outputTokens,
      "gen_ai.usage.reasoning_output_tokens": usage.reasoningOutputTokens,
    }),
  };
}
