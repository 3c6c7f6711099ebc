import type { ConnectionOrigin } from "./transport.ts";

/** An HTTP error response. */
export interface HttpRefusal {
  readonly status: number;
  /** One line without any text of the caller. */
  readonly reason: string;
}

/** A rejected request, for the log. */
export interface RefusedRequest extends HttpRefusal {
  readonly origin: ConnectionOrigin;
  /** The `Host` and `Origin` headers, which are untrusted. */
  readonly host: string | null;
  readonly page: string | null;
}
