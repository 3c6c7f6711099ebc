/** The generation of a rollout file: the number of reverts before it, which orders positions across files. */
import type { RolloutRow } from "../index/history-index.ts";
import type { Indexer } from "../index/indexer.ts";
import { MAX_FILES } from "../index/read-head.ts";

export interface GenerationSource {
  readonly index: { rolloutsOf(threadId: string): Promise<readonly RolloutRow[]> };
  readonly indexer: Pick<Indexer, "rowOfRollout">;
}

/**
 * The generation in the file's first line. Files of other programs have none: it is then the number of earlier files of
 * the thread, plus the generation of the thread that it was forked from.
 */
export async function generationOf(source: GenerationSource, row: RolloutRow, depth = 0): Promise<number> {
  const { generation } = row.facts;
  if (generation !== null || depth >= MAX_FILES) return generation ?? 0;
  const files = [...(await source.index.rolloutsOf(row.threadId))].sort(compareAge);
  const first = files[0] ?? row;
  const before = files.filter((each) => compareAge(each, row) < 0).length;
  const { base } = first;
  const forked = base === null ? null : await source.indexer.rowOfRollout(base.thread_id);
  const isFork = forked !== null && forked.threadId !== row.threadId;
  return before + (isFork ? await generationOf(source, forked, depth + 1) : 0);
}

function compareAge(one: RolloutRow, other: RolloutRow): number {
  if (one.fileTime !== other.fileTime) return one.fileTime < other.fileTime ? -1 : 1;
  // A file that no revert created has the id of its thread.
  const reverted = (row: RolloutRow) => (row.rolloutId === row.threadId ? 0 : 1);
  return reverted(one) - reverted(other) || (one.rolloutId < other.rolloutId ? -1 : one === other ? 0 : 1);
}
