/** Serves a log as a read-only stream of the Durable Streams protocol, for any content type. */
import type { Clock } from "../../../base/clock.ts";
import { type HttpAnswer, plainAnswer, type RouteRequest } from "../../../transport/http-routes.ts";
import type { TokenHolder } from "../../../transport/token-holder.ts";
import { answerPage, answerTail, GONE, type StreamRead } from "./answer-page.ts";
import {
  type EventLog,
  type EventLogAbsence,
  type EventLogs,
  isLogAbsence,
  type LogGone,
  type LogPage,
} from "./event-log.ts";
import { answerLongPoll } from "./long-poll.ts";
import { answerEvents } from "./server-sent-events.ts";
import { createCursors } from "./stream-cursor.ts";
import { tailHeaders } from "./stream-headers.ts";
import type { StreamLimits } from "./stream-limits.ts";
import { parseStreamQuery, type StreamStart } from "./stream-query.ts";

export interface DurableStreamOptions {
  readonly logs: EventLogs;
  readonly clock: Clock;
  /** At least 0, and less than 1. */
  readonly random: () => number;
  readonly limits: StreamLimits;
}

/** Answers `GET` and `HEAD` of the stream with this id. */
export type AnswerStream = (
  request: RouteRequest,
  id: string,
  holder: TokenHolder | null,
) => Promise<HttpAnswer>;

const NO_STORE = { "cache-control": "no-store" };
const RETRY_SOON = { ...NO_STORE, "retry-after": "1" };
const ABSENCES: Readonly<Record<EventLogAbsence["kind"], HttpAnswer>> = {
  unknown: plainAnswer(404, "there is no such stream", NO_STORE),
  // Clients repeat a request after this status, and end with the other two.
  starting: plainAnswer(503, "the stream is not readable yet: try again", RETRY_SOON),
  gone: plainAnswer(410, "the stream was deleted", NO_STORE),
};
const BUSY = plainAnswer(429, "too many readers: try again", RETRY_SOON);

export function createDurableStream({ logs, clock, random, limits }: DurableStreamOptions): AnswerStream {
  let readers = 0;

  async function answerGet(
    { query: text, headers, signal }: RouteRequest,
    id: string,
    holder: TokenHolder | null,
  ): Promise<HttpAnswer> {
    const query = parseStreamQuery(text);
    if (query.kind === "malformed") return plainAnswer(400, query.reason, NO_STORE);
    const { from, mode } = query;
    const log = await logs.open(id, holder);
    if (isLogAbsence(log)) return ABSENCES[log.kind];
    if (from.kind === "offset" && !log.isOffset(from.text))
      return plainAnswer(400, "`offset` is none of this stream", NO_STORE);
    const first = await readFirstPage(log, from, limits.pageBytes);
    if (first.kind === "gone") return GONE;
    const read: StreamRead = {
      id,
      log,
      from: nameOf(from, first),
      first,
      cursors: createCursors(query.cursor, { clock, random }),
      ifNoneMatch: headers["if-none-match"],
      clock,
      limits: withinToken(limits, holder, clock),
      signal,
    };
    if (mode === "sse") return answerEvents(read);
    if (mode === "long-poll") return answerLongPoll(read);
    return from.kind === "tail" ? answerTail(read, first) : answerPage(read, first);
  }

  async function answerHead(id: string, holder: TokenHolder | null): Promise<HttpAnswer> {
    const log = await logs.open(id, holder);
    if (isLogAbsence(log)) return ABSENCES[log.kind];
    const headers = { ...tailHeaders(await log.tail()), ...NO_STORE, "content-type": log.contentType };
    return { status: 200, headers, body: null };
  }

  return (request, id, holder) => {
    if (request.method === "HEAD") return answerHead(id, holder);
    if (readers >= limits.readers) return Promise.resolve(BUSY);
    readers += 1;
    const release = (): void => void (readers -= 1);
    if (request.signal.aborted) release();
    else request.signal.addEventListener("abort", release, { once: true });
    return answerGet(request, id, holder);
  };
}

/** A live read ends with the token of its reader. */
function withinToken(limits: StreamLimits, holder: TokenHolder | null, clock: Clock): StreamLimits {
  if (holder === null || holder.expiresAtMs === null) return limits;
  const remaining = Math.max(0, holder.expiresAtMs - clock.now());
  return {
    ...limits,
    longPollMs: Math.min(limits.longPollMs, remaining),
    sseMs: Math.min(limits.sseMs, remaining),
  };
}

async function readFirstPage(log: EventLog, from: StreamStart, maxBytes: number): Promise<LogPage | LogGone> {
  if (from.kind !== "tail") return log.read(from.kind === "offset" ? from.text : null, maxBytes);
  const { offset, isClosed } = await log.tail();
  return { kind: "page", messages: [], nextOffset: offset, isUpToDate: true, isClosed };
}

function nameOf(from: StreamStart, first: LogPage): string {
  if (from.kind === "start") return "-1";
  return from.kind === "offset" ? from.text : first.nextOffset;
}
