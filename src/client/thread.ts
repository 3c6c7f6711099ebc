/** A thread as an object: turns, queue and hooks of one conversation. */
import type {
  HooksListEntry,
  QueuedTurn,
  Thread as ThreadDescription,
  ThreadQueueAddResponse,
  ThreadQueueListResponse,
  Turn,
  TurnStartParams,
} from "../protocol/generated/types.ts";
import { type Input, toUserInput } from "./input.ts";
import { type DurableThreadEvent, type EventsOptions, iterateEvents } from "./thread-events.ts";
import { type FollowOptions, followThread, iterateTurns, type TurnsOptions } from "./thread-views.ts";
import {
  streamTurn,
  type TurnEvent,
  type TurnPort,
  type TurnResult,
  type TurnStream,
} from "./turn-stream.ts";

/** Overrides of one turn: model, folder, sandbox and so on. */
export interface RunOptions extends Partial<Omit<TurnStartParams, "threadId" | "input">> {
  /** Interrupts the turn. */
  readonly signal?: AbortSignal;
}

export interface Thread {
  readonly id: string;
  /** The thread as the server described it when it was started or resumed. */
  readonly description: ThreadDescription;
  /** Runs a turn to its end. */
  run(input: Input, options?: RunOptions): Promise<TurnResult>;
  /** Runs a turn and streams its events. */
  stream(input: Input, options?: RunOptions): TurnStream;
  /** Its turns, from the first or the last one on, read in pages. */
  turns(options?: TurnsOptions): AsyncIterableIterator<Turn>;
  /**
   * All events from now on, whichever client starts the turns. After a lost connection, turns and items that
   * ended meanwhile are emitted as `item/completed` and `turn/completed`; deltas are not repeated.
   */
  follow(options?: FollowOptions): AsyncIterableIterator<TurnEvent>;
  /**
   * The durable events after a position, each once and in order, over lost connections and restarts of the server: first
   * those that are stored, then those that happen. Needs `experimentalApi`, and a thread in the current format.
   */
  events(options?: EventsOptions): AsyncIterableIterator<DurableThreadEvent>;
  /**
   * Queued turns that start when the thread is free, also across restarts of the server. Needs
   * `experimentalApi`.
   */
  readonly queue: ThreadQueue;
  /** The hooks that run in this thread. */
  hooks(): Promise<HooksListEntry[]>;
  rename(name: string): Promise<void>;
  /** Stops notifications of this thread. */
  unsubscribe(): Promise<void>;
}

export interface QueueOptions extends Omit<RunOptions, "signal"> {
  /** The turn does not start before this time, nor do the turns queued behind it. */
  readonly notBefore?: Date;
}

/** The queued turn, and the id of its turn if it was already started. */
export type AddedTurn = QueuedTurn & Pick<ThreadQueueAddResponse, "startedTurnId">;

export interface ThreadQueue {
  /**
   * Durable when it resolves. With the same `clientUserMessageId` it is added once, however often it is sent.
   */
  add(input: Input, options?: QueueOptions): Promise<AddedTurn>;
  list(cursor?: string): Promise<ThreadQueueListResponse>;
  /** False where it is no longer queued. */
  delete(queuedTurnId: string): Promise<boolean>;
  /** Starts the first queued turn, or a chosen one. */
  start(queuedTurnId?: string): Promise<void>;
  pause(reason?: string): Promise<void>;
  resume(): Promise<void>;
}

export function createThread(port: TurnPort, description: ThreadDescription): Thread {
  const threadId = description.id;

  function stream(input: Input, { signal, ...options }: RunOptions = {}): TurnStream {
    return streamTurn(port, { ...options, threadId, input: toUserInput(input) }, signal);
  }

  return {
    id: threadId,
    description,
    stream,
    async run(input, options) {
      return await stream(input, options).result;
    },
    turns: (options = {}) => iterateTurns(port, threadId, options),
    follow: (options = {}) => followThread(port, threadId, options),
    events: (options = {}) => iterateEvents(port, threadId, options),
    queue: createQueue(port, threadId),
    async hooks() {
      return (await port.request("hooks/list", { threadId })).data;
    },
    async rename(name) {
      await port.request("thread/name/set", { threadId, name });
    },
    async unsubscribe() {
      await port.request("thread/unsubscribe", { threadId });
    },
  };
}

function createQueue({ request }: TurnPort, threadId: string): ThreadQueue {
  return {
    async add(input, { notBefore, ...options } = {}) {
      // An idempotency key allows a resend when the connection is lost.
      const clientUserMessageId = options.clientUserMessageId ?? crypto.randomUUID();
      const turnStartParams = { ...options, threadId, clientUserMessageId, input: toUserInput(input) };
      const time = notBefore === undefined ? {} : { notBefore: Math.ceil(notBefore.getTime() / 1000) };
      const { queuedTurn, startedTurnId } = await request("thread/queue/add", {
        threadId,
        clientUserMessageId,
        turnStartParams,
        ...time,
      });
      return startedTurnId === undefined ? queuedTurn : { ...queuedTurn, startedTurnId };
    },
    list: (cursor) => request("thread/queue/list", { threadId, cursor: cursor ?? null }),
    async delete(queuedTurnId) {
      return (await request("thread/queue/delete", { threadId, queuedTurnId })).deleted;
    },
    async start(queuedTurnId) {
      await request("thread/queue/start", { threadId, queuedSubmissionId: queuedTurnId ?? null });
    },
    async pause(reason) {
      await request("thread/queue/pause", { threadId, ...(reason !== undefined && { reason }) });
    },
    async resume() {
      await request("thread/queue/resume", { threadId });
    },
  };
}
