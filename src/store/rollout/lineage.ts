/**
 * The files that one thread's history runs through. A fork or a revert begins a new file, whose first line names
 * the file it goes on from and how much of it counts.
 */
import { AppError } from "../../base/errors.ts";
import { findRolloutById, findThreadRollout } from "./find-rollouts.ts";
import type { LocatedLine } from "./line.ts";
import { objectOf } from "./members.ts";
import { openRollout, type ReaderOptions } from "./reader.ts";
import { readPosition } from "./thread-facts.ts";

export interface Segment {
  readonly path: string;
  /** Where its part begins; the file's beginning unless given. */
  readonly from?: number;
  /** Where its part ends; null for the newest file, which counts as a whole. */
  readonly to: number | null;
}

export type Lineage =
  | { readonly kind: "found"; readonly segments: readonly Segment[]; readonly archived: boolean }
  | { readonly kind: "missing" }
  | { readonly kind: "broken"; readonly message: string };

/** The files of a thread, the oldest first. */
export async function findLineage(home: string, threadId: string): Promise<Lineage> {
  const current = await findThreadRollout(home, threadId);
  if (current === null) return { kind: "missing" };
  const segments: Segment[] = [];
  const seen = new Set<string>();
  let next: { readonly path: string; readonly to: number | null } = { path: current.path, to: null };
  for (;;) {
    if (seen.has(next.path)) return broken(threadId, `${next.path} goes on from itself`);
    seen.add(next.path);
    segments.unshift(next);
    const base = await readBase(next.path);
    if (base.kind === "broken") return broken(threadId, base.message);
    if (base.kind === "none") return { kind: "found", segments, archived: current.archived };
    const { thread_id: rolloutId, end_byte_offset: to } = base.position;
    const found = await findRolloutById(home, rolloutId);
    if (found === null)
      return broken(threadId, `the file of ${rolloutId}, which it goes on from, is missing`);
    next = { path: found.path, to };
  }
}

function broken(threadId: string, why: string): Lineage {
  return { kind: "broken", message: `the history of thread ${threadId} cannot be read: ${why}` };
}

async function readBase(path: string) {
  const opened = await openRollout(path);
  if (opened.kind === "unreadable") return { kind: "broken", message: opened.message } as const;
  try {
    for await (const { line } of opened.reader.lines()) {
      const base = line.type === "session_meta" ? objectOf(line.payload, "history_base") : null;
      return base === null
        ? ({ kind: "none" } as const)
        : ({ kind: "based", position: readPosition(base) } as const);
    }
    return { kind: "none" } as const;
  } finally {
    await opened.reader.close();
  }
}

/** The lines of all files in order, as if they were one. */
export async function* readLineage(
  segments: readonly Segment[],
  options: ReaderOptions = {},
): AsyncGenerator<LocatedLine> {
  for (const { path, from = 0, to } of segments) {
    const opened = await openRollout(path, options);
    if (opened.kind === "unreadable") throw new AppError("rollout.unreadable", opened.message);
    try {
      yield* opened.reader.lines(to === null ? { from } : { from, to });
    } finally {
      await opened.reader.close();
    }
  }
}
