import type { AnswerHeaders, RouteRequest } from "../../../transport/http-routes.ts";
import type { LogPage, LogTail } from "./event-log.ts";

const EXPOSED = "etag, stream-next-offset, stream-cursor, stream-up-to-date, stream-closed, retry-after";

/** Of every answer of a stream, also of refusals. Only a page whose origin the gate allows can read an answer. */
export function streamHeaders({ allowedOrigin }: Pick<RouteRequest, "allowedOrigin">): AnswerHeaders {
  return {
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    vary: "origin",
    ...(allowedOrigin !== null && {
      "access-control-allow-origin": allowedOrigin,
      "access-control-expose-headers": EXPOSED,
    }),
  };
}

/** Of the answer to `OPTIONS`. */
export const preflightHeaders: AnswerHeaders = {
  allow: "GET, HEAD, OPTIONS",
  "access-control-allow-methods": "GET, HEAD, OPTIONS",
  "access-control-allow-headers": "authorization, if-none-match",
  "access-control-max-age": "600",
};

/** Where an answer ends. A closed log is said to be closed only by an answer that reaches its end. */
export function pageHeaders({
  nextOffset,
  isUpToDate,
  isClosed,
}: Omit<LogPage, "kind" | "messages">): AnswerHeaders {
  return {
    "stream-next-offset": nextOffset,
    ...(isUpToDate && { "stream-up-to-date": "true" }),
    ...(isUpToDate && isClosed && { "stream-closed": "true" }),
  };
}

export function tailHeaders({ offset, isClosed }: LogTail): AnswerHeaders {
  return { "stream-next-offset": offset, ...(isClosed && { "stream-closed": "true" }) };
}

/** An answer that reaches the tail of an open log changes with the next message; every other one stays as it is. */
export function cacheHeaders({
  isUpToDate,
  isClosed,
}: Pick<LogPage, "isUpToDate" | "isClosed">): AnswerHeaders {
  const changes = isUpToDate && !isClosed;
  return {
    "cache-control": changes ? "private, no-cache" : "private, max-age=60, stale-while-revalidate=300",
  };
}

/** Differs once the log is closed, because the headers then differ. */
export function entityTag(
  id: string,
  from: string,
  page: Pick<LogPage, "nextOffset" | "isUpToDate" | "isClosed">,
): string {
  const end = page.isUpToDate ? (page.isClosed ? ":closed" : ":tail") : "";
  return `"${encodeURIComponent(id)}:${from}:${page.nextOffset}${end}"`;
}

/** Whether a reader has this version already. */
export function hasVersion(ifNoneMatch: string | undefined, tag: string): boolean {
  const tags = ifNoneMatch?.split(",").map((each) => each.trim().replace(/^W\//u, "")) ?? [];
  return tags.includes(tag) || tags.includes("*");
}
