/** Reads the state with which a thread continues, or begins with the history of another. */
import { once } from "../../../base/tasks.ts";
import {
  emptyModelHistory,
  foldModelHistory,
  isSelfContained,
  type ModelHistory,
} from "../../lines/model-history.ts";
import type { ThreadFacts } from "../../lines/thread-facts.ts";
import { unfinishedTurn } from "../../pages/history-reader.ts";
import type { InterruptionMarker, StoredHistory } from "../../thread-store.ts";
import type { HistoryIndex } from "../index/history-index.ts";
import type { Indexer } from "../index/indexer.ts";
import { type FaultList, openRollout, readLineage, type Segment } from "../rollout/reader.ts";
import type { RolloutFiles } from "../rollout/rollout-files.ts";
import { isLegacy } from "./file-fork-point.ts";
import { type FileSpan, firstMessage } from "./spans.ts";

export interface RecallOptions {
  readonly index: HistoryIndex;
  readonly indexer: Indexer;
  readonly faults: FaultList;
  readonly files: RolloutFiles;
}

export interface Recallable {
  readonly facts: ThreadFacts;
  readonly spans: readonly FileSpan[];
  /** Appended to the model's history if it ends within a turn. */
  readonly marker: InterruptionMarker | null;
}

const READ_ATTEMPTS = 3;

export async function recallHistory(
  options: RecallOptions,
  { facts, spans, marker }: Recallable,
): Promise<StoredHistory> {
  const { index } = options;
  const unfinishedTurnId = (await unfinishedTurn(index, spans))?.turnId ?? null;
  return {
    facts: { ...facts, preview: await firstMessage(index, spans) },
    model: once(async () => {
      const model = await readWithRetry(options, spans);
      return marker === null ? model : { ...model, items: [...model.items, { ...marker }] };
    }).get,
    unfinishedTurnId,
  };
}

/** Retries, because shared files may be moved between the opening of the thread and this read, or during it. */
async function readWithRetry(
  options: RecallOptions,
  spans: readonly FileSpan[],
  attempt = 1,
): Promise<ModelHistory> {
  const { indexer } = options;
  const found: FileSpan[] = [];
  for (const span of spans) {
    const path = (await indexer.rowOfRollout(span.row.rolloutId))?.path ?? span.row.path;
    found.push({ ...span, row: { ...span.row, path } });
  }
  try {
    return await readModel(found, options);
  } catch (error) {
    if (attempt === READ_ATTEMPTS) throw error;
    return readWithRetry(options, spans, attempt + 1);
  }
}

/**
 * The model's history up to the indexed end of the newest file when the spans were found. A compaction replaces
 * everything before it, so that only lines from the last one on are read. Files are read in chunks, and other work runs
 * between chunks.
 */
async function readModel(
  spans: readonly FileSpan[],
  { files, faults }: RecallOptions,
): Promise<ModelHistory> {
  const legacy = spans.some(({ row }) => isLegacy(row));
  const segments = spans.map(
    ({ row, toOffset }): Segment => ({ path: row.path, to: Math.min(toOffset, row.indexedBytes) }),
  );
  const model = emptyModelHistory();
  // A rollback of a legacy thread may go back before a compaction.
  const needed = legacy ? segments : await sinceCompaction(files, segments);
  for await (const { line } of readLineage(files, needed, { onFault: (fault) => faults.line(fault) })) {
    foldModelHistory(model, line, legacy);
  }
  return model;
}

async function sinceCompaction(
  files: RolloutFiles,
  segments: readonly Segment[],
): Promise<readonly Segment[]> {
  for (const [at, segment] of [...segments.entries()].toReversed()) {
    const from = await lastCompaction(files, segment);
    if (from !== null) return [{ ...segment, from }, ...segments.slice(at + 1)];
  }
  return segments;
}

async function lastCompaction(files: RolloutFiles, { path, to }: Segment): Promise<number | null> {
  const opened = await openRollout(files, path);
  if (opened.kind === "unreadable") return null;
  try {
    const before = to ?? (await opened.reader.size());
    const found = await opened.reader.lastWith(MARK, before, ({ line }) => isSelfContained(line));
    return found?.offset ?? null;
  } finally {
    await opened.reader.close();
  }
}

/** As in the line; inside of a string, the quotes would be escaped. */
const MARK = '"type":"compacted"';
