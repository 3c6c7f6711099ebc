/**
 * Names of rollout files: `rollout-<local time>-<thread id>.jsonl`, with `_<rollout id>` behind the thread id
 * when a revert has replaced the first file, and `.zst` at the end when it has been compressed.
 */
import { join } from "node:path";

export interface RolloutName {
  readonly threadId: string;
  /** The thread's id, unless a revert made this file. */
  readonly rolloutId: string;
  /** The local time of its making, as it stands in the name: `2026-11-15T09-24-31`. */
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

/** The time in a name, `2026-11-15T09-24-31`, as this machine's zone reads it. */
export function nameTimeMs(time: string): number {
  const at = (start: number, end: number) => Number(time.slice(start, end));
  return new Date(at(0, 4), at(5, 7) - 1, at(8, 10), at(11, 13), at(14, 16), at(17, 19)).getTime();
}

/** When a UUIDv7 was made; null for other ids. */
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
 * Newest first: by time, then by the rollout's id, whose beginning is a time too. Of a file and what was packed of it,
 * the file itself comes first, which may have lines that came later.
 */
export function compareNewestFirst(one: RolloutName, other: RolloutName): number {
  return (
    compareText(other.time, one.time) ||
    compareText(other.rolloutId, one.rolloutId) ||
    Number(one.compressed) - Number(other.compressed)
  );
}

const PACKED = ".zst";

/** Whether a path is that of a rollout that is kept packed. */
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
  /** Minutes that local time is ahead of UTC; the machine's own unless given. */
  readonly utcOffsetMinutes?: number;
  /** Given for the file that a revert makes. */
  readonly rolloutId?: string;
}

/** Where the file of a new rollout belongs in a home. */
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

/** Archived rollouts keep their names and lie in one flat folder. */
export function archivedFolder(home: string): string {
  return join(home, "archived_sessions");
}

export interface TimeRange {
  readonly earliest: number;
  readonly latest: number;
}

/** How far the time in a file may be from the one in its name, which has no parts of a second. */
const NEAR_MS = 10_000;
/** Names have local times: the zones of two machines are at most this far apart. */
const ZONES_MS = 26 * 3_600_000;

type NamedThread = Pick<RolloutName, "threadId" | "rolloutId" | "time">;

/** When a thread was made; a file that does not tell is as old as its name says. */
export function creationTime({ time }: Pick<RolloutName, "time">, toldMs: number): number {
  return toldMs === 0 ? nameTimeMs(time) : toldMs;
}

/**
 * The place of a thread in lists by creation. It follows the time that the file tells, as long as the file's name
 * bears it out: so it is known within seconds before the file is read, and no file can put itself where it likes.
 */
export function createdOrderMs(name: NamedThread, createdAtMs: number): number {
  // The name of a reverted thread's file has the time of the revert.
  if (isReverted(name)) return createdAtMs;
  const isBorneOut = witnesses(name).some((time) => Math.abs(createdAtMs - time) <= NEAR_MS);
  return isBorneOut ? createdAtMs : nameTimeMs(name.time);
}

/** Where `createdOrderMs` of a file that has not been read can lie. */
export function createdRange(name: NamedThread): TimeRange {
  if (isReverted(name)) return { earliest: Number.NEGATIVE_INFINITY, latest: Number.POSITIVE_INFINITY };
  const times = witnesses(name);
  return { earliest: Math.min(...times) - NEAR_MS, latest: Math.max(...times) + NEAR_MS };
}

function isReverted({ threadId, rolloutId }: NamedThread): boolean {
  return threadId !== rolloutId;
}

/** What a name says of the time: it is written in the zone of its writer, the id in it knows of no zones. */
function witnesses({ threadId, time }: NamedThread): number[] {
  const named = nameTimeMs(time);
  const made = idTimeMs(threadId);
  return made !== null && Math.abs(made - named) <= ZONES_MS ? [named, made] : [named];
}
