/** Why there is no connection. */
export type ConnectionFault =
  /** It could not be opened: nobody listens there, or the server refused it. */
  | "refused"
  /** It broke. */
  | "lost"
  /** This side has closed it. */
  | "closed";

/** Of everything that fails because there is no connection; what the server refuses is an `RpcError`. */
export class ConnectionError extends Error {
  readonly kind: ConnectionFault;
  /** The status of HTTP with which the server refused: 401 for a wrong token, 403 for a caller it does not serve. */
  readonly status: number | null;
  /** Whether a request may have been carried out although its response never came. */
  readonly mayBeDone: boolean;

  constructor(
    kind: ConnectionFault,
    message: string,
    { status = null, mayBeDone = false, cause }: ConnectionErrorOptions = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "ConnectionError";
    this.kind = kind;
    this.status = status;
    this.mayBeDone = mayBeDone;
  }
}

export interface ConnectionErrorOptions {
  readonly status?: number | null;
  readonly mayBeDone?: boolean;
  readonly cause?: unknown;
}
