import type { ErrorObject } from "./message.ts";

/** An error as it crosses the wire: thrown by whoever answers a request, received by whoever asked. */
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

/** A request that lost its connection, or its caller, before it was answered. */
export class RequestAbandoned extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RequestAbandoned";
  }
}
