/** Reads the turns of a thread and follows its events. */
import type {
  SortDirection,
  ThreadTurnsListResponse,
  Turn,
  TurnItemsView,
} from "../protocol/generated/types.ts";
import { createEventQueue } from "./event-queue.ts";
import type { TurnEvent, TurnPort } from "./turn-stream.ts";

export interface TurnsOptions {
  /** Defaults to `asc`, the oldest first. */
  readonly direction?: SortDirection;
  /** How much of their items is included. Defaults to all. */
  readonly itemsView?: TurnItemsView;
  /** The number of turns per request. */
  readonly pageSize?: number;
}

export interface FollowOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

const PAGE = 20;

/** Iterates over the turns of a thread, page by page. */
export async function* iterateTurns(
  port: Pick<TurnPort, "request">,
  threadId: string,
  { direction = "asc", itemsView = "full", pageSize = PAGE }: TurnsOptions,
): AsyncGenerator<Turn, void, void> {
  let cursor: string | null = null;
  do {
    const wanted = { threadId, cursor, limit: pageSize, sortDirection: direction, itemsView };
    const page: ThreadTurnsListResponse = await port.request("thread/turns/list", wanted);
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/**
 * Iterates over the events of a thread from the call on, whichever client started its turns. Ends with the
 * signal, with the iteration, and with the thread; fails when the connection has ended permanently.
 */
export function followThread(
  port: Pick<TurnPort, "onEvent" | "onEnd">,
  threadId: string,
  { signal }: FollowOptions,
): AsyncIterableIterator<TurnEvent> {
  const queue = createEventQueue<TurnEvent>();
  const stops = [
    port.onEvent((event) => {
      if (event.params.threadId !== threadId) return;
      queue.push(event);
      if (event.method === "thread/closed" || event.method === "thread/deleted") end();
    }),
    port.onEnd((error) => {
      stop();
      queue.fail(error);
    }),
  ];
  function stop(): void {
    for (const each of stops) each();
    signal?.removeEventListener("abort", end);
  }
  function end(): void {
    stop();
    queue.end();
  }
  signal?.addEventListener("abort", end);
  if (signal?.aborted === true) end();
  return {
    next: () => queue.values.next(),
    async return() {
      stop();
      await queue.values.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
