import type { StoredEvent } from "../../engine/history/durable-events.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import { type ReadPosition, readStoredEvents } from "./stored-events.ts";

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** The position to continue from. */
  readonly end: ReadPosition;
  /** Whether the page has the last event that was kept when it was read. */
  readonly isComplete: boolean;
}

/** A page has at least one event, if there is one. */
export interface EventPageLimits {
  readonly events: number;
  /** The size of its events as JSON. */
  readonly bytes: number;
}

/** Reads one page of durable events after a place. */
export async function readEventPage(
  threads: Pick<ThreadStore, "lines">,
  threadId: string,
  start: ReadPosition,
  limits: EventPageLimits,
): Promise<EventPage> {
  const stored = readStoredEvents(threads, threadId, start);
  const events: StoredEvent[] = [];
  let bytes = 0;
  for await (const event of stored.events()) {
    events.push(event);
    bytes += Buffer.byteLength(JSON.stringify(event.params));
    if (events.length >= limits.events || bytes >= limits.bytes)
      return { events, end: stored.end(), isComplete: false };
  }
  return { events, end: stored.end(), isComplete: true };
}
