import type { Clock } from "../../../base/clock.ts";
import type { HttpAnswer } from "../../../transport/http-routes.ts";
import type { StreamRead } from "./answer-page.ts";
import { encodeData, encodeEvent, isSentAsBase64 } from "./encode-messages.ts";
import type { LogPage } from "./event-log.ts";
import { createLiveTexts } from "./live-texts.ts";
import { createWakeUp } from "./wake-up.ts";

const KEEP_ALIVE = ": keep-alive\n\n";

export function answerEvents(read: StreamRead): HttpAnswer {
  return {
    status: 200,
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "private, no-cache",
      // Proxies would collect events until a buffer is full.
      "x-accel-buffering": "no",
      ...(isSentAsBase64(read.log.contentType) && { "stream-sse-data-encoding": "base64" }),
    },
    body: generateEvents(read),
  };
}

async function* generateEvents(read: StreamRead): AsyncGenerator<string> {
  const news = subscribe(read);
  try {
    yield* generateParts(read, news);
  } finally {
    news.stop();
  }
}

type News = ReturnType<typeof subscribe>;

function subscribe({ log, clock, limits, signal }: StreamRead) {
  const wakeUp = createWakeUp(clock, signal);
  const live = createLiveTexts(limits.liveBytes);
  // A message may have come between the first read and the subscription.
  let hasGrown = true;
  const stopChanges = log.onChange(() => {
    hasGrown = true;
    wakeUp.notify();
  });
  const stopLive = log.onLive?.((text) => {
    live.add(text);
    wakeUp.notify();
  });
  return {
    takeLive: live.take,
    /** Whether the log may have grown since the last call. */
    takeGrowth(): boolean {
      const had = hasGrown;
      hasGrown = false;
      return had;
    },
    wait: wakeUp.wait,
    stop(): void {
      stopChanges();
      stopLive?.();
    },
  };
}

/**
 * Ends after its time, with the log, or when it is aborted, always on the border of a page. A page and its control event
 * are one part: a client that gets the first without the second would deliver the page again.
 */
async function* generateParts(
  { log, first, cursors, clock, limits, signal }: StreamRead,
  news: News,
): AsyncGenerator<string> {
  const endsAt = clock.monotonic() + limits.sseMs;
  yield encodePage(log.contentType, first, cursors);
  if (isAtEnd(first)) return;
  let page: LogPage = { ...first, messages: [] };
  let sentOffset = first.nextOffset;
  let sentAt = clock.monotonic();
  while (!signal.aborted && clock.monotonic() < endsAt) {
    let part = "";
    if (!page.isUpToDate || news.takeGrowth()) {
      const live = news.takeLive();
      const next = await log.read(page.nextOffset, limits.pageBytes);
      if (next.kind === "gone") return;
      // Before the messages, because an item is completed after its deltas; a reader that is behind gets none.
      part = page.isUpToDate ? live : "";
      if (next.messages.length > 0 || isAtEnd(next)) {
        part += encodePage(log.contentType, next, cursors);
        sentOffset = next.nextOffset;
      }
      // The messages are not kept while their reader takes them.
      page = { ...next, messages: [] };
    } else {
      part = await waitForLive(news, clock, { quietUntil: sentAt + limits.keepAliveMs, endsAt });
    }
    if (part !== "") {
      yield part;
      sentAt = clock.monotonic();
    }
    if (isAtEnd(page)) return;
  }
  // The tail may have moved without a message.
  if (page.nextOffset !== sentOffset) yield encodePage(log.contentType, page, cursors);
}

/** The live texts that wait, or a sign of life when it is due; otherwise it waits for news and is empty. */
async function waitForLive(
  news: News,
  clock: Clock,
  { quietUntil, endsAt }: { readonly quietUntil: number; readonly endsAt: number },
): Promise<string> {
  const live = news.takeLive();
  if (live !== "") return live;
  const now = clock.monotonic();
  if (now >= quietUntil) return KEEP_ALIVE;
  await news.wait(Math.min(endsAt, quietUntil) - now);
  return "";
}

function isAtEnd({ isClosed, isUpToDate }: LogPage): boolean {
  return isClosed && isUpToDate;
}

function encodePage(contentType: string, page: LogPage, cursors: () => string): string {
  const { messages, nextOffset, isUpToDate } = page;
  const data = messages.length === 0 ? "" : encodeData(contentType, messages);
  const control = {
    streamNextOffset: nextOffset,
    ...(!isAtEnd(page) && { streamCursor: cursors() }),
    ...(isUpToDate && { upToDate: true }),
    ...(isAtEnd(page) && { streamClosed: true }),
  };
  return data + encodeEvent("control", JSON.stringify(control));
}
