// The typed SDK for Node and browsers.

export { RequestAbandoned, RpcError } from "../jsonrpc/rpc-error.ts";
export {
  type Client,
  type ClientOptions,
  type Methods,
  openClient,
  type ServerRequestHandler,
} from "./client.ts";
export { type ConnectOptions, connect } from "./websocket-client.ts";
