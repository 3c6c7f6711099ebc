/** One turn as its client sees it: started, followed, steered, ended. */
import { messageOf } from "../base/errors.ts";
import { createDeferred } from "../base/tasks.ts";
import type {
  ClientRequests,
  ServerNotifications,
  ThreadItem,
  ThreadTokenUsage,
  ThreadTurnsListResponse,
  Turn,
  TurnStartParams,
} from "../protocol/generated/types.ts";
import { ConnectionError } from "./connection-error.ts";
import { createEventQueue } from "./event-queue.ts";
import { type Input, toUserInput } from "./input.ts";
import { type Following, notFollowed } from "./subscriptions.ts";

/** A notification about a thread. */
export type TurnEvent = {
  [M in keyof ServerNotifications]: ServerNotifications[M] extends { threadId: string }
    ? { readonly method: M; readonly params: ServerNotifications[M] }
    : never;
}[keyof ServerNotifications];

export interface TurnResult {
  readonly turn: Turn;
  /** All items of the turn, in order. */
  readonly items: readonly ThreadItem[];
  /** The agent's last message; empty where there is none. */
  readonly text: string;
  readonly usage: ThreadTokenUsage | null;
}

/** A turn that ended with an error. */
export class TurnFailed extends Error {
  readonly turn: Turn;

  constructor(turn: Turn) {
    super(turn.error?.message ?? "the turn failed");
    this.name = "TurnFailed";
    this.turn = turn;
  }
}

/** Iterates over the turn's events; ending the iteration leaves the turn running. */
export interface TurnStream extends AsyncIterable<TurnEvent> {
  /** Resolves when the server has accepted the turn. */
  readonly turnId: Promise<string>;
  /** The turn's result, whether the events are read or not; rejects with `TurnFailed` where it fails. */
  readonly result: Promise<TurnResult>;
  /** Adds input to the running turn. */
  steer(input: Input): Promise<void>;
  interrupt(): Promise<void>;
}

/** The client functions that a turn needs. */
export interface TurnPort {
  request<M extends keyof ClientRequests>(
    method: M,
    params: ClientRequests[M]["params"],
    signal?: AbortSignal,
  ): Promise<ClientRequests[M]["result"]>;
  onEvent(listener: (event: TurnEvent) => void): () => void;
  /** Called when a thread is resubscribed over a new connection, or cannot be; events in between are lost. */
  onFollowing(listener: (following: Following, caughtUp: Promise<boolean>) => unknown): () => void;
  /** Called when the connection has ended permanently. */
  onEnd(listener: (error: Error) => unknown): () => void;
}

