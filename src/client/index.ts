// The typed SDK for Node and browsers.

export { RequestAbandoned, RpcError } from "../jsonrpc/rpc-error.ts";
export { type Client, type ClientOptions, openClient, type ServerRequestHandler } from "./client.ts";
export type { Methods } from "./methods.ts";
export { type ConnectOptions, connect } from "./websocket-client.ts";
