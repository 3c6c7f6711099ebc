/** Why there is no connection. */
export type ConnectionFault =
  /** It could not be opened: no server listens there, or the server refused it. */
  | "refused"
  /** It broke. */
  | "lost"
  /** This side has closed it. */
  | "closed";

/** Every failure caused by a missing connection; a refusal of the server is an `RpcError`. */
export class ConnectionError extends Error {
  readonly kind: ConnectionFault;
  /**
   * The HTTP status with which the server refused: 401 for a wrong token, 403 for a caller it does not serve.
   */
  readonly status: number | null;
  /** Whether a request may have been executed although its response never arrived. */
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
