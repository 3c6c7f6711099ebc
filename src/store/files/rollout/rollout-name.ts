/**
 * Names of rollout files: `rollout-<local time>-<thread id>.jsonl`, with `_<rollout id>` after the thread id for a file
 * that a revert created, and `.zst` at the end if it is compressed.
 */
import { join } from "node:path";

export interface RolloutName {
  readonly threadId: string;
  /** The thread id, unless a revert created this file. */
  readonly rolloutId: string;
  /** The local creation time, as in the name: `2026-11-15T09-24-31`. */
  readonly time: string;
  readonly compressed: boolean;
}

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const NAME = new RegExp(
  String.raw`^rollout-(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2})-(${UUID})(?:_(${UUID}))?\.jsonl(\.zst)?$`,
  "i",
);

export function parseRolloutName(fileName: string): RolloutName | null {
  const match = NAME.exec(fileName);
  const [, time, threadId, rolloutId] = match ?? [];
  if (match === null || time === undefined || threadId === undefined) return null;
  const id = threadId.toLowerCase();
  return {
    threadId: id,
    rolloutId: rolloutId?.toLowerCase() ?? id,
    time,
    compressed: match[4] !== undefined,
  };
}

/** Parses a time in a name, `2026-11-15T09-24-31`, in the time zone of this machine. */
export function nameTimeMs(time: string): number {
  const at = (start: number, end: number) => Number(time.slice(start, end));
  return new Date(at(0, 4), at(5, 7) - 1, at(8, 10), at(11, 13), at(14, 16), at(17, 19)).getTime();
}

/** The creation time in a UUIDv7; null for other ids. */
export function idTimeMs(id: string): number | null {
  if (id.charAt(14) !== "7") return null;
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return Number.isNaN(ms) ? null : ms;
}

export function formatRolloutName({ threadId, rolloutId, time, compressed }: RolloutName): string {
  const ids = rolloutId === threadId ? threadId : `${threadId}_${rolloutId}`;
  return `rollout-${time}-${ids}.jsonl${compressed ? PACKED : ""}`;
}

/**
 * Newest first: by time, then by rollout id, which begins with a time. A plain file comes before its packed copy,
 * because it may have newer lines.
 */
export function compareNewestFirst(one: RolloutName, other: RolloutName): number {
  return (
    compareText(other.time, one.time) ||
    compareText(other.rolloutId, one.rolloutId) ||
    Number(one.compressed) - Number(other.compressed)
  );
}

const PACKED = ".zst";

/** Whether the path is that of a packed rollout. */
export function isPacked(path: string): boolean {
  return path.endsWith(`.jsonl${PACKED}`);
}

export function packedPath(path: string): string {
  return isPacked(path) ? path : `${path}${PACKED}`;
}

export function plainPath(path: string): string {
  return isPacked(path) ? path.slice(0, -PACKED.length) : path;
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export interface NewRollout {
  readonly threadId: string;
  readonly createdAtMs: number;
  /** The UTC offset of local time; by default, that of the machine. */
  readonly utcOffsetMinutes?: number;
  /** Set for a file that a revert creates. */
  readonly rolloutId?: string;
}

/** The path of a new rollout in a home. */
export function rolloutPath(home: string, rollout: NewRollout): string {
  const { threadId, createdAtMs } = rollout;
  const offset = rollout.utcOffsetMinutes ?? -new Date(createdAtMs).getTimezoneOffset();
  const local = new Date(createdAtMs + offset * 60_000).toISOString().slice(0, 19);
  const [year = "", month = "", day = ""] = local.slice(0, 10).split("-");
  const time = local.replaceAll(":", "-");
  const name = formatRolloutName({
    threadId,
    rolloutId: rollout.rolloutId ?? threadId,
    time,
    compressed: false,
  });
  return join(sessionsFolder(home), year, month, day, name);
}

export function sessionsFolder(home: string): string {
  return join(home, "sessions");
}

/** Archived rollouts keep their names, in one flat folder. */
export function archivedFolder(home: string): string {
  return join(home, "archived_sessions");
}

export interface TimeRange {
  readonly earliest: number;
  readonly latest: number;
}

/** The tolerance between the time in a file and that in its name, which has whole seconds. */
const TOLERANCE_MS = 10_000;
/** The maximum difference between the local times of two machines. */
const MAX_ZONE_DIFFERENCE_MS = 26 * 3_600_000;

type NamedThread = Pick<RolloutName, "threadId" | "rolloutId" | "time">;

/** The creation time in the file or, if it has none, in its name. */
export function creationTime({ time }: Pick<RolloutName, "time">, storedMs: number): number {
  return storedMs === 0 ? nameTimeMs(time) : storedMs;
}

/**
 * The sort key of a thread in lists by creation: the time in the file if the name confirms it, else the time in the
 * name. Thus the key is known to within seconds before the file is read, and a file cannot choose an arbitrary
 * position.
 */
export function createdOrderMs(name: NamedThread, createdAtMs: number): number {
  // The name of a file that a revert created has the time of the revert.
  if (isReverted(name)) return createdAtMs;
  const isConfirmed = timesInName(name).some((time) => Math.abs(createdAtMs - time) <= TOLERANCE_MS);
  return isConfirmed ? createdAtMs : nameTimeMs(name.time);
}

/** The possible range of `createdOrderMs` for a file that has not been read. */
export function createdRange(name: NamedThread): TimeRange {
  if (isReverted(name)) return { earliest: Number.NEGATIVE_INFINITY, latest: Number.POSITIVE_INFINITY };
  const times = timesInName(name);
  return { earliest: Math.min(...times) - TOLERANCE_MS, latest: Math.max(...times) + TOLERANCE_MS };
}

function isReverted({ threadId, rolloutId }: NamedThread): boolean {
  return threadId !== rolloutId;
}

/**
 * The times that a name contains: its local time, in the zone of the writer, and that of the UUIDv7, which is in UTC.
 */
function timesInName({ threadId, time }: NamedThread): number[] {
  const named = nameTimeMs(time);
  const made = idTimeMs(threadId);
  return made !== null && Math.abs(made - named) <= MAX_ZONE_DIFFERENCE_MS ? [named, made] : [named];
}
