/**
 * The events of a server, for its operator. Log, metrics and traces are all derived from them, and nothing
 * else in the server knows of log, metrics and traces. Without listeners no event is created.
 */
import type { Clock } from "../../base/clock.ts";
import type { ThreadEvent } from "../../engine/state/events.ts";
import type { ErrorObject, RequestMessage } from "../../jsonrpc/message.ts";
import type { Responder } from "../../jsonrpc/peer.ts";
import type { AttemptKind } from "../../runtime/webhooks/deliverer.ts";
import type { DecisionRequest, Decisions, Verdict } from "../../store/decisions.ts";
import type { RefusedRequest } from "../../transport/refusal.ts";
import type { CloseReason, Transport } from "../../transport/transport.ts";
import type { ClientConnection } from "../connections/client-connection.ts";

export type ServerEvent =
  | {
      readonly type: "connectionOpened";
      readonly connection: ClientConnection;
      readonly origin: Transport["origin"];
    }
  /** The client has completed its handshake. */
  | { readonly type: "clientInitialized"; readonly connection: ClientConnection }
  | { readonly type: "connectionClosed"; readonly connection: ClientConnection; readonly reason: CloseReason }
  /** A listener refused a connection or request. */
  | { readonly type: "connectionRefused"; readonly refused: RefusedRequest }
  | AnsweredRequest
  | { readonly type: "thread"; readonly threadId: string; readonly event: ThreadEvent }
  /** A request to a provider is retried; `status` is null if there was no response. */
  | { readonly type: "modelRequestRetried"; readonly status: number | null }
  | { readonly type: "webhookAttempted"; readonly kind: AttemptKind }
  | { readonly type: "permissionAsked"; readonly request: DecisionRequest }
  | { readonly type: "permissionAnswered"; readonly request: DecisionRequest; readonly verdict: Verdict }
  /** The policy or a hook decided, without asking a client. */
  | { readonly type: "permissionDecided"; readonly request: DecisionRequest; readonly verdict: Verdict };

/** A request was answered. The result is undefined for an error. */
export interface AnsweredRequest {
  readonly type: "requestAnswered";
  readonly request: RequestMessage;
  readonly result: unknown;
  readonly error: ErrorObject | null;
  readonly durationMs: number;
}

/** Called in the order of events. A listener must be synchronous and must not throw. */
export type OnServerEvent = (event: ServerEvent) => void;

export interface ServerEvents {
  readonly hasListeners: boolean;
  readonly publish: OnServerEvent;
  addListener(listener: OnServerEvent): void;
  /** Returns a responder that publishes an event for its response. */
  instrumentReply(request: RequestMessage, reply: Responder): Responder;
  /** Returns decisions that publish an event for each one. */
  observeDecisions(decisions: Decisions): Decisions;
}

export function createServerEvents({ clock }: { readonly clock: Pick<Clock, "monotonic"> }): ServerEvents {
  const listeners: OnServerEvent[] = [];
  function publish(event: ServerEvent): void {
    for (const listener of listeners) listener(event);
  }
  return {
    get hasListeners() {
      return listeners.length > 0;
    },
    publish,
    addListener: (listener) => void listeners.push(listener),
    instrumentReply: (request, reply) =>
      listeners.length === 0 ? reply : instrumentReply(request, reply, clock, publish),
    observeDecisions: (decisions) => observeDecisions(decisions, publish),
  };
}

function instrumentReply(
  request: RequestMessage,
  reply: Responder,
  clock: Pick<Clock, "monotonic">,
  publish: OnServerEvent,
): Responder {
  const startedAt = clock.monotonic();
  let isPublished = false;
  const publishAnswer = (result: unknown, error: ErrorObject | null): void => {
    if (isPublished) return;
    isPublished = true;
    const durationMs = clock.monotonic() - startedAt;
    publish({ type: "requestAnswered", request, result, error, durationMs });
  };
  return {
    result(value) {
      // Throws if the value cannot be sent; the request is then answered with an error.
      reply.result(value);
      publishAnswer(value, null);
    },
    error(error) {
      reply.error(error);
      publishAnswer(undefined, error);
    },
  };
}

function observeDecisions(decisions: Decisions, publish: OnServerEvent): Decisions {
  return {
    ...decisions,
    async record(source, request, verdict) {
      const recorded = await decisions.record(source, request, verdict);
      if (recorded.kind === "kept" && recorded.decision.verdict !== null)
        publish({
          type: "permissionDecided",
          request: recorded.decision,
          verdict: recorded.decision.verdict,
        });
      return recorded;
    },
    async open(...given) {
      const recorded = await decisions.open(...given);
      if (recorded.kind === "kept") publish({ type: "permissionAsked", request: recorded.decision });
      return recorded;
    },
    async close(source, asked, given) {
      const closed = await decisions.close(source, asked, given);
      if (closed.kind === "closed")
        publish({ type: "permissionAnswered", request: asked, verdict: closed.verdict });
      return closed;
    },
  };
}

/** The time until an answer. Not negative, although the wall clock may have been set in between. */
export function waitedMs(request: DecisionRequest, verdict: Verdict): number {
  return Math.max(0, verdict.atMs - request.atMs);
}
