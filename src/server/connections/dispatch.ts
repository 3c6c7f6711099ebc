import { AppError } from "../../base/errors.ts";
import type { Lanes } from "../../base/lanes.ts";
import type { Logger } from "../../base/logger.ts";
import { logFailure } from "../../base/tasks.ts";
import type { ErrorObject, RequestMessage } from "../../jsonrpc/message.ts";
import type { Responder } from "../../jsonrpc/peer.ts";
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import { errorCodes } from "../../protocol/errors.ts";
import { LaneHeld } from "../../runtime/threads/lane.ts";
import { type AdmissionOptions, type AdmittedRequest, admit, type UntypedHandler } from "./admit.ts";
import { type ClientConnection, finishRequest, OVERLOADED } from "./client-connection.ts";
import { WrongLane } from "./handler.ts";
import { type LaneChoice, laneOf, laneOfThread } from "./lane-of.ts";
import { NotSupported } from "./unserved-methods.ts";

export interface RequestDispatcherOptions extends AdmissionOptions {
  readonly lanes: Lanes;
  readonly log: Logger;
  /** Describes a fault of the machine (a file, the disk) for users; null for any other error. */
  readonly describeFault: (error: unknown) => string | null;
  /** Further requests of a connection with this many in flight are rejected as overload. */
  readonly maxInFlight: () => number;
  /** Notifies the user of a client why a method is not served, for methods that have an explanation. */
  readonly explain: (connection: ClientConnection, method: string) => void;
}

/** Looks up the row of a request, validates its params, checks the gate, and runs the handler in the request's lane. */
export function createRequestDispatcher(options: RequestDispatcherOptions) {
  const { lanes, log, maxInFlight, explain } = options;
  const toError = (error: unknown) => toRpcError(error, options).toObject();

  function dispatch(connection: ClientConnection, request: RequestMessage, reply: Responder): void {
    if (connection.greeting !== null) {
      // The greeting is not a request, but counts as in flight.
      if (connection.inFlight > maxInFlight()) return reply.error(OVERLOADED);
      connection.inFlight += 1;
      void connection.greeting.then(() => {
        connection.inFlight -= 1;
        dispatch(connection, request, reply);
        if (connection.inFlight === 0) connection.onIdle();
      });
      return;
    }
    let admitted: AdmittedRequest;
    try {
      admitted = admit(connection, request, options);
    } catch (error) {
      reply.error(toError(error));
      if (error instanceof NotSupported) explain(connection, request.method);
      return;
    }
    if (connection.inFlight >= maxInFlight()) return reply.error(OVERLOADED);
    connection.inFlight += 1;
    const { handler, row } = admitted;
    const call = { connection, request, reply, handler };
    enter(call, laneOf(row.order, request.params, connection.id), 0);
  }

  function enter(call: HandlerCall, lane: LaneChoice | null, moves: number): void {
    if (lane === null) void run(call, null, moves);
    else lanes.run(lane.key, lane.access, () => run(call, lane, moves));
  }

  function run(call: HandlerCall, lane: LaneChoice | null, moves: number): void | Promise<void> {
    const { connection } = call;
    if (connection.backlog.isCrowded()) return deferUntilCaughtUp(connection, () => enter(call, lane, moves));
    const held = lane === null || lane.threadId === null ? null : new LaneHeld(lane.threadId);
    const reenter =
      held === null || moves >= MAX_LANE_MOVES
        ? null
        : (threadId: string) => enter(call, laneOfThread(threadId), moves + 1);
    return new RunningHandler(call, held, { reenter, toError, log }).run();
  }

  return dispatch;
}

/**
 * Back-pressure: requests of a client that has not read its earlier responses are deferred. They leave their lanes, so
 * that other clients are not blocked, and enter them again in the same order; if the client disconnects, they never run.
 */
function deferUntilCaughtUp(connection: ClientConnection, enter: () => void): void {
  void connection.backlog.whenCaughtUp().then(() => {
    if (connection.handshake.phase === "closed") finishRequest(connection);
    else enter();
  });
}

/** A path may lead to another thread each time that it is resolved. */
const MAX_LANE_MOVES = 3;

interface HandlerCall {
  readonly connection: ClientConnection;
  readonly request: RequestMessage;
  readonly reply: Responder;
  readonly handler: UntypedHandler;
}

interface HandlerEnvironment {
  /** Runs the request again, in the lane of another thread; null where it has moved often enough. */
  readonly reenter: ((threadId: string) => void) | null;
  readonly toError: (error: unknown) => ErrorObject;
  readonly log: Logger;
}

/** Runs a handler and sends its response, in the same tick if the handler is synchronous. */
class RunningHandler {
  readonly #call: HandlerCall;
  /** Null if the request does not run in the lane of a thread. */
  readonly #held: LaneHeld | null;
  readonly #environment: HandlerEnvironment;
  #followUps: (() => void)[] | null = null;

  constructor(call: HandlerCall, held: LaneHeld | null, environment: HandlerEnvironment) {
    this.#call = call;
    this.#held = held;
    this.#environment = environment;
  }

  run(): void | Promise<void> {
    const { connection, request, handler } = this.#call;
    const afterResponse = (task: () => void) => void (this.#followUps ??= []).push(task);
    const held = this.#held;
    const context = held === null ? { connection, afterResponse } : { connection, afterResponse, lane: held };
    let outcome: unknown;
    try {
      outcome = handler(request.params ?? {}, context);
    } catch (error) {
      return this.#fail(error);
    }
    if (!(outcome instanceof Promise)) return this.#succeed(outcome);
    return outcome.then(
      (value) => this.#succeed(value),
      (error: unknown) => this.#fail(error),
    );
  }

  #succeed(value: unknown): void {
    try {
      this.#call.reply.result(value);
    } catch (error) {
      this.#refuse(error instanceof RangeError ? TOO_LARGE : error);
    }
    this.#finish();
  }

  #fail(error: unknown): void {
    const held = this.#held;
    const { reenter } = this.#environment;
    if (error instanceof WrongLane && held !== null && reenter !== null) {
      held.release();
      return reenter(error.threadId);
    }
    this.#refuse(error);
    this.#finish();
  }

  #refuse(error: unknown): void {
    const { reply } = this.#call;
    const { toError } = this.#environment;
    this.#attempt(() => reply.error(toError(error)));
  }

  #finish(): void {
    for (const task of this.#followUps ?? []) this.#attempt(task);
    this.#held?.release();
    finishRequest(this.#call.connection);
  }

  #attempt(task: () => void): void {
    try {
      task();
    } catch (error) {
      logFailure(this.#environment.log, `response or follow-up of ${this.#call.request.method}`, error);
    }
  }
}

/** A string can hold about 500 million characters; longer JSON is a RangeError. */
const TOO_LARGE = new RpcError(
  errorCodes.internalError,
  "the answer is larger than a message can be; ask for less, or page by page (excludeTurns, thread/turns/list, thread/items/list)",
);

/** The only conversion of an error to a wire error. */
function toRpcError(
  error: unknown,
  { log, describeFault }: Pick<RequestDispatcherOptions, "log" | "describeFault">,
): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof AppError) return new RpcError(errorCodes.internalError, error.message);
  const fault = describeFault(error);
  if (fault !== null) {
    log.error("a request failed because of a fault of the machine", { reason: fault });
    return new RpcError(errorCodes.internalError, fault);
  }
  log.error("a request failed unexpectedly", { error: error instanceof Error ? error.stack : String(error) });
  return new RpcError(errorCodes.internalError, "internal error; the server's log has the details");
}
