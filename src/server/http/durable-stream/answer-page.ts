import type { Clock } from "../../../base/clock.ts";
import { type HttpAnswer, plainAnswer } from "../../../transport/http-routes.ts";
import { encodeBody } from "./encode-messages.ts";
import type { EventLog, LogPage } from "./event-log.ts";
import { cacheHeaders, entityTag, hasVersion, pageHeaders } from "./stream-headers.ts";
import type { StreamLimits } from "./stream-limits.ts";

/** A read of a log, whose first page was read. */
export interface StreamRead {
  readonly id: string;
  readonly log: EventLog;
  /** The requested offset, as it names the answer for caches. */
  readonly from: string;
  readonly first: LogPage;
  /** Returns the cursor of an answer. */
  readonly cursors: () => string;
  readonly ifNoneMatch: string | undefined;
  readonly clock: Clock;
  readonly limits: StreamLimits;
  readonly signal: AbortSignal;
}

export const GONE = plainAnswer(410, "this offset is not in the stream: read it again from the start", {
  "cache-control": "no-store",
});

/** The messages of one page, or that the reader has them already. */
export function answerPage({ id, log, from, ifNoneMatch }: StreamRead, page: LogPage): HttpAnswer {
  const etag = entityTag(id, from, page);
  const headers = { ...pageHeaders(page), ...cacheHeaders(page), etag };
  if (hasVersion(ifNoneMatch, etag)) return { status: 304, headers, body: null };
  return {
    status: 200,
    headers: { ...headers, "content-type": log.contentType },
    body: encodeBody(log.contentType, page.messages),
  };
}

/** The answer to `offset=now`: where the log ends, and none of its messages. */
export function answerTail({ log }: StreamRead, page: LogPage): HttpAnswer {
  return {
    status: 200,
    headers: { ...pageHeaders(page), "cache-control": "no-store", "content-type": log.contentType },
    body: encodeBody(log.contentType, []),
  };
}
