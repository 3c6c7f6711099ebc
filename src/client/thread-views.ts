/** A thread as it is looked at: the turns that it has, and what happens in it. */
import type {
  SortDirection,
  ThreadTurnsListResponse,
  Turn,
  TurnItemsView,
} from "../protocol/generated/types.ts";
import { createEventQueue } from "./event-queue.ts";
import type { TurnEvent, TurnPort } from "./turn-stream.ts";

export interface TurnsOptions {
  /** `asc`, the oldest first, unless said otherwise. */
  readonly direction?: SortDirection;
  /** How much of their items comes along; all of it unless said otherwise. */
  readonly itemsView?: TurnItemsView;
  /** How many are asked for at once. */
  readonly pageSize?: number;
}

export interface FollowOptions {
  /** Ends the following. */
  readonly signal?: AbortSignal;
}

const PAGE = 20;

/** The turns of a thread, page by page as they are read. */
export async function* readTurns(
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
 * Everything that is told of a thread from the call on, whoever has started its turns. Ends with its signal, with the
 * reading, and with the thread itself; fails when there is no connection any more.
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
