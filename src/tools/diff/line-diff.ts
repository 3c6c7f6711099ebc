/**
 * The difference of two lists of lines by Myers' algorithm in linear space, with inserted runs moved as far
 * down as they can go. It does a bounded amount of work: when that is spent, what is left is shown as removed
 * and added as a whole, which is longer but still right.
 */
import { createEditGraph } from "./edit-graph.ts";
import { settleInsertions } from "./settle-insertions.ts";

/** A run of lines. The place of a run in both lists follows from the lengths of the runs before it. */
export interface Run {
  readonly kind: "equal" | "removed" | "added";
  readonly length: number;
}

/** Enough for about 1400 changed lines that lie scattered; some 50 ms. */
const MAX_STEPS = 4_000_000;

export function diffLines(
  before: readonly string[],
  after: readonly string[],
  maxSteps: number = MAX_STEPS,
): Run[] {
  const ids = new Map<string, number>();
  const old = Int32Array.from(before, (line) => identify(ids, line));
  const young = Int32Array.from(after, (line) => identify(ids, line));
  const graph = createEditGraph(old, young, maxSteps);
  const runs: { kind: Run["kind"]; length: number }[] = [];
  const push = (kind: Run["kind"], length: number) => {
    if (length === 0) return;
    const last = runs.at(-1);
    if (last?.kind === kind) last.length += length;
    else runs.push({ kind, length });
  };

  const walk = (oldStart: number, oldEnd: number, youngStart: number, youngEnd: number): void => {
    const prefix = graph.commonPrefix(oldStart, oldEnd, youngStart, youngEnd);
    push("equal", prefix);
    const left = oldStart + prefix;
    const top = youngStart + prefix;
    const suffix = graph.commonSuffix(left, oldEnd, top, youngEnd);
    const right = oldEnd - suffix;
    const bottom = youngEnd - suffix;
    const middle = left < right && top < bottom ? graph.middle({ left, right, top, bottom }) : undefined;
    if (middle === undefined) {
      push("removed", right - left);
      push("added", bottom - top);
    } else {
      walk(left, middle.x, top, middle.y);
      walk(middle.x, right, middle.y, bottom);
    }
    push("equal", suffix);
  };
  walk(0, old.length, 0, young.length);
  return settleInsertions(runs, old, young);
}

function identify(ids: Map<string, number>, line: string): number {
  const known = ids.get(line);
  if (known !== undefined) return known;
  ids.set(line, ids.size);
  return ids.size - 1;
}
