/** Iterates over the durable events of a thread: those that are stored, page by page, and then those that happen. */
import type { ServerNotifications, ThreadEventsListResponse } from "../protocol/generated/types.ts";
import { ConnectionError } from "./connection-error.ts";
import { createEventQueue } from "./event-queue.ts";
import { notFollowed } from "./subscriptions.ts";
import type { TurnPort } from "./turn-stream.ts";

export interface EventsOptions {
  /** The `seq` of the last event that is known; all events by default. */
  readonly afterSeq?: string | null;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

/** A durable event, with the position to continue from. */
export type DurableThreadEvent = {
  [M in keyof ServerNotifications as "seq" extends keyof ServerNotifications[M] ? M : never]: {
    readonly method: M;
    readonly params: ServerNotifications[M] & { readonly seq: string };
    readonly seq: string;
  };
} extends infer Events
  ? Events[keyof Events]
  : never;

/** Each event once and in order, also over lost connections. Fails when the thread cannot be followed any more. */
export async function* iterateEvents(
  port: Pick<TurnPort, "request" | "onEvent" | "onFollowing" | "onEnd">,
  threadId: string,
  { afterSeq = null, signal }: EventsOptions,
): AsyncGenerator<DurableThreadEvent, void, void> {
  const live = createEventQueue<DurableThreadEvent>();
  const stops = [
    port.onEvent((event) => {
      const { seq } = event.params as { readonly seq?: string };
      if (event.params.threadId === threadId && seq !== undefined)
        live.push({ ...event, seq } as DurableThreadEvent);
    }),
    port.onEnd((error) => live.fail(error)),
    port.onFollowing((following) => {
      if (following.kind === "refused" && following.threadId === threadId)
        live.fail(new ConnectionError("lost", notFollowed(following)));
    }),
  ];
  const end = (): void => live.end();
  signal?.addEventListener("abort", end);
  try {
    let after = afterSeq;
    let isComplete = false;
    while (!isComplete) {
      const page: ThreadEventsListResponse = await port.request("thread/events/list", {
        threadId,
        afterSeq: after,
        limit: null,
      });
      for (const { method, params, seq } of page.data)
        yield { method, params: { ...params, seq }, seq } as unknown as DurableThreadEvent;
      ({ nextSeq: after } = page);
      isComplete = page.isComplete || signal?.aborted === true;
    }
    for await (const event of live.values) {
      if (event.seq <= (after ?? "")) continue;
      after = event.seq;
      yield event;
    }
  } finally {
    signal?.removeEventListener("abort", end);
    for (const stop of stops) stop();
  }
}
