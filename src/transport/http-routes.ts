/** The port between a listener and the code that answers its requests other than upgrades. */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { TokenHolder } from "./token-holder.ts";

/** Routes by path and method. */
export interface HttpRoutes {
  /** Must not throw: an unknown path has a route as well, which refuses. */
  find(request: RouteRequest): FoundRoute;
}

export interface FoundRoute {
  readonly access: HttpAccess;
  /** Part of every answer of the route, also of a refusal. */
  readonly headers: AnswerHeaders;
  /** Called once, after the access was granted. The holder is null if the request has no token that names one. */
  answer(holder: TokenHolder | null): Promise<HttpAnswer>;
}

/**
 * Who gets an answer: `anyone` that passes the gate; a holder of the `token`, if the listener requires one; or a `client`
 * that could open a WebSocket with this token, which excludes sandboxed commands.
 */
export type HttpAccess = "anyone" | "token" | "client";

export type AnswerHeaders = Readonly<Record<string, string>>;

export interface RouteRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** The origin of the web page that may read the answer; null without a page, or if no page may. */
  readonly allowedOrigin: string | null;
  readonly body: Readable;
  /** Whether the page of this server sent the request, by the headers that only browsers can set. */
  readonly isOwnPage: boolean;
  readonly caller: RequestCaller;
  /** Aborted when the connection or the answer has ended, and when the listener closes: a long answer then ends itself. */
  readonly signal: AbortSignal;
}

export interface RequestCaller {
  /** Without a port; null for a unix socket. */
  readonly address: string | null;
  readonly isSecure: boolean;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Null without a body. The parts of an iterable are sent one by one: none is requested before the last one is sent. */
  readonly body: string | Buffer | null | AsyncIterable<string | Buffer>;
}

/** An answer of one line. */
export function plainAnswer(status: number, body: string, headers: AnswerHeaders = {}): HttpAnswer {
  return { status, body, headers: { "content-type": "text/plain; charset=utf-8", ...headers } };
}
