// The durable events of a thread after a position, as notifications or as pages, without loading the thread.

import type { Engine } from "../../engine/engine.ts";
import type { EventPageLimits } from "../../runtime/events/event-page.ts";
import { createEventReader } from "../../runtime/events/event-reader.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import { type EventPlace, eventToken, FIRST_PLACE, parseEventToken } from "../../store/event-token.ts";
import { missingThread } from "../../store/refusal.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { type Handlers, invalidRequest, unwrap } from "../connections/handler.ts";
import type { Replays } from "../streams/replays.ts";

/** The limits of a page of events. */
const MAX_PAGE: EventPageLimits = { events: 1000, bytes: 4 * 1024 * 1024 };

export interface ThreadSubscribeOptions {
  readonly engine: Pick<Engine, "find">;
  readonly threadStore: () => Promise<ThreadStore>;
  readonly replays: Replays;
}

export function createThreadSubscribeHandlers({
  engine,
  threadStore,
  replays,
}: ThreadSubscribeOptions): Handlers<"thread/subscribe" | "thread/events/list"> {
  const reader = createEventReader(threadStore);
  return {
    async "thread/events/list"({ threadId: text, afterSeq, limit }) {
      const threadId = unwrap(parseThreadId(text));
      const after = parsePosition(afterSeq ?? null) ?? FIRST_PLACE;
      const threads = await threadStore();
      if ((await threads.end(threadId)) === null)
        throw invalidRequest(`thread ${threadId} has no stored events that can be read by position`);
      const events = Math.max(1, Math.min(limit ?? MAX_PAGE.events, MAX_PAGE.events));
      const page = await reader.read(threadId, after, { ...MAX_PAGE, events });
      const { isComplete, end } = page;
      return {
        data: page.events.map(({ method, params, seq }) => ({ method, params: { ...params }, seq })),
        nextSeq: eventToken(end.place),
        isComplete,
      };
    },

    async "thread/subscribe"({ threadId: text, afterSeq }, { connection, afterResponse }) {
      const threadId = unwrap(parseThreadId(text));
      const after = readPosition(connection, "thread/subscribe", afterSeq ?? null) ?? FIRST_PLACE;
      const isKnown =
        engine.find(threadId) !== undefined || (await (await threadStore()).read(threadId)) !== null;
      if (!isKnown) throw invalidRequest(missingThread(threadId).message);
      replays.hold(connection, threadId, after);
      afterResponse(() => replays.run(connection, threadId));
      return { threadId, afterSeq: eventToken(after) };
    },
  };
}

/** The position that a client asks for; null if it asks for none. */
export function readPosition(
  { follows }: ClientConnection,
  method: string,
  afterSeq: string | null,
): EventPlace | null {
  if (follows === null && (afterSeq !== null || method === "thread/subscribe"))
    throw invalidRequest(`${method} with \`afterSeq\` needs capabilities.resumableEvents in initialize`);
  return parsePosition(afterSeq);
}

function parsePosition(afterSeq: string | null): EventPlace | null {
  if (afterSeq === null) return null;
  const place = parseEventToken(afterSeq);
  if (place !== null) return place;
  throw invalidRequest(
    "`afterSeq` is no position of an event: pass the `seq` of the last notification, or none for all events",
  );
}
