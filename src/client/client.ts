/** The client: a connection to an app-server, with a function for every request of the protocol. */
import { version } from "../base/environment.ts";
import type { Methods } from "../protocol/generated/methods.ts";
import type {
  ClientRequests,
  InitializeParams,
  InitializeResponse,
  ServerNotifications,
  ServerRequests,
  ThreadForkParams,
  ThreadResumeParams,
  ThreadStartParams,
  Turn,
  TurnStartParams,
} from "../protocol/generated/types.ts";
import type { Transport } from "../transport/transport.ts";
import { abortable } from "./abortable.ts";
import type { Approve } from "./approvals.ts";
import {
  type Connection,
  type ConnectionState,
  openConnection,
  type ReconnectOptions,
} from "./connection.ts";
import { ConnectionError } from "./connection-error.ts";
import { type Input, toUserInput } from "./input.ts";
import { createListeners } from "./listeners.ts";
import { createMissedEvents, noteFollowed } from "./missed-events.ts";
import { createPatchWatch } from "./patch-watch.ts";
import { createServerQuestions } from "./server-questions.ts";
import { createSubscriptions, type Following, notFollowed } from "./subscriptions.ts";
import { createThread, type Thread } from "./thread.ts";
import { streamTurn, type TurnEvent, TurnFailed, type TurnPort } from "./turn-stream.ts";

export type Method = keyof ClientRequests;

export type ServerRequestHandler<M extends keyof ServerRequests> = (
  params: ServerRequests[M]["params"],
) => ServerRequests[M]["result"] | Promise<ServerRequests[M]["result"]>;

/** A connection to an app-server, from the side of the client. */
export interface Client extends Methods {
  /** What the server said of itself. */
  readonly serverInfo: InitializeResponse;
  /** Starts a new thread. */
  startThread(params?: ThreadStartParams): Promise<Thread>;
  /** Goes on with a stored thread, or joins one that is loaded. */
  resumeThread(threadId: string, params?: Omit<ThreadResumeParams, "threadId">): Promise<Thread>;
  /** Starts a thread whose history begins as that of another. */
  forkThread(threadId: string, params?: Omit<ThreadForkParams, "threadId">): Promise<Thread>;
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
  /** Starts a turn and waits for its end, however it ends. */
  runTurn(params: Omit<TurnStartParams, "input"> & { readonly input: Input }): Promise<Turn>;
  close(): Promise<void>;
  /** Resolves when the connection has ended for good, from whichever side. */
  readonly closed: Promise<void>;
}

export interface ClientOptions extends Partial<InitializeParams> {
  /** Decides about commands, changes of files and permissions. Without it, and without `answer`, all are refused. */
  readonly approve?: Approve;
  /** Hears what whoever wrote the program should know; `console.warn` unless given. */
  readonly onWarning?: (message: string) => void;
  /** Hears when the connection is lost, there again, or over. */
  readonly onConnectionChange?: (state: ConnectionState) => void;
}

export interface ClientSource {
  /** Opens a transport, at first and after each loss. */
  readonly open: () => Promise<Transport>;
  /** Null where a transport that has ended cannot be followed by another. */
  readonly reconnect: ReconnectOptions | null;
}

const DEFAULT_INFO = { name: "heddle_client", title: null, version };

