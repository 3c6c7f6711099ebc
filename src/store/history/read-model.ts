/**
 * What the model of a thread has been told, read from its files for somebody who is about to go on with it. A
 * compaction replaces all that was before it, so that only what follows the last one is read. The files are read a
 * chunk at a time, with room for other work between chunks.
 */
import { readLineage, type Segment } from "../rollout/lineage.ts";
import {
  emptyModelHistory,
  foldModelHistory,
  isSelfContained,
  type ModelHistory,
} from "../rollout/model-history.ts";
import { openRollout } from "../rollout/reader.ts";
import { isLegacy } from "./branch-point.ts";
import type { FaultList } from "./fault-list.ts";
import type { Span } from "./spans.ts";

/** Up to where the index knew the newest file when the spans were found; what is written later does not count. */
export async function readModel(spans: readonly Span[], faults: FaultList): Promise<ModelHistory> {
  const legacy = spans.some(({ row }) => isLegacy(row));
  const segments = spans.map(
    ({ row, toOffset }): Segment => ({ path: row.path, to: Math.min(toOffset, row.indexedBytes) }),
  );
  const model = emptyModelHistory();
  // A rollback of an old thread may go back behind a compaction.
  const needed = legacy ? segments : await sinceCompaction(segments);
  for await (const { line } of readLineage(needed, { onFault: (fault) => faults.line(fault) })) {
    foldModelHistory(model, line, legacy);
  }
  return model;
}

async function sinceCompaction(segments: readonly Segment[]): Promise<readonly Segment[]> {
  for (const [at, segment] of [...segments.entries()].toReversed()) {
    const from = await lastCompaction(segment);
    if (from !== null) return [{ ...segment, from }, ...segments.slice(at + 1)];
  }
  return segments;
}

async function lastCompaction({ path, to }: Segment): Promise<number | null> {
  const opened = await openRollout(path);
  if (opened.kind === "unreadable") return null;
  try {
    const before = to ?? (await opened.reader.size());
    const found = await opened.reader.lastWith(MARK, before, ({ line }) => isSelfContained(line));
    return found?.offset ?? null;
  } finally {
    await opened.reader.close();
  }
}

/** As the line has it; inside of a text the quotes would be escaped. */
const MARK = '"type":"compacted"';
