import type { JsonPieces } from "../../jsonrpc/message.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import { errorCodes } from "../../protocol/errors.ts";
import type { ClientRequests } from "../../protocol/generated/types.ts";
import type { Refusal, RefusalReason } from "../../runtime/configuration/refusal.ts";
import type { Connection } from "./connection.ts";

export type Method = keyof ClientRequests;
export type ParamsOf<M extends Method> = ClientRequests[M]["params"];
export type ResultOf<M extends Method> = ClientRequests[M]["result"];

/** What a handler knows of the request besides its params. */
export interface RequestContext {
  readonly connection: Connection;
  /** Runs `task` once the response is on its way: for what clients are to hear after it. */
  afterResponse(task: () => void): void;
}

export type Handler<M extends Method> = (
  params: ParamsOf<M>,
  context: RequestContext,
) => Result<M> | Promise<Result<M>>;

/** A result, or the JSON of one in pieces where it may be large. */
type Result<M extends Method> = ResultOf<M> | (M extends "fs/readFile" ? JsonPieces : never);

/** The handlers of some methods, checked against their rows one by one. */
export type Handlers<M extends Method> = { readonly [K in M]: Handler<K> };

export function invalidRequest(message: string, data?: unknown): RpcError {
  return new RpcError(errorCodes.invalidRequest, message, data);
}

export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(errorCodes.invalidParams, message, data);
}

/** The error of the protocol for a refusal. */
export function errorOf({ reason, message, data }: Pick<Refusal, "reason" | "message" | "data">): RpcError {
  return new RpcError(CODES[reason] ?? errorCodes.invalidRequest, message, data);
}

const CODES: Partial<Record<RefusalReason, number>> = {
  invalidParams: errorCodes.invalidParams,
  notSupported: errorCodes.methodNotFound,
  unavailable: errorCodes.internalError,
};

/** What a handler goes on with; a refusal answers the request. */
export function unwrap<T extends object>(answer: T | Refusal): T {
  if ("kind" in answer && answer.kind === "refused") throw errorOf(answer);
  return answer as T;
}
