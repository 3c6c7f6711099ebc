/**
 * Where the same lines stand before and after an inserted run, there is a choice which of them count as new.
 * Each run goes up as far as it can, takes the inserted runs it meets with it, and comes to rest as far down
 * as it can go: a new function then ends with its own closing brace and not with the one before it.
 */
import type { Run } from "./line-diff.ts";

interface MutableRun {
  kind: Run["kind"];
  length: number;
}

export function slideInsertions(runs: readonly Run[], old: Int32Array, young: Int32Array): Run[] {
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

/** Moves the inserted run at `index` and answers where it is then. */
function slide(runs: MutableRun[], index: number, way: "up" | "down", sequences: Sequences): number {
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

/** Lets `shift` equal lines change sides. */
function pass(runs: MutableRun[], index: number, step: -1 | 1, shift: number): number {
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

function sharedAbove(runs: readonly MutableRun[], at: number, { old, young }: Sequences): number {
  const place = placeOf(runs, at);
  const limit = Math.min(runs[at - 1]?.length ?? 0, runs[at]?.length ?? 0);
  const end = place.young + (runs[at]?.length ?? 0);
  let length = 0;
  while (length < limit && old[place.old - 1 - length] === young[end - 1 - length]) length += 1;
  return length;
}

function sharedBelow(runs: readonly MutableRun[], at: number, { old, young }: Sequences): number {
  const place = placeOf(runs, at);
  const limit = Math.min(runs[at + 1]?.length ?? 0, runs[at]?.length ?? 0);
  let length = 0;
  while (length < limit && old[place.old + length] === young[place.young + length]) length += 1;
  return length;
}

function placeOf(runs: readonly MutableRun[], at: number): { old: number; young: number } {
  const place = { old: 0, young: 0 };
  for (const [index, run] of runs.entries()) {
    if (index === at) break;
    if (run.kind !== "added") place.old += run.length;
    if (run.kind !== "removed") place.young += run.length;
  }
  return place;
}
