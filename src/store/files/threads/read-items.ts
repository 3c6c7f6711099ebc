/** Items out of the files, by the places that the index knows: only the bytes of their lines are read. */

import { closeSync } from "node:fs";
import { openRegularFileSync } from "../../../base/open-regular-file.ts";
import type { ThreadItem } from "../../../protocol/generated/types.ts";
import { noPaginatedHistory, stepHistory } from "../../lines/history-step.ts";
import { parseLine } from "../../lines/line.ts";
import type { FileItemRow, RolloutRow } from "../index/history-index.ts";
import { DEFAULT_MAX_LINE_BYTES, readBytes } from "../rollout/raw-lines.ts";
import type { FaultList } from "../rollout/reader.ts";

/**
 * The items of one file, in the order of the rows; null for those whose line is no longer what it was. Reads without
 * leaving the thread: a page has dozens of short lines, each of which takes two microseconds from the system's memory
 * and fifty by way of another thread.
 */
export function readItems(
  row: RolloutRow,
  items: readonly FileItemRow[],
  faults: FaultList,
): (ThreadItem | null)[] {
  if (items.length === 0) return [];
  let file: number | null = null;
  try {
    return items.map((item) => {
      if (item.json !== null) return JSON.parse(item.json) as ThreadItem;
      file ??= openFile(row.path);
      const found = readItem(file, item);
      if (found === null)
        faults.line({ path: row.path, lineNumber: null, offset: item.offset, reason: GONE });
      return found;
    });
  } finally {
    if (file !== null) closeSync(file);
  }
}

function openFile(path: string): number {
  const opened = openRegularFileSync(path);
  if (opened.kind === "open") return opened.file;
  throw new Error(`cannot read ${path}: ${opened.message}`);
}

const GONE = "it does not hold the item that it held before";

function readItem(file: number, { offset, length, turnId, itemId }: FileItemRow): ThreadItem | null {
  if (length > DEFAULT_MAX_LINE_BYTES) return null;
  const parsed = parseLine(readBytes(file, offset, length).toString());
  if (parsed.kind !== "line") return null;
  const { changes } = stepHistory(noPaginatedHistory, parsed.line);
  const [change] = changes;
  if (change?.kind !== "item" || change.turnId !== turnId || change.item.id !== itemId) return null;
  return change.item;
}
