/** The client: a connection to an app-server, with a function for every request of the protocol. */

import { version } from "../base/environment.ts";
import { messageOf } from "../base/errors.ts";
import { silentLogger } from "../base/logger.ts";
import { createDeferred } from "../base/tasks.ts";
import type { RequestMessage } from "../jsonrpc/message.ts";
import { createPeer, type Responder } from "../jsonrpc/peer.ts";
import { errorCodes } from "../protocol/errors.ts";
import type {
  ClientRequests,
  InitializeParams,
  InitializeResponse,
  ServerNotifications,
  ServerRequests,
  Turn,
  TurnStartParams,
} from "../protocol/generated/types.ts";
import type { Transport } from "../transport/transport.ts";

export type ServerRequestHandler<M extends keyof ServerRequests> = (
  params: ServerRequests[M]["params"],
) => ServerRequests[M]["result"] | Promise<ServerRequests[M]["result"]>;

/** A connection to an app-server, from the side of the client. */
export interface Client extends Methods {
  /** What the server said of itself. */
  readonly serverInfo: InitializeResponse;
  request<M extends Method>(
    method: M,
    params: ClientRequests[M]["params"],
    signal?: AbortSignal,
  ): Promise<ClientRequests[M]["result"]>;
  /** Listens for a notification; the returned function ends that. */
  on<M extends keyof ServerNotifications>(
    method: M,
    listener: (params: ServerNotifications[M]) => void,
  ): () => void;
  /** Answers a request of the server. What has no handler is refused, which for an approval means no. */
  answer<M extends keyof ServerRequests>(method: M, handler: ServerRequestHandler<M>): void;
  /** Starts a turn and waits for its end. */
  runTurn(params: TurnStartParams): Promise<Turn>;
  close(): Promise<void>;
  /** Resolves when the connection has ended, from whichever side. */
  readonly closed: Promise<void>;
}

export type ClientOptions = Partial<InitializeParams>;

const DEFAULT_INFO = { name: "heddle_client", title: null, version };

/** Opens a client on a transport: introduces it to the server and waits for the welcome. */
export async function openClient(transport: Transport, options: ClientOptions = {}): Promise<Client> {
  const listeners = new Map<string, Set<(params: unknown) => void>>();
  const handlers = new Map<string, (params: unknown) => unknown>();
  const closed = createDeferred<void>();
  /** Those who wait for something that does not come once the connection has ended. */
  const waiting = new Set<() => void>();

  const peer = createPeer({
    send: (text) => transport.send(text, "response"),
    log: silentLogger,
    onNotification({ method, params }) {
      for (const listener of listeners.get(method) ?? []) listener(params);
    },
    onRequest: (request, responder) => void answerRequest(handlers.get(request.method), request, responder),
  });
  transport.start({
    message: (text) => peer.receive(text),
    closed(reason) {
      peer.close(
        reason.kind === "failed" ? `the connection failed: ${reason.message}` : "the connection was closed",
      );
      closed.resolve();
      for (const giveUp of waiting) giveUp();
    },
  });

  const request = (method: string, params: unknown, signal?: AbortSignal) =>
    peer.request(method, params, signal);
  const on = (method: string, listener: (params: unknown) => void) => {
    const all = listeners.get(method) ?? new Set();
    listeners.set(method, all.add(listener));
    return () => void all.delete(listener);
  };
  const serverInfo = await request("initialize", { clientInfo: DEFAULT_INFO, ...options }).catch(
    (error: unknown) => {
      transport.close();
      throw error;
    },
  );
  peer.notify("initialized", undefined);

  const own = {
    serverInfo,
    request,
    on,
    answer: (method: string, handler: (params: unknown) => unknown) => void handlers.set(method, handler),
    runTurn: (params: TurnStartParams) => runTurn(client, params, waiting),
    close() {
      transport.close();
      return closed.promise;
    },
    closed: closed.promise,
  };
  const methods = createMethods(request);
  // The proxy joins the functions above with those that follow from the protocol.
  const client = new Proxy(own, {
    get: (target, name) => Reflect.get(Object.hasOwn(target, name) ? target : methods, name) as unknown,
  }) as unknown as Client;
  return client;
}

async function answerRequest(
  handler: ((params: unknown) => unknown) | undefined,
  { method, params }: RequestMessage,
  responder: Responder,
): Promise<void> {
  if (handler === undefined) {
    return responder.error({
      code: errorCodes.methodNotFound,
      message: `${method} is not handled by this client`,
    });
  }
  try {
    responder.result(await handler(params));
  } catch (error) {
    responder.error({ code: errorCodes.internalError, message: messageOf(error) });
  }
}

/** A short turn may end before the response with its id has been read, so ends are kept from the start. */
async function runTurn(client: Client, params: TurnStartParams, waiting: Set<() => void>): Promise<Turn> {
  const ended = new Map<string, Turn>();
  const end = createDeferred<Turn>();
  let turnId: string | null = null;
  let isLost = false;
  const settle = () => {
    if (turnId === null) return;
    const turn = ended.get(turnId);
    if (turn !== undefined) end.resolve(turn);
    else if (isLost) end.reject(new Error("the connection was closed before the turn ended"));
  };
  const giveUp = () => {
    isLost = true;
    settle();
  };
  waiting.add(giveUp);
  const stop = client.on("turn/completed", ({ threadId, turn }) => {
    if (threadId !== params.threadId) return;
    ended.set(turn.id, turn);
    settle();
  });
  try {
    turnId = (await client.request("turn/start", params)).turn.id;
    settle();
    return await end.promise;
  } finally {
    stop();
    waiting.delete(giveUp);
  }
}

export type Method = keyof ClientRequests;

type Call<M extends Method> = ClientRequests[M]["params"] extends infer Params
  ? undefined extends Params
    ? (params?: Params) => Promise<ClientRequests[M]["result"]>
    : (params: Params) => Promise<ClientRequests[M]["result"]>
  : never;

/** `thread/name/set` becomes `{ thread: { name: { set } } }`. */
type Nested<Path extends string, Leaf> = Path extends `${infer Head}/${infer Rest}`
  ? { readonly [K in Head]: Nested<Rest, Leaf> }
  : { readonly [K in Path]: Leaf };

type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** Every request of the protocol as a function, by the parts of its name: `client.thread.start({})`. */
export type Methods = Intersection<{ [M in Method]: Nested<M, Call<M>> }[Method]>;

export type SendRequest = (method: string, params: unknown) => Promise<unknown>;

/** Makes the functions as they are named; nothing about the protocol is written down a second time. */
function createMethods(send: SendRequest): Methods {
  return branch("", send) as Methods;
}

function branch(path: string, send: SendRequest): unknown {
  const call = (params?: unknown) => send(path, params ?? {});
  return new Proxy(call, {
    get(_target, name) {
      // A promise is recognised by `then`; a branch that had one would be awaited by mistake.
      if (typeof name !== "string" || name === "then") return undefined;
      return branch(path === "" ? name : `${path}/${name}`, send);
    },
  });
}
