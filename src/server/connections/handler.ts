import { isRefusal, type Refusal } from "../../base/refusal.ts";
import type { ConfigResult } from "../../config/config-error.ts";
import type { JsonPieces } from "../../jsonrpc/message.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import { errorCodes } from "../../protocol/errors.ts";
import type { ThreadMethod } from "../../protocol/generated/table.ts";
import type { ClientRequests } from "../../protocol/generated/types.ts";
import {
  configOutcome,
  storeOutcome,
  type ThreadRefusal,
  type ThreadRefusalReason,
} from "../../runtime/configuration/thread-refusal.ts";
import type { LaneHeld } from "../../runtime/threads/lane.ts";
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

/** Of a request that runs in the lane of its thread. */
export interface ThreadRequestContext extends RequestContext {
  readonly lane: LaneHeld;
}

/** Thrown before a handler has any effect, where the request belongs into the lane of another thread. */
export class WrongLane extends Error {
  readonly threadId: string;

  constructor(threadId: string) {
    super(`the request belongs into the lane of thread ${threadId}`);
    this.threadId = threadId;
  }
}

export type Handler<M extends Method> = (
  params: ParamsOf<M>,
  context: M extends ThreadMethod ? ThreadRequestContext : RequestContext,
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
export function errorOf({ reason, message, data }: ThreadRefusal): RpcError {
  return new RpcError(CODES[reason] ?? errorCodes.invalidRequest, message, data);
}

const CODES: Partial<Record<ThreadRefusalReason, number>> = {
  invalidParams: errorCodes.invalidParams,
  notSupported: errorCodes.methodNotFound,
  unavailable: errorCodes.internalError,
};

/** The value that a handler works with; a refusal becomes the error that the request is answered with. */
export function unwrap<T>(outcome: T): Exclude<T, Refusal> {
  if (isRefusal(outcome)) throw errorOf(outcome as ThreadRefusal);
  return outcome as Exclude<T, Refusal>;
}

/** The same for what the store answered. */
export function unwrapStored<T>(answer: T): Exclude<T, Refusal> {
  return unwrap(storeOutcome(answer));
}

/** The same for what the configuration answered. */
export function unwrapConfig<T>(result: ConfigResult<T>): Exclude<T, Refusal> {
  return unwrap(configOutcome(result));
}

export function notSupportedYet(what: string): RpcError {
  return new RpcError(errorCodes.methodNotFound, `${what} is not supported yet`);
}
