/** Reads unified diffs, and finds the words that differ within changed lines. */
export interface DiffLine {
  readonly kind: "same" | "add" | "del";
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
  readonly text: string;
}

export interface DiffHunk {
  readonly header: string;
  readonly lines: readonly DiffLine[];
}

export interface Diff {
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/u;

/** `wholeFile`: the text of a file that is new or deleted, in place of a diff. */
export function parseDiff(text: string, wholeFile: "add" | "del" | null = null): Diff {
  if (wholeFile !== null && !HUNK.test(text) && !text.includes("\n@@ "))
    return wholeFileDiff(text, wholeFile);
  const hunks: { header: string; lines: DiffLine[] }[] = [];
  let [oldNumber, newNumber] = [0, 0];
  for (const line of text.split("\n")) {
    const [isHunk, oldStart, newStart] = HUNK.exec(line) ?? [];
    if (isHunk !== undefined) {
      [oldNumber, newNumber] = [Number(oldStart), Number(newStart)];
      hunks.push({ header: line, lines: [] });
      continue;
    }
    const hunk = hunks.at(-1);
    if (hunk === undefined) continue;
    const sign = line.charAt(0);
    if (sign === "+")
      hunk.lines.push({ kind: "add", oldNumber: null, newNumber: newNumber++, text: line.slice(1) });
    else if (sign === "-")
      hunk.lines.push({ kind: "del", oldNumber: oldNumber++, newNumber: null, text: line.slice(1) });
    else if (sign === " ")
      hunk.lines.push({ kind: "same", oldNumber: oldNumber++, newNumber: newNumber++, text: line.slice(1) });
  }
  return counted(hunks);
}

function wholeFileDiff(text: string, kind: "add" | "del"): Diff {
  const lines = text.replace(/\n$/u, "").split("\n");
  const numbered = lines.map((line, at) => ({
    kind,
    oldNumber: kind === "del" ? at + 1 : null,
    newNumber: kind === "add" ? at + 1 : null,
    text: line,
  }));
  return counted([{ header: "", lines: numbered }]);
}

function counted(hunks: readonly DiffHunk[]): Diff {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    hunks,
    added: lines.filter(({ kind }) => kind === "add").length,
    removed: lines.filter(({ kind }) => kind === "del").length,
  };
}

/** A row of the side-by-side view; null where a side has no line. */
export interface DiffPair {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

/** Deleted lines are beside the added lines that follow them. */
export function pairLines(lines: readonly DiffLine[]): readonly DiffPair[] {
  const pairs: DiffPair[] = [];
  let deleted: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(deleted.length, added.length); at += 1)
      pairs.push({ left: deleted[at] ?? null, right: added[at] ?? null });
    [deleted, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "same") {
      flush();
      pairs.push({ left: line, right: line });
    } else if (line.kind === "del") {
      if (added.length > 0) flush();
      deleted.push(line);
    } else added.push(line);
  }
  flush();
  return pairs;
}

/** The range of a line that differs from its counterpart; null where most of it does. */
export interface ChangedRange {
  readonly from: number;
  readonly to: number;
}

/** Marks more than this share of a line mark nothing. */
const MAX_SHARE = 0.8;

export function changedRanges(
  one: string,
  other: string,
): readonly [ChangedRange | null, ChangedRange | null] {
  let start = 0;
  const shorter = Math.min(one.length, other.length);
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  const rangeOf = (text: string): ChangedRange | null => {
    const to = text.length - end;
    return to <= start || to - start > text.length * MAX_SHARE ? null : { from: start, to };
  };
  return [rangeOf(one), rangeOf(other)];
}
