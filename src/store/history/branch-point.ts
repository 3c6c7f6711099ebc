/** Where a fork or a revert leaves the history that it comes from. */
import type { HistoryIndex, RolloutRow, TurnRow } from "../history-index.ts";
import type { HistoryPosition } from "../rollout/line.ts";
import { openRollout } from "../rollout/reader.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { Span } from "./spans.ts";

export type Boundary =
  | { readonly kind: "whole" }
  | { readonly kind: "through"; readonly turnId: string }
  | { readonly kind: "before"; readonly turnId: string };

export type BranchPoint =
  | { readonly kind: "point"; readonly base: HistoryPosition | null; readonly spans: readonly Span[] }
  | Refusal;

/** The spans up to the boundary, and what the new file's first line says of them; null when nothing is kept. */
export async function findBranchPoint(
  index: HistoryIndex,
  spans: readonly Span[],
  boundary: Boundary,
): Promise<BranchPoint> {
  const last = spans.at(-1);
  if (last === undefined) return refuse("missing", "the thread has no history");
  if (boundary.kind === "whole") {
    return pointAt(spans, last, { seq: await nextOrdinal(last), offset: last.row.indexedBytes });
  }
  const found = await findTurn(index, spans, boundary);
  if (found === null) return refuse("turn", unknownTurn(last.row, boundary));
  const { span, turn } = found;
  if (boundary.kind === "before") return pointAt(spans, span, { seq: turn.seq, offset: turn.offset });
  const end = turn.end ?? (isLegacy(span.row) ? await legacyEnd(index, span, turn) : null);
  if (end === null || end.seq > span.toSeq) {
    return refuse("turn", `lastTurnId '${turn.turnId}' identifies an in-progress turn`);
  }
  return pointAt(spans, span, end);
}

function unknownTurn(row: RolloutRow, { kind, turnId }: Exclude<Boundary, { kind: "whole" }>): string {
  if (!isLegacy(row)) return `turn not found: ${turnId}`;
  const member = kind === "before" ? "beforeTurnId" : "lastTurnId";
  return `${member} '${turnId}' was not found in the source thread`;
}

export function isLegacy(row: RolloutRow): boolean {
  return row.facts.historyMode === "legacy";
}

/** For what lies before a turn its first telling counts, for what lies behind it the last one. */
async function findTurn(
  index: HistoryIndex,
  spans: readonly Span[],
  { kind, turnId }: Exclude<Boundary, { kind: "whole" }>,
): Promise<{ span: Span; turn: TurnRow } | null> {
  for (const span of kind === "before" ? spans : spans.toReversed()) {
    const turn = await index.turn(span.row.rolloutId, turnId);
    if (turn !== null && turn.seq >= span.fromSeq && turn.seq < span.toSeq) return { span, turn };
  }
  return null;
}

function pointAt(
  spans: readonly Span[],
  span: Span,
  { seq, offset }: { readonly seq: number; readonly offset: number },
): BranchPoint {
  const at = spans.indexOf(span);
  const before = spans.slice(0, at);
  // Nothing of this file but its first line: the file before it is where the history ends.
  if (seq <= span.fromSeq + 1) {
    return { kind: "point", base: span.row.base, spans: before };
  }
  const base = { thread_id: span.row.rolloutId, end_ordinal_exclusive: seq, end_byte_offset: offset };
  return { kind: "point", base, spans: [...before, { ...span, toSeq: seq, toOffset: offset }] };
}

async function legacyEnd(index: HistoryIndex, span: Span, turn: TurnRow) {
  const { rolloutId, indexedBytes } = span.row;
  const [next] = await index.turns({
    rolloutId,
    fromSeq: turn.seq + 1,
    toSeq: span.toSeq,
    direction: "asc",
    limit: 1,
  });
  return next === undefined
    ? { seq: Number.MAX_SAFE_INTEGER - 1, offset: indexedBytes }
    : { seq: next.seq, offset: next.offset };
}

async function nextOrdinal({ row, fromSeq }: Span): Promise<number> {
  if (isLegacy(row)) return Number.MAX_SAFE_INTEGER - 1;
  const opened = await openRollout(row.path);
  if (opened.kind === "unreadable") return fromSeq;
  try {
    const { lines } = await opened.reader.page({ before: row.indexedBytes, limit: 1 });
    return (lines[0]?.line.ordinal ?? fromSeq - 1) + 1;
  } finally {
    await opened.reader.close();
  }
}
