/**
 * The place of a thread in lists by creation. It follows the time that the file tells, as long as the file's name
 * bears it out: so it is known within seconds before the file is read, and no file can put itself where it likes.
 */
import { idTimeMs, nameTimeMs, type RolloutName } from "../rollout/rollout-name.ts";

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
