/** Reads pages of durable events, and continues where an earlier page has ended without reading its turn again. */
import { type EventPlace, eventToken } from "../../store/event-token.ts";
import type { EventState } from "../../store/lines/thread-events.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import { type EventPage, type EventPageLimits, readEventPage } from "./event-page.ts";

export interface EventReader {
  read(threadId: string, after: EventPlace, limits: EventPageLimits): Promise<EventPage>;
}

/** Ends of pages that are remembered, and the size of the message in one. A forgotten one costs a read of its turn. */
const MAX_ENDS = 256;
const MAX_MESSAGE_CHARACTERS = 64 * 1024;

export function createEventReader(threadStore: () => Promise<Pick<ThreadStore, "lines">>): EventReader {
  /** The least recently used first. */
  const ends = new Map<string, EventState>();
  const keyOf = (threadId: string, place: EventPlace) => `${threadId} ${eventToken(place)}`;

  return {
    async read(threadId, place, limits) {
      const key = keyOf(threadId, place);
      const state = ends.get(key);
      const start = state === undefined ? { place } : { place, state };
      const page = await readEventPage(await threadStore(), threadId, start, limits);
      const { end } = page;
      ends.delete(key);
      if (state !== undefined) ends.set(key, state);
      if (end.state !== undefined && isSmall(end.state)) ends.set(keyOf(threadId, end.place), end.state);
      for (const oldest of ends.keys()) {
        if (ends.size <= MAX_ENDS) break;
        ends.delete(oldest);
      }
      return page;
    },
  };
}

function isSmall(state: EventState): boolean {
  const message = state?.lastMessage ?? null;
  return message === null || JSON.stringify(message).length <= MAX_MESSAGE_CHARACTERS;
}