export function streamTurn(port: TurnPort, params: TurnStartParams, signal?: AbortSignal): TurnStream {
  const { threadId } = params;
  const queue = createEventQueue<TurnEvent>();
  const record = createTurnRecord();
  const ended = createDeferred<TurnResult>();
  /** A short turn may be over before the response with its id has been read. */
  const early: TurnEvent[] = [];
  let known: string | null = null;
  let isOver = false;

  function take(event: TurnEvent): void {
    if (event.params.threadId !== threadId) return;
    if (known === null) return void early.push(event);
    const about = turnIdOf(event);
    if (about !== null && about !== known) return;
    record.take(event);
    queue.push(event);
    if (event.method === "turn/completed") finish(event.params.turn);
  }

  function finish(turn: Turn): void {
    isOver = true;
    queue.end();
    if (turn.status === "failed") ended.reject(new TurnFailed(turn));
    else ended.resolve(record.toResult(turn));
  }

  function fail(error: unknown): void {
    isOver = true;
    queue.fail(error);
    ended.reject(error as Error);
  }

  /**
   * Notifications received before the failure, including those that arrived with the response, take
   * precedence.
   */
  async function failAfterStart(fault: Error): Promise<void> {
    await turnId.catch(() => {});
    fail(fault);
  }

  /** A turn that ended while the connection was lost, or with its thread, sends no further notification. */
  async function readEnd(otherwise: ((why: string) => Error) | null): Promise<void> {
    // A caller that waits for the start response receives the failure there.
    if (known === null || isOver) return;
    const found = await findTurn(port, threadId, known);
    if (typeof found === "object" && found.status !== "inProgress")
      take({ method: "turn/completed", params: { threadId, turn: found } });
    else if (otherwise !== null) fail(otherwise(typeof found === "string" ? found : "it was still running"));
  }

  async function onFollowing(following: Following, caughtUp: Promise<boolean>): Promise<void> {
    // A turn that starts later is not affected by the loss.
    if (following.threadId !== threadId || known === null) return;
    if (await caughtUp) await readEnd(faultOf(following, known));
  }

  async function start(): Promise<string> {
    signal?.throwIfAborted();
    const { turn } = await port.request("turn/start", params, signal);
    known = turn.id;
    for (const event of early.splice(0)) take(event);
    return turn.id;
  }

  const turnId = start();
  turnId.catch(fail);
  const stops = [port.onEvent(take), port.onFollowing(onFollowing), port.onEnd(failAfterStart)];
  const interrupt = async (): Promise<void> => {
    await port.request("turn/interrupt", { threadId, turnId: await turnId });
  };
  const onAbort = (): void => {
    fail(signal?.reason);
    // It may have ended by itself.
    interrupt().catch(() => {});
  };
  signal?.addEventListener("abort", onAbort);
  const stop = (): void => {
    for (const each of stops) each();
    signal?.removeEventListener("abort", onAbort);
  };
  // Callers that only read the events receive the failure there.
  ended.promise.then(stop, stop);

  return {
    turnId,
    result: ended.promise,
    async steer(input) {
      const expectedTurnId = await turnId;
      await port.request("turn/steer", { threadId, expectedTurnId, input: toUserInput(input) });
    },
    interrupt,
    [Symbol.asyncIterator]: () => queue.values,
  };
}

/** Why a turn has no end although its history shows none; null where it may still run. */
function faultOf(following: Following, turnId: string): ((why: string) => Error) | null {
  if (following.kind === "refused") return () => unknownEnd(notFollowed(following));
  if (following.thread.status?.type === "active") return null;
  return (why) => unknownEnd(`turn ${turnId} does not run any more: ${why}`);
}

/** The turn may have ended in any state. */
function unknownEnd(why: string): ConnectionError {
  return new ConnectionError("lost", `the end of the turn was not seen: ${why}`, { mayBeDone: true });
}

/** How many turns can start in a thread while a connection is lost. */
const RECENT = 20;
const MAX_PAGES = 5;

/** The turn in the history, or why there is none. */
async function findTurn(port: TurnPort, threadId: string, turnId: string): Promise<Turn | string> {
  const recent = { threadId, limit: RECENT, sortDirection: "desc", itemsView: "full" } as const;
  try {
    let cursor: string | null = null;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { data, nextCursor }: ThreadTurnsListResponse = await port.request("thread/turns/list", {
        ...recent,
        ...(cursor === null ? {} : { cursor }),
      });
      const turn = data.find(({ id }) => id === turnId);
      if (turn !== undefined) return turn;
      cursor = nextCursor ?? null;
      if (cursor === null) break;
    }
    return "it is not in the thread's history";
  } catch (error) {
    return messageOf(error);
  }
}

function turnIdOf({ params }: TurnEvent): string | null {
  if ("turn" in params) return params.turn.id;
  return "turnId" in params ? (params.turnId ?? null) : null;
}

/** Accumulates a turn's result from its notifications. */
function createTurnRecord() {
  const items = new Map<string, ThreadItem>();
  let usage: ThreadTokenUsage | null = null;
  return {
    take(event: TurnEvent): void {
      if (event.method === "item/completed") items.set(event.params.item.id, event.params.item);
      if (event.method === "thread/tokenUsage/updated") usage = event.params.tokenUsage;
    },
    toResult(turn: Turn): TurnResult {
      const all = turn.itemsView === "full" && turn.items.length > 0 ? turn.items : [...items.values()];
      const last = all.findLast((item) => item.type === "agentMessage");
      return { turn, items: all, text: last?.type === "agentMessage" ? last.text : "", usage };
    },
  };
}
