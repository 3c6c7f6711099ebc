/** Forks and reverts of threads in memory. */
import { once } from "../../base/tasks.ts";
import type { LineBody } from "../lines/line.ts";
import { responseItem, sessionMeta } from "../lines/thread-lines.ts";
import { turnInterrupted, type UnfinishedTurn } from "../lines/turn-lines.ts";
import { findForkPoint, findUnfinishedTurn } from "../pages/fork-point.ts";
import { unfinishedTurn } from "../pages/history-reader.ts";
import { archivedThread, missingThread, type StoreRefusal } from "../refusal.ts";
import type { Boundary, ForkOrigin, InterruptionMarker, StoredHistory, StoredLine } from "../thread-store.ts";
import { MemoryThread } from "./memory-thread.ts";

/** The part of a thread up to a boundary, and the unfinished turn at its end. */
export interface ForkSlice {
  readonly kind: "forkSlice";
  readonly thread: MemoryThread;
  readonly end: number;
  readonly lines: readonly StoredLine[];
  readonly unfinished: UnfinishedTurn | null;
}

export async function findForkSlice(
  thread: MemoryThread | undefined,
  threadId: string,
  boundary: Boundary,
): Promise<ForkSlice | StoreRefusal> {
  if (thread === undefined) return missingThread(threadId);
  if (thread.archived) return archivedThread(threadId);
  const { rows } = thread;
  const turn = (segmentId: string, turnId: string) => rows.turn(segmentId, turnId);
  const point = await findForkPoint({ spans: [thread.span()], turn, legacy: false }, boundary);
  if (point.kind === "refused") return point;
  let end = thread.lines.length;
  if (point.kind === "before") end = point.turn.seq;
  if (point.kind === "behind") end = point.turn.end?.seq ?? end;
  // A session line at the end is dropped, because nothing follows it.
  while (thread.lines[end - 1]?.line.type === "session_meta") end -= 1;
  const lines = thread.lines.slice(0, end);
  const unfinished = await findUnfinishedTurn(rows, [thread.span(end)], []);
  return { kind: "forkSlice", thread, end, lines, unfinished };
}

/** The new thread, its first lines and its recalled history. */
export async function forkMemory(
  { thread: source, end, lines, unfinished }: ForkSlice,
  { opening = [], marker, ...origin }: ForkOrigin,
  createdAtMs: number,
) {
  const isBased = lines.length > 0;
  const generation = lines.at(-1)?.generation ?? 0;
  const thread = new MemoryThread(origin.threadId, isBased ? source.id : null, generation);
  if (isBased) thread.inherit(lines, false);
  const meta = sessionMeta({ ...origin, createdAtMs, generation, forkedFromId: source.id });
  const markerLines: LineBody[] = marker === undefined ? [] : [responseItem(marker)];
  const bodies = [...opening, ...(unfinished === null ? [] : [...markerLines, turnInterrupted(unfinished)])];
  const recalled = await recall(source, end, unfinished === null ? null : (marker ?? null));
  return { thread, meta, bodies, recalled };
}

export function revertMemory({ thread, lines }: ForkSlice, nowMs: number): MemoryThread {
  const reverted = new MemoryThread(thread.id, thread.basedOn, thread.generation + 1);
  if (lines.length > 0) reverted.inherit(lines, true);
  const meta = thread.lines.findLast(({ line }) => line.type === "session_meta")?.line;
  if (meta !== undefined) reverted.append([{ type: meta.type, payload: meta.payload } as LineBody], nowMs);
  reverted.details = thread.details;
  reverted.readState = thread.readState;
  return reverted;
}

/** The recalled history of a thread up to a position. */
export async function recall(
  thread: MemoryThread,
  end: number,
  marker: InterruptionMarker | null,
): Promise<StoredHistory> {
  const open = await unfinishedTurn(thread.rows, [thread.span(end)]);
  return {
    facts: thread.recalledFacts(end),
    model: once(async () => {
      const model = thread.model(end);
      return marker === null ? model : { ...model, items: [...model.items, { ...marker }] };
    }).get,
    unfinishedTurnId: open?.turnId ?? null,
  };
}
