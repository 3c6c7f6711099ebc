import type { ConnectionOrigin } from "./transport.ts";

/** Why a request is turned away. */
export interface HttpRefusal {
  readonly status: number;
  /** One line, in words that are ours. */
  readonly reason: string;
}

/** A request that was turned away. */
export interface RefusedRequest extends HttpRefusal {
  readonly origin: ConnectionOrigin;
  /** What the request calls itself and its page; whatever a caller likes. */
  readonly host: string | null;
  readonly page: string | null;
}
