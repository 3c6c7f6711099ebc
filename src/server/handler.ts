import { RpcError } from "../jsonrpc/rpc-error.ts";
import { errorCodes } from "../protocol/errors.ts";
import type { ClientRequests } from "../protocol/generated/types.ts";
import type { Connection } from "./connections/connection.ts";

export type Method = keyof ClientRequests;
export type ParamsOf<M extends Method> = ClientRequests[M]["params"];
export type ResultOf<M extends Method> = ClientRequests[M]["result"];

/** What a handler knows of the request besides its params. */
export interface RequestContext {
  readonly connection: Connection;
  /** Runs `task` once the answer is on its way: for what clients are to hear after it. */
  afterReply(task: () => void): void;
}

export type Handler<M extends Method> = (
  params: ParamsOf<M>,
  context: RequestContext,
) => ResultOf<M> | Promise<ResultOf<M>>;

/** The handlers of some methods, checked against their rows one by one. */
export type Handlers<M extends Method> = { readonly [K in M]: Handler<K> };

export function invalidRequest(message: string, data?: unknown): RpcError {
  return new RpcError(errorCodes.invalidRequest, message, data);
}

export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(errorCodes.invalidParams, message, data);
}
