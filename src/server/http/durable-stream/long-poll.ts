import type { HttpAnswer } from "../../../transport/http-routes.ts";
import { answerPage, GONE, type StreamRead } from "./answer-page.ts";
import type { LogPage } from "./event-log.ts";
import { pageHeaders } from "./stream-headers.ts";
import { createWakeUp } from "./wake-up.ts";

/** Answers as soon as there is a message, or with the tail when the time is over. */
export async function answerLongPoll(read: StreamRead): Promise<HttpAnswer> {
  const { cursors, first } = read;
  const page = hasNews(first) ? first : await waitForNews(read);
  if (page === null) return GONE;
  const headers = page.isClosed && page.isUpToDate ? {} : { "stream-cursor": cursors() };
  if (page.messages.length > 0) {
    const answer = answerPage(read, page);
    return { ...answer, headers: { ...answer.headers, ...headers } };
  }
  return {
    status: 204,
    headers: { ...pageHeaders({ ...page, isUpToDate: true }), ...headers, "cache-control": "no-store" },
    body: null,
  };
}

function hasNews({ messages, isClosed }: LogPage): boolean {
  return messages.length > 0 || isClosed;
}

/** Null if the log is gone meanwhile. A tail that moves without a message does not end the wait. */
async function waitForNews({ log, first, clock, limits, signal }: StreamRead): Promise<LogPage | null> {
  const endsAt = clock.monotonic() + limits.longPollMs;
  const wakeUp = createWakeUp(clock, signal);
  const stop = log.onChange(wakeUp.notify);
  // A message may have come between the first read and the subscription.
  wakeUp.notify();
  try {
    let page = first;
    for (;;) {
      const remaining = endsAt - clock.monotonic();
      if (hasNews(page) || remaining <= 0 || signal.aborted) return page;
      await wakeUp.wait(remaining);
      const next = await log.read(page.nextOffset, limits.pageBytes);
      if (next.kind === "gone") return null;
      page = next;
    }
  } finally {
    stop();
  }
}
