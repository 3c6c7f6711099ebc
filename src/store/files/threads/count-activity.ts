/** Counts the activity of threads from their files, a bounded part at a time. */
import type { Clock } from "../../../base/clock.ts";
import type { Activity } from "../../activity.ts";
import { type HookRan, noActivity, type SpentTokens, stepActivity } from "../../lines/activity-step.ts";
import type { HistoryIndex, RolloutRow } from "../index/history-index.ts";
import { openRollout, type RolloutReader } from "../rollout/reader.ts";
import type { RolloutFiles } from "../rollout/rollout-files.ts";
import type { ActivityTables, CountedPosition, UncountedFile } from "../sqlite/sqlite-activity.ts";
import { isLegacy } from "./file-fork-point.ts";

export interface ActivityCounterOptions {
  readonly tables: ActivityTables;
  readonly index: Pick<HistoryIndex, "rollout" | "rolloutsOf" | "turn">;
  readonly files: RolloutFiles;
  /** Makes the index know all lines of this process. */
  readonly flush: () => Promise<void>;
  readonly clock: Pick<Clock, "monotonic">;
}

/** Lines in one transaction. */
const LINES_AT_ONCE = 2000;
/** Files that are looked up at once. */
const FILES_AT_ONCE = 200;

export function createActivityCounter(options: ActivityCounterOptions): Activity["catchUp"] {
  const { tables, index, files, flush, clock } = options;
  let running: Promise<{ readonly pending: number }> | null = null;

  async function run(maxMs: number): Promise<{ readonly pending: number }> {
    const endsAt = clock.monotonic() + maxMs;
    const isOver = (): boolean => clock.monotonic() >= endsAt;
    await flush();
    const seen = new Set<string>();
    for (;;) {
      const { files: found, total } = tables.uncounted(FILES_AT_ONCE);
      const next = found.filter(({ rolloutId }) => !seen.has(rolloutId));
      if (next.length === 0) return { pending: 0 };
      if (isOver()) return { pending: total };
      for (const file of next) {
        if (isOver()) break;
        if (await countFile(file, isOver)) seen.add(file.rolloutId);
      }
    }
  }

  /** False if the time was over before the end of the file. */
  async function countFile(file: UncountedFile, isOver: () => boolean): Promise<boolean> {
    const row = await index.rollout(file.rolloutId);
    if (row === null) return true;
    const opened = await openRollout(files, row.path);
    // A file that cannot be read is not tried again until it changes.
    if (opened.kind === "unreadable") return skip(file, row);
    try {
      return await countLines(opened.reader, { file, row, isOver });
    } finally {
      await opened.reader.close();
    }
  }

  async function skip({ rolloutId, mark, position }: UncountedFile, { threadId }: RolloutRow): Promise<true> {
    const from = position?.bytes ?? null;
    const to = position ?? { bytes: 0, state: noActivity };
    await tables.count({ rolloutId, threadId, from, to, mark, changes: [] });
    return true;
  }

  async function countLines(
    reader: RolloutReader,
    { file, row, isOver }: { readonly file: UncountedFile; readonly row: RolloutRow; isOver(): boolean },
  ): Promise<boolean> {
    const { rolloutId, mark } = file;
    const isCopied = createCopyCheck(row, index);
    let from = file.position?.bytes ?? null;
    let at: CountedPosition = file.position ?? { bytes: 0, state: noActivity };
    let changes: (SpentTokens | HookRan)[] = [];
    let lines = 0;
    const save = (isEnd: boolean): Promise<boolean> =>
      tables.count({
        rolloutId,
        threadId: row.threadId,
        from,
        to: at,
        mark: isEnd ? mark : null,
        changes,
      });
    for await (const { line, offset, length } of reader.lines({ from: at.bytes })) {
      const { state, change } = stepActivity(at.state, line);
      at = { bytes: offset + length, state };
      if (change !== null && !(await isCopied(change.turnId))) changes.push(change);
      lines += 1;
      if (lines % LINES_AT_ONCE !== 0) continue;
      // Another process counts the same file.
      if (!(await save(false))) return true;
      from = at.bytes;
      changes = [];
      if (isOver()) return false;
    }
    await save(true);
    return true;
  }

  return (maxMs) => {
    running ??= run(maxMs).finally(() => {
      running = null;
    });
    return running;
  };
}

/** A fork of a legacy thread begins with a copy of the turns of its source. */
function createCopyCheck(
  row: RolloutRow,
  index: ActivityCounterOptions["index"],
): (turnId: string | null) => Promise<boolean> {
  const { forkedFromId } = row.facts;
  if (!isLegacy(row) || forkedFromId === null) return async () => false;
  let last: { readonly turnId: string; readonly isCopied: boolean } | null = null;
  return async (turnId) => {
    if (turnId === null) return false;
    if (last?.turnId === turnId) return last.isCopied;
    const sources = await index.rolloutsOf(forkedFromId);
    const found = await Promise.all(sources.map(({ rolloutId }) => index.turn(rolloutId, turnId)));
    last = { turnId, isCopied: found.some((turn) => turn !== null) };
    return last.isCopied;
  };
}
