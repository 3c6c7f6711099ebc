/**
 * The segments that the history of a thread consists of. A fork begins a segment that is based on a part of another
 * thread's, a revert one that is based on a part of the thread's own.
 */
import type { JsonObject } from "../../../base/json-object.ts";
import type { LinePosition } from "../../line-position.ts";
import { findForkPoint } from "../../pages/fork-point.ts";
import { END, type Span } from "../../pages/history-reader.ts";
import { type StoreRefusal, storeRefusal } from "../../refusal.ts";
import type { Boundary } from "../../thread-store.ts";
import type { Statements } from "../connection/database.ts";
import type { ThreadRows } from "./thread-rows.ts";

export interface SegmentKey {
  readonly threadId: string;
  readonly generation: number;
}

export interface PostgresSpan extends Span, SegmentKey {}

/** The place that a segment continues; null if it begins with nothing. */
export interface SegmentBase extends SegmentKey {
  /** The end, exclusive, of what is shared. */
  readonly seq: number;
}

/** Forks of forks and reverts of reverts beyond it are not read. */
const MAX_SEGMENTS = 1000;

const SPANS = `
  WITH RECURSIVE chain AS (
    SELECT segment.*, NULL::bigint AS to_seq, 0 AS depth FROM segment
    JOIN head USING (thread_id, generation) JOIN thread USING (thread_id)
    WHERE segment.thread_id = $1 AND thread.tenant = $2
    UNION ALL
    SELECT base.*, chain.first_seq, chain.depth + 1 FROM chain
    JOIN segment AS base ON base.thread_id = chain.base_thread_id AND base.generation = chain.base_generation
    WHERE chain.depth <= ${MAX_SEGMENTS}
  )
  SELECT thread_id AS "threadId", generation, first_seq AS "fromSeq", to_seq AS "toSeq", depth FROM chain
  ORDER BY depth DESC`;

export const segmentIdOf = ({ threadId, generation }: SegmentKey): string => `${threadId}/${generation}`;

export function parseSegmentId(segmentId: string): SegmentKey {
  const at = segmentId.lastIndexOf("/");
  return { threadId: segmentId.slice(0, at), generation: Number(segmentId.slice(at + 1)) };
}

interface SpanRow extends SegmentKey {
  readonly fromSeq: number;
  readonly toSeq: number | null;
  readonly depth: number;
}

/** The spans of a thread, oldest first; empty if the tenant has no such thread. */
export async function findSegmentSpans(
  { query }: Statements,
  threadId: string,
  tenant: string,
): Promise<readonly PostgresSpan[]> {
  const rows = await query<SpanRow>(SPANS, threadId, tenant);
  if (rows.length > MAX_SEGMENTS) throw new Error(`the history of thread ${threadId} is based on itself`);
  return rows.map(({ depth, toSeq, ...span }) => ({
    ...span,
    segmentId: segmentIdOf(span),
    toSeq: toSeq ?? END,
    isLast: depth === 0,
  }));
}

export type SegmentForkPoint =
  | {
      readonly kind: "point";
      /** The spans up to the boundary. */
      readonly spans: readonly PostgresSpan[];
      readonly base: SegmentBase | null;
    }
  | StoreRefusal;

export async function findSegmentForkPoint(
  spans: readonly PostgresSpan[],
  rows: ThreadRows,
  { boundary, end }: { readonly boundary: Boundary; readonly end: LinePosition },
): Promise<SegmentForkPoint> {
  const turn = (segmentId: string, turnId: string) => rows.turn(segmentId, turnId);
  const point = await findForkPoint({ spans, turn, legacy: false }, boundary);
  switch (point.kind) {
    case "refused":
      return point;
    case "end":
      return pointAt(spans, point.span, end.seq);
    case "before":
      return pointAt(spans, point.span, point.turn.seq);
    case "behind":
      return point.turn.end === null
        ? storeRefusal("turn", `lastTurnId '${point.turn.turnId}' identifies an in-progress turn`)
        : pointAt(spans, point.span, point.turn.end.seq);
  }
}

/** If only the first line of a segment would be shared, the history ends in the segment before it. */
function pointAt(spans: readonly PostgresSpan[], span: PostgresSpan, seq: number): SegmentForkPoint {
  const before = spans.slice(0, spans.indexOf(span));
  const last = before.at(-1);
  if (seq > span.fromSeq + 1) {
    const { threadId, generation } = span;
    return {
      kind: "point",
      base: { threadId, generation, seq },
      spans: [...before, { ...span, toSeq: seq }],
    };
  }
  if (last === undefined) return { kind: "point", base: null, spans: [] };
  const { threadId, generation, toSeq } = last;
  return { kind: "point", base: { threadId, generation, seq: toSeq }, spans: before };
}

/** The row of a segment, with the names of its columns. */
export function toSegmentRow({ threadId, generation }: SegmentKey, base: SegmentBase | null): JsonObject {
  return {
    thread_id: threadId,
    generation,
    first_seq: base?.seq ?? 0,
    base_thread_id: base?.threadId ?? null,
    base_generation: base?.generation ?? null,
  };
}
