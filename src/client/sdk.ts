// The parts of the SDK that Node and browsers share.

export { RpcError } from "../jsonrpc/rpc-error.ts";
export type { Methods } from "../protocol/generated/methods.ts";
export type { ApprovalDecision, ApprovalRequest, Approve, PatchDescription } from "./approvals.ts";
export {
  type Client,
  type ClientOptions,
  type ClientSource,
  openClient,
  type ServerRequestHandler,
} from "./client.ts";
export type { ConnectionState, ReconnectOptions } from "./connection.ts";
export { ConnectionError, type ConnectionFault } from "./connection-error.ts";
export type { Input } from "./input.ts";
export type { ConnectTarget } from "./target.ts";
export type { AddedTurn, QueueOptions, RunOptions, Thread, ThreadQueue } from "./thread.ts";
export type { DurableThreadEvent, EventsOptions } from "./thread-events.ts";
export type { FollowOptions, TurnsOptions } from "./thread-views.ts";
export { type TurnEvent, TurnFailed, type TurnResult, type TurnStream } from "./turn-stream.ts";
