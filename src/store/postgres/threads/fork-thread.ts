/** Forks and reverts of threads. */
import type { SessionMeta } from "../../lines/line.ts";
import { prepareLines } from "../../lines/line.ts";
import { responseItem, sessionMeta } from "../../lines/thread-lines.ts";
import { turnInterrupted } from "../../lines/turn-lines.ts";
import { findUnfinishedTurn } from "../../pages/fork-point.ts";
import {
  activeWriter,
  archivedThread,
  type Done,
  missingThread,
  type StoreRefusal,
  storeRefusal,
} from "../../refusal.ts";
import type {
  Boundary,
  CopiedHistory,
  ForkOrigin,
  InterruptionMarker,
  OpenedThread,
} from "../../thread-store.ts";
import { appendAll } from "../journal/append-statement.ts";
import { foldLine, newFold, toThreadRow } from "../journal/thread-fold.ts";
import { inheritFacts, readMeta, recallSegments } from "./recall-thread.ts";
import { findSegmentForkPoint, findSegmentSpans, type SegmentForkPoint, toSegmentRow } from "./segments.ts";
import type { ThreadOpener, ThreadOpenerOptions } from "./thread-opener.ts";
import { readThreadRow } from "./thread-row.ts";

export interface SegmentForkContext extends ThreadOpenerOptions {
  readonly opener: ThreadOpener;
}

type ForkSource = Extract<SegmentForkPoint, { kind: "point" }>;

async function findForkSource(
  context: SegmentForkContext,
  threadId: string,
  boundary: Boundary,
): Promise<ForkSource | StoreRefusal> {
  const { statements, rows, tenant, opener } = context;
  const row = await readThreadRow(statements, threadId, tenant);
  if (row === null) return missingThread(threadId);
  if (row.archived) return archivedThread(threadId);
  const end = await opener.findEnd(threadId);
  if (end === null) return missingThread(threadId);
  return findSegmentForkPoint(await findSegmentSpans(statements, threadId, tenant), rows, { boundary, end });
}

export async function copyThread(
  context: SegmentForkContext,
  threadId: string,
  boundary: Boundary,
  marker: InterruptionMarker,
): Promise<CopiedHistory | StoreRefusal> {
  const found = await findForkSource(context, threadId, boundary);
  if (found.kind === "refused") return found;
  const { spans } = found;
  const facts = await inheritFacts(context, spans, false);
  const cut = await findUnfinishedTurn(context.rows, spans, []);
  const recalled = await recallSegments(context, { facts, spans, marker: cut === null ? null : marker });
  return { kind: "copy", ...recalled };
}

export async function forkThread(
  context: SegmentForkContext,
  threadId: string,
  boundary: Boundary,
  { opening = [], marker, ...origin }: ForkOrigin,
): Promise<OpenedThread | StoreRefusal> {
  const found = await findForkSource(context, threadId, boundary);
  if (found.kind === "refused") return found;
  const { spans, base } = found;
  const { opener, now } = context;
  const generation = base?.generation ?? 0;
  const dated = { ...origin, createdAtMs: now(), generation, forkedFromId: threadId };
  const journal = opener.begin(origin.threadId, {
    position: { generation, seq: base?.seq ?? 0 },
    facts: await inheritFacts(context, spans, false),
    meta: sessionMeta({ ...dated, forkedFromSeq: base?.seq ?? null }),
    segment: toSegmentRow({ threadId: origin.threadId, generation }, base),
  });
  const cut = await findUnfinishedTurn(context.rows, spans, []);
  const markerLines = marker === undefined ? [] : [responseItem(marker)];
  const ending = cut === null ? [] : [...markerLines, turnInterrupted(cut)];
  const outcome = await journal.append([...opening, ...ending]);
  if (outcome.kind !== "kept") {
    await journal.close();
    return storeRefusal("disk", outcome.message);
  }
  const ended = cut === null ? null : (marker ?? null);
  const recalled = await recallSegments(context, { facts: journal.facts(), spans, marker: ended });
  return { kind: "open", journal, ...recalled };
}

/** The thread continues in a new segment, which is based on the part before the turn. */
export async function revertThread(
  context: SegmentForkContext,
  threadId: string,
  beforeTurnId: string,
): Promise<Done> {
  const { leases, opener } = context;
  if (opener.journal(threadId) !== null) return activeWriter(threadId);
  const before = { kind: "before", turnId: beforeTurnId } as const;
  const first = await findForkSource(context, threadId, before);
  if (first.kind === "refused") return first;
  const lease = await leases.acquireHead(threadId, "ifFree");
  if (lease.kind === "elsewhere") return activeWriter(threadId);
  try {
    // Another process may have written to the thread before.
    const found = await findForkSource(context, threadId, before);
    return found.kind === "refused" ? found : await beginSegment(context, lease, found);
  } finally {
    await leases.release(lease.fence);
  }
}

async function beginSegment(
  context: SegmentForkContext,
  {
    fence,
    position,
  }: Extract<Awaited<ReturnType<SegmentForkContext["leases"]["acquireHead"]>>, { kind: "held" }>,
  { spans, base }: ForkSource,
): Promise<Done> {
  const { statements, database, nodeId, tenant, now } = context;
  const { threadId } = fence;
  const current = (await findSegmentSpans(statements, threadId, tenant)).at(-1);
  if (current === undefined) return missingThread(threadId);
  const generation = position.generation + 1;
  const timeMs = now();
  const timestamp = new Date(timeMs).toISOString();
  const known = await readMeta(statements, current);
  const payload = { ...known, timestamp, heddle_generation: generation } as SessionMeta;
  const seq = base?.seq ?? 0;
  const meta = { type: "session_meta", payload } as const;
  const fold = newFold(await inheritFacts(context, spans, true));
  const { state, changes } = foldLine(fold, { timestamp, ...meta, ordinal: seq }, seq);
  const append = {
    ...fence,
    expected: position,
    next: { generation, seq: seq + 1 },
    segment: toSegmentRow({ threadId, generation }, base),
    lines: prepareLines([meta], timeMs).map((line) => ({ seq, text: line.withOrdinal(seq).slice(0, -1) })),
    changes,
    thread: toThreadRow(threadId, tenant, state),
  };
  const kept = await database.transaction((within) => appendAll(within, nodeId, [append]));
  return kept.has(threadId) ? { kind: "done" } : activeWriter(threadId);
}
