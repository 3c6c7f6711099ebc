/** Forks and reverts of threads. */
import type { SessionMeta } from "../../lines/line.ts";
import { responseItem } from "../../lines/thread-lines.ts";
import { turnInterrupted } from "../../lines/turn-lines.ts";
import { findUnfinishedTurn } from "../../pages/fork-point.ts";
import { activeWriter, archivedThread, type Done, type StoreRefusal, storeRefusal } from "../../refusal.ts";
import type {
  Boundary,
  CopiedHistory,
  ForkOrigin,
  InterruptionMarker,
  OpenedThread,
} from "../../thread-store.ts";
import type { RolloutRow } from "../index/history-index.ts";
import type { HistoryBase } from "../rollout/file-meta.ts";
import { isPacked, plainPath, rolloutPath } from "../rollout/rollout-name.ts";
import { RolloutWriter } from "../rollout/writer.ts";
import { copyLines, findFileForkPoint, isLegacy } from "./file-fork-point.ts";
import { generationOf } from "./generations.ts";
import { unpackInPlace } from "./pack-thread.ts";
import { recallHistory } from "./recall-history.ts";
import { type FileSpan, findSpans } from "./spans.ts";
import { firstLine, readable, type ThreadWriter, type ThreadWriterOptions } from "./thread-writer.ts";

export interface ForkContext extends ThreadWriterOptions {
  readonly writer: ThreadWriter;
}

interface ForkSource {
  readonly kind: "forkSource";
  readonly current: RolloutRow;
  readonly base: HistoryBase | null;
  readonly spans: readonly FileSpan[];
}

export function forkFileThread(
  context: ForkContext,
  threadId: string,
  boundary: Boundary,
  origin: ForkOrigin,
): Promise<OpenedThread | StoreRefusal> {
  return readable(threadId, async () => {
    const found = await findForkSource(context, threadId, boundary);
    return found.kind === "refused" ? found : createFork(context, found, origin);
  });
}

/** As a fork, for an ephemeral thread. */
export function copyFileThread(
  context: ForkContext,
  threadId: string,
  boundary: Boundary,
  marker: InterruptionMarker,
): Promise<CopiedHistory | StoreRefusal> {
  return readable(threadId, async () => {
    const found = await findForkSource(context, threadId, boundary);
    if (found.kind === "refused") return found;
    const { current, spans, base } = found;
    const { index, indexer } = context;
    const legacy = isLegacy(current);
    const facts = legacy ? current.facts : await indexer.factsBefore(base, current.threadId);
    const cut = await findUnfinishedTurn(index, spans, legacy ? await copyLines(spans, context) : []);
    const recalled = await recallHistory(context, { facts, spans, marker: cut === null ? null : marker });
    return { kind: "copy", ...recalled };
  });
}

async function findForkSource(
  context: ForkContext,
  threadId: string,
  boundary: Boundary,
): Promise<ForkSource | StoreRefusal> {
  const { writer, indexer } = context;
  await writer.flush(threadId);
  const found = await findSpans(indexer, threadId);
  if (found.kind === "refused") return found;
  const { current } = found;
  if (current.archived) return archivedThread(threadId);
  if (isPacked(current.path)) {
    const refused = await unpackHeld(context, current);
    return refused ?? findForkSource(context, threadId, boundary);
  }
  const point = await findFileForkPoint(context, found.spans, boundary);
  return point.kind === "refused" ? point : { ...point, kind: "forkSource", current };
}

/** A fork refers to offsets in its source, which a packed file does not have. */
async function unpackHeld(context: ForkContext, row: RolloutRow): Promise<StoreRefusal | null> {
  const { leases } = context;
  const lease = await leases.acquire(row.threadId, "ifFree");
  if (lease.kind === "elsewhere") return activeWriter(row.threadId);
  try {
    await unpackInPlace(context, row);
    return null;
  } finally {
    await leases.release(lease.fence);
  }
}