/** Opens a client on one transport, or on a source of them: introduces it to the server and waits for the welcome. */
export async function openClient(
  source: Transport | ClientSource,
  options: ClientOptions = {},
): Promise<Client> {
  const { approve, onWarning = warnOnConsole, onConnectionChange = () => {}, ...introduction } = options;
  const listeners = createListeners();
  const missed = createMissedEvents(listeners.tell);
  const patches = createPatchWatch(async (threadId) => (await request("thread/resume", { threadId })).thread);
  const questions = createServerQuestions(approve, onWarning, patches.changesOf);
  const origin = "open" in source ? source : { open: async () => source, reconnect: null };
  const { firstDelayMs, forMs } = origin.reconnect ?? {};
  const subscriptions = createSubscriptions({
    ...(firstDelayMs === undefined ? {} : { firstDelayMs }),
    ...(forMs === undefined ? {} : { forMs }),
    onSettled: tellFollowing,
    onForgotten: (following) => listeners.tellFollowing(following),
  });
  /** What is known of followed threads before others may ask anything. */
  let settled: Following[] = [];

  function tellFollowing(following: Following): void {
    if (following.kind === "refused") onWarning(notFollowed(following));
    // Should the connection be lost meanwhile, the thread is followed once more.
    const caughtUp = missed.catchUp(following, request).then(
      () => true,
      () => false,
    );
    listeners.tellFollowing(following, caughtUp);
  }

  const connection = await openConnection({
    ...origin,
    introduction: { clientInfo: DEFAULT_INFO, ...introduction },
    onNotification({ method, params }) {
      subscriptions.noteNotification(method, params);
      patches.note(method, params);
      missed.take(method, params);
    },
    onRequest: questions.onRequest,
    async onReconnected(link) {
      settled = [...(await subscriptions.renew(link))];
    },
    onStateChange(state) {
      onConnectionChange(state);
      if (state.kind === "reconnecting") missed.lose();
      if (state.kind === "closed") missed.end();
      if (state.kind !== "connected") return;
      for (const following of settled.splice(0)) tellFollowing(following);
    },
  });

  const request = (async (method: string, params: unknown, signal?: AbortSignal) => {
    const waiting = subscriptions.beforeRequest(method, params);
    const following = waiting === null ? null : await abortable(waiting, signal);
    if (following?.kind === "refused")
      throw new ConnectionError("lost", `cannot send ${method}: ${notFollowed(following)}`);
    const result = await connection.request(method, params, signal);
    subscriptions.noteResponse(method, params, result);
    noteFollowed(missed, method, params, result);
    return result;
  }) as Client["request"];
  const port: TurnPort = {
    request,
    onEvent: (listener) => listeners.onAny((method, params) => listener({ method, params } as TurnEvent)),
    onFollowing: listeners.onFollowing,
    onEnd: listeners.onEnd,
  };
  void connection.closed.then(() => {
    listeners.tellEnd(new ConnectionError("lost", "the connection was closed before the turn ended"));
    subscriptions.close();
  });

  const own = ownMembers({ connection, port, listeners, questions });
  const methods = branch("", request as (method: string, params: unknown, signal?: AbortSignal) => unknown);
  // The proxy joins the functions above with those that follow from the protocol.
  return new Proxy(own, {
    get: (target, name) =>
      Reflect.get(Object.hasOwn(target, name) ? target : (methods as object), name) as unknown,
  }) as Client;
}

interface Parts {
  readonly connection: Connection;
  readonly port: TurnPort;
  readonly listeners: ReturnType<typeof createListeners>;
  readonly questions: ReturnType<typeof createServerQuestions>;
}

/** What a client has beside the functions that follow from the protocol. */
function ownMembers({ connection, port, listeners, questions }: Parts): Omit<Client, keyof Methods> {
  return {
    get serverInfo() {
      return connection.serverInfo;
    },
    startThread: async (params = {}) =>
      createThread(port, (await port.request("thread/start", params)).thread),
    resumeThread: async (threadId, params = {}) =>
      createThread(
        port,
        (await port.request("thread/resume", { excludeTurns: true, ...params, threadId })).thread,
      ),
    forkThread: async (threadId, params = {}) =>
      createThread(port, (await port.request("thread/fork", { ...params, threadId })).thread),
    request: port.request,
    on: (method, listener) => listeners.on(method, listener as (params: unknown) => void),
    answer: (method, handler) => questions.answer(method, handler as (params: unknown) => unknown),
    async runTurn(params) {
      try {
        return (await streamTurn(port, { ...params, input: toUserInput(params.input) }).result).turn;
      } catch (error) {
        if (error instanceof TurnFailed) return error.turn;
        throw error;
      }
    },
    close: () => connection.close(),
    closed: connection.closed,
  };
}

function warnOnConsole(message: string): void {
  // oxlint-disable-next-line no-console -- where whoever wrote the program looks first
  console.warn(message);
}

/** Makes the functions as they are named; nothing about the protocol is written down a second time. */
function branch(
  path: string,
  send: (method: string, params: unknown, signal?: AbortSignal) => unknown,
): unknown {
  const call = (params?: unknown, signal?: AbortSignal) => send(path, params ?? {}, signal);
  return new Proxy(call, {
    get(_target, name) {
      // A promise is recognised by `then`; a branch that had one would be awaited by mistake.
      if (typeof name !== "string" || name === "then") return undefined;
      return branch(path === "" ? name : `${path}/${name}`, send);
    },
  });
}
