import type { ErrorObject } from "./message.ts";

/** A JSON-RPC error: thrown by request handlers, and rejected to the caller of a request. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }

  toObject(): ErrorObject {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** A request was cancelled, or its connection closed, before the response. */
export class RequestAbandoned extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RequestAbandoned";
  }
}