async function createFork(
  context: ForkContext,
  { current: source, base, spans }: ForkSource,
  { opening = [], marker, ...origin }: ForkOrigin,
): Promise<OpenedThread | StoreRefusal> {
  const { indexer, index, writer, clock } = context;
  const legacy = isLegacy(source);
  // A fork of a legacy thread begins with a copy of its lines.
  const copied = legacy ? await copyLines(spans, context) : [];
  const historyBase = legacy ? null : base;
  const inherited = await indexer.factsBefore(historyBase, origin.threadId);
  const last = spans.at(-1);
  const generation = historyBase === null || last === undefined ? 0 : await generationOf(context, last.row);
  const historyMode = legacy ? "legacy" : "paginated";
  const journal = writer.begin(
    {
      ...origin,
      createdAtMs: clock.now(),
      forkedFromId: source.threadId,
      historyBase,
      historyMode,
      generation,
    },
    inherited,
  );
  const cut = await findUnfinishedTurn(index, spans, copied);
  const markerLines = marker === undefined ? [] : [responseItem(marker)];
  const ending = cut === null ? [] : [...markerLines, turnInterrupted(cut)];
  const outcome = await journal.append([...copied, ...opening, ...ending]);
  if (outcome.kind !== "kept") {
    await journal.close();
    return storeRefusal("disk", outcome.message);
  }
  const recalled = await recallHistory(context, {
    facts: journal.facts(),
    spans,
    marker: cut === null ? null : (marker ?? null),
  });
  return { kind: "open", journal, ...recalled };
}

/** The thread continues in a new file, which is based on the kept part of the old one. */
export async function revertFileThread(
  context: ForkContext,
  threadId: string,
  beforeTurnId: string,
): Promise<Done> {
  const { writer, indexer, leases } = context;
  if (writer.journal(threadId) !== null) return activeWriter(threadId);
  const found = await findSpans(indexer, threadId);
  if (found.kind === "refused") return found;
  if (isLegacy(found.current)) return storeRefusal("legacy", "thread/revert only supports paginated threads");
  const point = await findFileForkPoint(context, found.spans, { kind: "before", turnId: beforeTurnId });
  if (point.kind === "refused") return point;
  const lease = await leases.acquire(threadId, "ifFree");
  if (lease.kind === "elsewhere") return activeWriter(threadId);
  try {
    if (isPacked(found.current.path)) await unpackInPlace(context, found.current);
    return await replaceFile(context, found.current, point.base);
  } finally {
    await leases.release(lease.fence);
  }
}

async function replaceFile(
  context: ForkContext,
  current: RolloutRow,
  base: HistoryBase | null,
): Promise<Done> {
  const { home, indexer, clock, createId, durability, leases, files } = context;
  const { threadId } = current;
  const meta = await firstLine(files, plainPath(current.path));
  if (meta === null) return storeRefusal("unreadable", `${current.path} has no first line that can be read`);
  const { history_base: _base, ...kept } = meta;
  const createdAtMs = clock.now();
  const path = rolloutPath(home, { threadId, createdAtMs, rolloutId: createId() });
  const timestamp = new Date(createdAtMs).toISOString();
  const payload = {
    ...kept,
    timestamp,
    ...(base === null ? {} : { history_base: base }),
    // Stored in the file, so that a lost file does not change the generation of later ones.
    heddle_generation: (await generationOf(context, current)) + 1,
  } as SessionMeta;
  const firstOrdinal = base?.end_ordinal_exclusive ?? 0;
  const isOurs = () => leases.confirmHeld(threadId);
  const writer = new RolloutWriter({ path, clock, durability, firstOrdinal, isOurs });
  const outcome = await writer.append([{ type: "session_meta", payload }]);
  await writer.close();
  if (outcome.kind !== "written") return storeRefusal("disk", outcome.message);
  await indexer.refresh({ path });
  return { kind: "done" };
}
