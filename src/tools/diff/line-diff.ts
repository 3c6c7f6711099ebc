/**
 * Diffs two lists of lines by Myers' algorithm in linear space, with inserted runs moved as far down as
 * possible. The work is bounded: when the budget is spent, the remainder is shown as removed and added as a
 * whole, which is longer but still correct.
 */
import { slideInsertions } from "./slide-insertions.ts";

/** A run of lines. Its position in both lists follows from the lengths of the runs before it. */
export interface LineRun {
  readonly kind: "equal" | "removed" | "added";
  readonly length: number;
}

/** Enough for about 1400 changed lines that lie scattered; some 50 ms. */
const MAX_STEPS = 4_000_000;

export function diffLines(
  before: readonly string[],
  after: readonly string[],
  maxSteps: number = MAX_STEPS,
): LineRun[] {
  const ids = new Map<string, number>();
  const old = Int32Array.from(before, (line) => identify(ids, line));
  const young = Int32Array.from(after, (line) => identify(ids, line));
  const graph = createEditGraph(old, young, maxSteps);
  const runs: { kind: LineRun["kind"]; length: number }[] = [];
  const push = (kind: LineRun["kind"], length: number) => {
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
  return slideInsertions(runs, old, young);
}

function identify(ids: Map<string, number>, line: string): number {
  const known = ids.get(line);
  if (known !== undefined) return known;
  ids.set(line, ids.size);
  return ids.size - 1;
}

/**
 * The edit graph of two sequences: x counts elements of the old one, y of the new one, a diagonal step keeps
 * an element. Finds a point in the middle of a shortest path by searching from both corners at once.
 */
interface EditGraph {
  commonPrefix(oldStart: number, oldEnd: number, newStart: number, newEnd: number): number;
  commonSuffix(oldStart: number, oldEnd: number, newStart: number, newEnd: number): number;
  /** A point on a shortest path through the box; undefined when the work budget is spent. */
  middle(box: Box): Point | undefined;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function createEditGraph(old: Int32Array, young: Int32Array, maxSteps: number): EditGraph {
  const reach = (old.length + young.length + 1) >> 1;
  // The progress of both searches on each diagonal; diagonal k is at index k + reach + 1.
  const forward = new Int32Array(2 * reach + 4);
  const backward = new Int32Array(2 * reach + 4);
  const zero = reach + 1;
  let steps = 0;

  function commonPrefix(oldStart: number, oldEnd: number, newStart: number, newEnd: number): number {
    const limit = Math.min(oldEnd - oldStart, newEnd - newStart);
    let length = 0;
    while (length < limit && old[oldStart + length] === young[newStart + length]) length += 1;
    return length;
  }

  function commonSuffix(oldStart: number, oldEnd: number, newStart: number, newEnd: number): number {
    const limit = Math.min(oldEnd - oldStart, newEnd - newStart);
    let length = 0;
    while (length < limit && old[oldEnd - 1 - length] === young[newEnd - 1 - length]) length += 1;
    return length;
  }

  function furthest(reached: Int32Array, diagonal: number, distance: number): number {
    const below = reached[zero + diagonal - 1] ?? 0;
    const above = reached[zero + diagonal + 1] ?? 0;
    return diagonal === -distance || (diagonal !== distance && below < above) ? above : below + 1;
  }

  function middle({ left, right, top, bottom }: Box): Point | undefined {
    const width = right - left;
    const height = bottom - top;
    const delta = width - height;
    const odd = (delta & 1) === 1;
    forward[zero + 1] = 0;
    backward[zero + 1] = 0;
    for (let distance = 0; distance <= (width + height + 1) >> 1; distance += 1) {
      steps += 2 * distance + 2;
      if (steps > maxSteps) return undefined;
      for (let k = distance; k >= -distance; k -= 2) {
        const x = furthest(forward, k, distance);
        const y = x - k;
        const end = x + commonPrefix(left + x, right, top + y, bottom);
        steps += end - x;
        forward[zero + k] = end;
        const met = odd && Math.abs(k - delta) < distance;
        if (met && end + (backward[zero + delta - k] ?? 0) >= width) return { x: left + x, y: top + y };
      }
      for (let k = distance; k >= -distance; k -= 2) {
        const x = furthest(backward, k, distance);
        const y = x - k;
        const length = commonSuffix(left, right - x, top, bottom - y);
        steps += length;
        backward[zero + k] = x + length;
        const met = !odd && Math.abs(k - delta) <= distance;
        if (met && x + length + (forward[zero + delta - k] ?? 0) >= width) {
          return { x: right - x - length, y: bottom - y - length };
        }
      }
    }
    return undefined;
  }

  return { commonPrefix, commonSuffix, middle };
}
