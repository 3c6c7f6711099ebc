/** The hunks of a unified diff, as `git diff` writes them. Lines end with a line feed only. */
import { diffLines, type LineRun } from "./line-diff.ts";

interface Hunk {
  oldStart: number;
  newStart: number;
  runs: LineRun[];
}

const SIGNS = { equal: " ", removed: "-", added: "+" } as const;

/** Empty if the texts are equal. */
export function unifiedDiff(before: string, after: string, context: number): string {
  const old = splitLines(before);
  const young = splitLines(after);
  const runs = removalsFirst(diffLines(old, young));
  return hunksOf(runs, context)
    .map((hunk) => renderHunk(hunk, old, young))
    .join("");
}

/** Each line includes its line feed. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Between two equal runs, removals precede additions. */
function removalsFirst(runs: readonly LineRun[]): LineRun[] {
  const sorted: LineRun[] = [];
  let removed = 0;
  let added = 0;
  const flush = () => {
    if (removed > 0) sorted.push({ kind: "removed", length: removed });
    if (added > 0) sorted.push({ kind: "added", length: added });
    removed = 0;
    added = 0;
  };
  for (const run of runs) {
    if (run.kind === "removed") removed += run.length;
    if (run.kind === "added") added += run.length;
    if (run.kind !== "equal") continue;
    flush();
    sorted.push(run);
  }
  flush();
  return sorted;
}

function hunksOf(runs: readonly LineRun[], context: number): Hunk[] {
  const hunks: Hunk[] = [];
  let old = 0;
  let young = 0;
  let open: Hunk | undefined;
  for (const [index, run] of runs.entries()) {
    if (run.kind !== "equal") {
      open ??= { oldStart: old, newStart: young, runs: [] };
      open.runs.push(run);
    } else {
      const isLast = index === runs.length - 1;
      if (open !== undefined && !isLast && run.length <= 2 * context) open.runs.push(run);
      else {
        if (open !== undefined) {
          open.runs.push({ kind: "equal", length: Math.min(run.length, context) });
          hunks.push(open);
        }
        const lead = isLast ? 0 : Math.min(run.length, context);
        open = isLast
          ? undefined
          : {
              oldStart: old + run.length - lead,
              newStart: young + run.length - lead,
              runs: [{ kind: "equal", length: lead }],
            };
      }
    }
    if (run.kind !== "added") old += run.length;
    if (run.kind !== "removed") young += run.length;
  }
  if (open !== undefined) hunks.push(open);
  return hunks;
}

function renderHunk(hunk: Hunk, old: readonly string[], young: readonly string[]): string {
  const body: string[] = [];
  let oldEnd = hunk.oldStart;
  let newEnd = hunk.newStart;
  for (const { kind, length } of hunk.runs) {
    const lines =
      kind === "added" ? young.slice(newEnd, newEnd + length) : old.slice(oldEnd, oldEnd + length);
    for (const line of lines) body.push(renderLine(SIGNS[kind], line));
    if (kind !== "added") oldEnd += length;
    if (kind !== "removed") newEnd += length;
  }
  return `@@ -${range(hunk.oldStart, oldEnd)} +${range(hunk.newStart, newEnd)} @@\n${body.join("")}`;
}

function renderLine(sign: string, line: string): string {
  return line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;
}

/** Lines are counted from one, but an empty range names the line before it. */
function range(start: number, end: number): string {
  const length = end - start;
  if (length === 0) return `${start},0`;
  return length === 1 ? `${start + 1}` : `${start + 1},${length}`;
}
