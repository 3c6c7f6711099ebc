import { invalidRequest } from "../connections/handler.ts";

export interface PageParams {
  readonly cursor?: string | null;
  readonly limit?: number | null;
}

/** Returns a page of a list. The cursor is the decimal offset of the page. */
export function pageOf<T>(items: readonly T[], { cursor, limit }: PageParams, plural: string) {
  const start = cursor === undefined || cursor === null ? 0 : parseOffset(cursor);
  if (start > items.length) throw invalidRequest(`cursor ${start} exceeds total ${plural} ${items.length}`);
  const end = Math.min(items.length, start + Math.max(1, limit ?? items.length));
  return { data: items.slice(start, end), nextCursor: end < items.length ? String(end) : null };
}

function parseOffset(cursor: string): number {
  if (!/^\+?\d+$/.test(cursor)) throw invalidRequest(`invalid cursor: ${cursor}`);
  return Number(cursor);
}
