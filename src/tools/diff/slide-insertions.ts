/**
 * Where the same lines precede and follow an inserted run, either of them can count as new. Each run slides
 * up as far as possible, merges with the inserted runs it meets, and then slides down as far as possible: a
 * new function then ends with its own closing brace and not with the one before it.
 */
import type { LineRun } from "./line-diff.ts";

interface MutableLineRun {
  kind: LineRun["kind"];
  length: number;
}

export function slideInsertions(runs: readonly LineRun[], old: Int32Array, young: Int32Array): LineRun[] {
  const settled = runs.map((run) => ({ ...run }));
  for (let index = 0; index < settled.length; index += 1) {
    if (settled[index]?.kind !== "added") continue;
    index = slide(settled, index, "up", { old, young });
    index = slide(settled, index, "down", { old, young });
  }
  return settled;
}

interface Sequences {
  readonly old: Int32Array;
  readonly young: Int32Array;
}

/** Slides the inserted run at `index` and returns its new index. */
function slide(runs: MutableLineRun[], index: number, way: "up" | "down", sequences: Sequences): number {
  const step = way === "up" ? -1 : 1;
  let at = index;
  for (;;) {
    const run = runs[at];
    const next = runs[at + step];
    if (run === undefined || next === undefined) return at;
    if (next.kind === "added") {
      next.length += run.length;
      runs.splice(at, 1);
      if (way === "up") at -= 1;
    } else if (next.kind === "removed") {
      runs[at] = next;
      at += step;
      runs[at] = run;
    } else {
      const shift = way === "up" ? sharedAbove(runs, at, sequences) : sharedBelow(runs, at, sequences);
      if (shift === 0) return at;
      at = pass(runs, at, step, shift);
    }
  }
}

/** Moves `shift` equal lines from one side of the run to the other. */
function pass(runs: MutableLineRun[], index: number, step: -1 | 1, shift: number): number {
  let at = index;
  const ahead = runs[at + step];
  const behind = runs[at - step];
  if (behind?.kind === "equal") behind.length += shift;
  else {
    runs.splice(step === -1 ? at + 1 : at, 0, { kind: "equal", length: shift });
    if (step === 1) at += 1;
  }
  if (ahead === undefined) return at;
  ahead.length -= shift;
  if (ahead.length === 0) {
    runs.splice(at + step, 1);
    if (step === -1) at -= 1;
  }
  return at;
}

function sharedAbove(runs: readonly MutableLineRun[], at: number, { old, young }: Sequences): number {
  const place = positionOf(runs, at);
  const limit = Math.min(runs[at - 1]?.length ?? 0, runs[at]?.length ?? 0);
  const end = place.young + (runs[at]?.length ?? 0);
  let length = 0;
  while (length < limit && old[place.old - 1 - length] === young[end - 1 - length]) length += 1;
  return length;
}

function sharedBelow(runs: readonly MutableLineRun[], at: number, { old, young }: Sequences): number {
  const place = positionOf(runs, at);
  const limit = Math.min(runs[at + 1]?.length ?? 0, runs[at]?.length ?? 0);
  let length = 0;
  while (length < limit && old[place.old + length] === young[place.young + length]) length += 1;
  return length;
}

function positionOf(runs: readonly MutableLineRun[], at: number): { old: number; young: number } {
  const place = { old: 0, young: 0 };
  for (const [index, run] of runs.entries()) {
    if (index === at) break;
    if (run.kind !== "added") place.old += run.length;
    if (run.kind !== "removed") place.young += run.length;
  }
  return place;
}
