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
  type ConnectionState,
  openReconnectingConnection,
  type ReconnectingConnection,
  type ReconnectOptions,
} from "./connection.ts";
import { ConnectionError } from "./connection-error.ts";
import { type Input, toUserInput } from "./input.ts";
import { createListeners } from "./listeners.ts";
import { createMissedEvents, noteFollowed } from "./missed-events.ts";
import { createPatchWatch } from "./patch-watch.ts";
import { createPositions } from "./positions.ts";
import { createServerQuestions } from "./server-questions.ts";
import { createFollowedThreads, type Following, notFollowed } from "./subscriptions.ts";
import { createThread, type Thread } from "./thread.ts";
import { streamTurn, type TurnEvent, TurnFailed, type TurnPort } from "./turn-stream.ts";

export type Method = keyof ClientRequests;

export type ServerRequestHandler<M extends keyof ServerRequests> = (
  params: ServerRequests[M]["params"],
) => ServerRequests[M]["result"] | Promise<ServerRequests[M]["result"]>;

/** A client's connection to an app-server. */
export interface Client extends Methods {
  /** The server's response to `initialize`. */
  readonly serverInfo: InitializeResponse;
  /** Starts a new thread. */
  startThread(params?: ThreadStartParams): Promise<Thread>;
  /** Resumes a stored thread, or joins a loaded one. */
  resumeThread(threadId: string, params?: Omit<ThreadResumeParams, "threadId">): Promise<Thread>;
  /** Starts a thread whose history begins with that of another. */
  forkThread(threadId: string, params?: Omit<ThreadForkParams, "threadId">): Promise<Thread>;
  request<M extends Method>(
    method: M,
    params: ClientRequests[M]["params"],
    signal?: AbortSignal,
  ): Promise<ClientRequests[M]["result"]>;
  /** Subscribes to a notification; returns an unsubscribe function. */
  on<M extends keyof ServerNotifications>(
    method: M,
    listener: (params: ServerNotifications[M]) => void,
  ): () => void;
  /** Handles a server request. Requests without a handler are refused, which for an approval is a denial. */
  answer<M extends keyof ServerRequests>(method: M, handler: ServerRequestHandler<M>): void;
  /** Starts a turn and resolves when it ends, in whatever state. */
  runTurn(params: Omit<TurnStartParams, "input"> & { readonly input: Input }): Promise<Turn>;
  close(): Promise<void>;
  /** Resolves when the connection has ended permanently, from either side. */
  readonly closed: Promise<void>;
}

export interface ClientOptions extends Partial<InitializeParams> {
  /**
   * Decides about commands, file changes and permissions. Without it, and without `answer`, all are refused.
   */
  readonly approve?: Approve;
  /** Receives warnings for the developer. Defaults to `console.warn`. */
  readonly onWarning?: (message: string) => void;
  /** Called when the connection is lost, restored or closed. */
  readonly onConnectionChange?: (state: ConnectionState) => void;
}

export interface ClientSource {
  /** Opens a transport, initially and after each loss. */
  readonly open: () => Promise<Transport>;
  /** Null where a closed transport cannot be replaced. */
  readonly reconnect: ReconnectOptions | null;
}

const DEFAULT_INFO = { name: "heddle_client", title: null, version };

/** Opens a client on one transport, or on a source of them: sends `initialize` and waits for the response. */
export async function openClient(
  source: Transport | ClientSource,
  options: ClientOptions = {},
): Promise<Client> {
  const { approve, onWarning = warnOnConsole, onConnectionChange = () => {}, ...introduction } = options;
  const listeners = createListeners();
  const missed = createMissedEvents(listeners.emit);
  const positions = createPositions();
  const patches = createPatchWatch(async (threadId) => (await request("thread/resume", { threadId })).thread);
  const questions = createServerQuestions(approve, onWarning, patches.changesOf);
  const origin = "open" in source ? source : { open: async () => source, reconnect: null };
  const { firstDelayMs, forMs } = origin.reconnect ?? {};
  const subscriptions = createFollowedThreads({
    ...(firstDelayMs === undefined ? {} : { firstDelayMs }),
    ...(forMs === undefined ? {} : { forMs }),
    positionOf: positions.of,
    onResubscribed: notifyFollowing,
    onUnsubscribed: (following) => listeners.notifyFollowing(following),
  });
  /** Threads resubscribed before other requests may be sent. */
  let settled: Following[] = [];

  function notifyFollowing(following: Following): void {
    if (following.kind === "refused") onWarning(notFollowed(following));
    const { kind, threadId } = following;
    const isResumed = kind === "followed" && positions.of(threadId) !== null;
    // The server sends what was missed after a known position; otherwise it is read from the history. If the connection
    // is lost meanwhile, the thread is resubscribed once more.
    const caughtUp = isResumed
      ? positions.whenSynced(threadId)
      : isFulfilled(missed.catchUp(following, request));
    listeners.notifyFollowing(following, caughtUp);
  }

  const connection = await openReconnectingConnection({
    ...origin,
    introduction: withEvents({ clientInfo: DEFAULT_INFO, ...introduction }),
    onNotification({ method, params }) {
      if (!positions.take(method, params)) return;
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
      if (state.kind === "reconnecting") {
        missed.lose((threadId) => positions.of(threadId) !== null);
        positions.lose();
      }
      if (state.kind === "closed") missed.end();
      if (state.kind !== "connected") return;
      for (const following of settled.splice(0)) notifyFollowing(following);
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
    listeners.notifyEnd(new ConnectionError("lost", "the connection was closed before the turn ended"));
    subscriptions.close();
  });

  const own = ownMembers({ connection, port, listeners, questions });
  const methods = branch("", request as (method: string, params: unknown, signal?: AbortSignal) => unknown);
  // The proxy combines these members with the functions derived from the protocol.
  return new Proxy(own, {
    get: (target, name) =>
      Reflect.get(Object.hasOwn(target, name) ? target : (methods as object), name) as unknown,
  }) as Client;
}

interface Parts {
  readonly connection: ReconnectingConnection;
  readonly port: TurnPort;
  readonly listeners: ReturnType<typeof createListeners>;
  readonly questions: ReturnType<typeof createServerQuestions>;
}

/** The members that are not derived from the protocol. */
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

/** A client with the experimental interface resumes events by their positions, unless it declines. */
function withEvents({ capabilities, ...rest }: InitializeParams): InitializeParams {
  if (capabilities?.experimentalApi !== true) return { ...rest, capabilities: capabilities ?? null };
  return { ...rest, capabilities: { resumableEvents: true, ...capabilities } };
}

const isFulfilled = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

function warnOnConsole(message: string): void {
  // oxlint-disable-next-line no-console -- the place where a developer looks first
  console.warn(message);
}

/** Creates the functions by name; the protocol is not declared a second time. */
function branch(
  path: string,
  send: (method: string, params: unknown, signal?: AbortSignal) => unknown,
): unknown {
  const call = (params?: unknown, signal?: AbortSignal) => send(path, params ?? {}, signal);
  return new Proxy(call, {
    get(_target, name) {
      // A promise is recognised by `then`; a branch with such a member would be awaited by mistake.
      if (typeof name !== "string" || name === "then") return undefined;
      return branch(path === "" ? name : `${path}/${name}`, send);
    },
  });
}
