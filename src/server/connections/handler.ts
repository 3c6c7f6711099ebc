import { isRefusal, type Refusal } from "../../base/refusal.ts";
import type { ConfigResult } from "../../config/config-error.ts";
import type { JsonPieces } from "../../jsonrpc/message.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import { errorCodes } from "../../protocol/errors.ts";
import type { ThreadMethod } from "../../protocol/generated/table.ts";
import type { AccessScope, ClientRequests } from "../../protocol/generated/types.ts";
import {
  configOutcome,
  storeOutcome,
  type ThreadRefusal,
  type ThreadRefusalReason,
} from "../../runtime/configuration/thread-refusal.ts";
import type { LaneHeld } from "../../runtime/threads/lane.ts";
import type { ClientConnection } from "./client-connection.ts";

export type RequestMethod = keyof ClientRequests;
export type ParamsOf<M extends RequestMethod> = ClientRequests[M]["params"];
export type ResultOf<M extends RequestMethod> = ClientRequests[M]["result"];

/** The context of a request besides its params. */
export interface RequestContext {
  readonly connection: ClientConnection;
  /** Runs `task` after the response was sent, for notifications that must follow it. */
  afterResponse(task: () => void): void;
}

/** The context of a request that runs in the lane of its thread. */
export interface ThreadRequestContext extends RequestContext {
  readonly lane: LaneHeld;
}

/** Thrown before a handler has any effect if the request belongs in the lane of another thread. */
export class WrongLane extends Error {
  readonly threadId: string;

  constructor(threadId: string) {
    super(`the request belongs in the lane of thread ${threadId}`);
    this.threadId = threadId;
  }
}

export type Handler<M extends RequestMethod> = (
  params: ParamsOf<M>,
  context: M extends ThreadMethod ? ThreadRequestContext : RequestContext,
) => Result<M> | Promise<Result<M>>;

/** A result, or its JSON in pieces if it may be large. */
type Result<M extends RequestMethod> = ResultOf<M> | (M extends LargeMethod ? JsonPieces : never);

type LargeMethod = "fs/readFile" | "thread/read" | "thread/resume" | "thread/fork";

/** Handlers of some methods, each typed by its row. */
export type Handlers<M extends RequestMethod> = { readonly [K in M]: Handler<K> };

export function invalidRequest(message: string, data?: unknown): RpcError {
  return new RpcError(errorCodes.invalidRequest, message, data);
}

export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(errorCodes.invalidParams, message, data);
}

/** The connection lacks a scope. */
export function forbidden(
  message: string,
  data: { readonly method: string; readonly scope: AccessScope },
): RpcError {
  return new RpcError(errorCodes.forbidden, message, data);
}

export function toProtocolError({ reason, message, data }: ThreadRefusal): RpcError {
  return new RpcError(CODES[reason] ?? errorCodes.invalidRequest, message, data);
}

const CODES: Partial<Record<ThreadRefusalReason, number>> = {
  invalidParams: errorCodes.invalidParams,
  notSupported: errorCodes.methodNotFound,
  unavailable: errorCodes.internalError,
};

/** Returns the value of an outcome, or throws its refusal as an error of the protocol. */
export function unwrap<T>(outcome: T): Exclude<T, Refusal> {
  if (isRefusal(outcome)) throw toProtocolError(outcome as ThreadRefusal);
  return outcome as Exclude<T, Refusal>;
}

/** `unwrap` for outcomes of the store. */
export function unwrapStored<T>(answer: T): Exclude<T, Refusal> {
  return unwrap(storeOutcome(answer));
}

/** `unwrap` for results of the configuration. */
export function unwrapConfig<T>(result: ConfigResult<T>): Exclude<T, Refusal> {
  return unwrap(configOutcome(result));
}

export function notSupportedYet(what: string): RpcError {
  return new RpcError(errorCodes.methodNotFound, `${what} is not supported yet`);
}
