/**
 * What a server does, for those who run it: its log, its metrics and its traces are all derived from these events, and
 * nothing else in the server knows of them. Where nobody listens, nothing is made for it.
 */
import type { Clock } from "../../base/clock.ts";
import type { ThreadEvent } from "../../engine/state/events.ts";
import type { ErrorObject, RequestMessage } from "../../jsonrpc/message.ts";
import type { Responder } from "../../jsonrpc/peer.ts";
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
  /** The client has said who it is. */
  | { readonly type: "clientInitialized"; readonly connection: ClientConnection }
  | { readonly type: "connectionClosed"; readonly connection: ClientConnection; readonly reason: CloseReason }
  /** A caller was turned away. */
  | { readonly type: "connectionRefused"; readonly refused: RefusedRequest }
  | AnsweredRequest
  | { readonly type: "thread"; readonly threadId: string; readonly event: ThreadEvent }
  /** A request to a provider is sent again; null where it got no answer. */
  | { readonly type: "modelRequestRetried"; readonly status: number | null }
  | { readonly type: "permissionAsked"; readonly request: DecisionRequest }
  | { readonly type: "permissionAnswered"; readonly request: DecisionRequest; readonly verdict: Verdict }
  /** Nobody was asked. */
  | { readonly type: "permissionDecided"; readonly request: DecisionRequest; readonly verdict: Verdict };

/** A client has its answer; the result is undefined where that is an error. */
export interface AnsweredRequest {
  readonly type: "requestAnswered";
  readonly request: RequestMessage;
  readonly result: unknown;
  readonly error: ErrorObject | null;
  readonly durationMs: number;
}

/** Events arrive in their order. A listener never waits and never throws. */
export type OnServerEvent = (event: ServerEvent) => void;

export interface ServerEvents {
  readonly hasListeners: boolean;
  readonly publish: OnServerEvent;
  addListener(listener: OnServerEvent): void;
  /** The same way to answer a request, of which listeners hear. */
  instrumentReply(request: RequestMessage, reply: Responder): Responder;
  /** The same decisions, of which listeners hear. */
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
  let isTold = false;
  const tell = (result: unknown, error: ErrorObject | null): void => {
    if (isTold) return;
    isTold = true;
    const durationMs = clock.monotonic() - startedAt;
    publish({ type: "requestAnswered", request, result, error, durationMs });
  };
  return {
    result(value) {
      // What cannot be sent throws, and is answered with an error instead.
      reply.result(value);
      tell(value, null);
    },
    error(error) {
      reply.error(error);
      tell(undefined, error);
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
    async open(source, request) {
      const recorded = await decisions.open(source, request);
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

/** How long an answer was waited for, by a clock that may have been set in the meantime. */
export function waitedMs(request: DecisionRequest, verdict: Verdict): number {
  return Math.max(0, verdict.atMs - request.atMs);
}
