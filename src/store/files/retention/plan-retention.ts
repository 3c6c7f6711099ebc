/**
 * Decides which threads to archive, pack and delete, as a pure function of facts: families beyond the maximum age are
 * archived, those archived for as long again are deleted, and while the home exceeds its size, the oldest are removed
 * first. A second plan right after applying the first is empty.
 */

/** A thread and all threads that it spawned, which are archived and deleted together. */
export interface Family {
  readonly rootId: string;
  readonly lastActiveMs: number;
  /** Since when all of its threads are archived; null if some are not. */
  readonly archivedSinceMs: number | null;
  /** The size of its files. */
  readonly bytes: number;
  /** Whether it has archived files that can be packed. */
  readonly isPackable: boolean;
  /** Why it is exempt from the limits; null if it is not. */
  readonly protection: string | null;
  /** The roots of other families that its files are based on. */
  readonly basedOn: readonly string[];
}

export interface RetentionLimits {
  readonly maxAgeMs: number | null;
  /** The limit for all threads together. */
  readonly maxBytes: number | null;
}

export interface PlanOptions<F extends Family> {
  readonly families: readonly F[];
  readonly limits: RetentionLimits;
  readonly nowMs: number;
  /** The size of a family's files if they were packed. */
  readonly packedBytes: (family: F) => Promise<number>;
}

/** The planned action for a family. An archived family is also packed. */
export interface Fate<F extends Family> {
  readonly family: F;
  readonly kind: "delete" | "archive" | "pack" | "keep";
  readonly why: string;
}

interface Entry<F extends Family> {
  readonly family: F;
  kind: Fate<F>["kind"];
  why: string;
  archivedSinceMs: number | null;
  bytes: number;
  isMeasured: boolean;
  /** The number of remaining families that are based on it. */
  forks: number;
}

/** Returns the actions, least recently active family first. */
export async function planRetention<F extends Family>(options: PlanOptions<F>): Promise<Fate<F>[]> {
  const entries = options.families
    .map(
      (family): Entry<F> => ({
        family,
        kind: "keep",
        why: "",
        archivedSinceMs: family.archivedSinceMs,
        bytes: family.bytes,
        isMeasured: false,
        forks: 0,
      }),
    )
    .sort(oldestFirst);
  const plan = createPlanning(entries, options);
  while (plan.applyAgeLimit() || (await plan.applySizeLimit())) {
    // The deletion of its forks may release a family, so that the limits are applied again.
  }
  return entries.map(fateOf);
}

interface Planning {
  /** False if nothing changed. */
  applyAgeLimit(): boolean;
  /** False if nothing changed. Archived families are deleted first; others are archived before they are deleted. */
  applySizeLimit(): Promise<boolean>;
}

function createPlanning<F extends Family>(
  entries: readonly Entry<F>[],
  { limits, nowMs, packedBytes }: PlanOptions<F>,
): Planning {
  const { maxAgeMs, maxBytes } = limits;
  const byRoot = new Map(entries.map((entry) => [entry.family.rootId, entry]));
  /** The size of all remaining families. */
  let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  for (const { family } of entries) for (const base of basesOf(family)) base.forks += 1;

  function basesOf({ basedOn, rootId }: F): Entry<F>[] {
    const roots = new Set(basedOn.filter((root) => root !== rootId));
    return [...roots].flatMap((root) => byRoot.get(root) ?? []);
  }

  function archive(entry: Entry<F>, why: string): void {
    entry.kind = "archive";
    entry.why = why;
    entry.archivedSinceMs = nowMs;
  }

  function remove(entry: Entry<F>, why: string): void {
    entry.kind = "delete";
    entry.why = why;
    bytes -= entry.bytes;
    for (const base of basesOf(entry.family)) base.forks -= 1;
  }

  /** Families are packed before they are deleted to save space, so that the packed size counts. */
  async function measure(entry: Entry<F>): Promise<void> {
    if (entry.isMeasured || !isFree(entry)) return;
    entry.isMeasured = true;
    const packed = Math.min(entry.bytes, await packedBytes(entry.family));
    bytes -= entry.bytes - packed;
    entry.bytes = packed;
  }

  /** Applies an action to the oldest families until the rest fits the limit; false if none was changed. */
  async function shrink(
    limit: number,
    isWanted: (entry: Entry<F>) => boolean,
    take: (entry: Entry<F>) => void | Promise<void>,
  ): Promise<boolean> {
    let hasChanged = false;
    for (const entry of entries) {
      if (bytes <= limit) break;
      if (!isFree(entry) || !isWanted(entry)) continue;
      await take(entry);
      hasChanged = true;
    }
    return hasChanged;
  }

  return {
    applyAgeLimit() {
      if (maxAgeMs === null) return false;
      const days = inDays(maxAgeMs);
      let hasChanged = false;
      for (const entry of entries) {
        if (!isFree(entry) || nowMs - entry.family.lastActiveMs <= maxAgeMs) continue;
        if (entry.archivedSinceMs === null) archive(entry, `nothing has happened in it for ${days}`);
        else if (nowMs - entry.archivedSinceMs > maxAgeMs) remove(entry, `it has been archived for ${days}`);
        else continue;
        hasChanged = true;
      }
      return hasChanged;
    },
    async applySizeLimit() {
      if (maxBytes === null || bytes <= maxBytes) return false;
      const why = `the threads take up more than ${maxBytes} bytes`;
      for (const entry of entries) if (entry.archivedSinceMs !== null) await measure(entry);
      const isArchived = ({ archivedSinceMs }: Entry<F>): boolean => archivedSinceMs !== null;
      if (await shrink(maxBytes, isArchived, (entry) => remove(entry, why))) return true;
      return shrink(
        maxBytes,
        (entry) => !isArchived(entry),
        (entry) => {
          archive(entry, why);
          return measure(entry);
        },
      );
    },
  };
}

/** The default reason for keeping a family. */
export const WITHIN_LIMITS = "it is within the limits";

function fateOf<F extends Family>({ family, kind, why, forks }: Entry<F>): Fate<F> {
  if (kind !== "keep") return { family, kind, why };
  if (family.protection !== null) return { family, kind, why: family.protection };
  if (forks > 0) return { family, kind, why: "other threads are based on it" };
  if (family.isPackable) return { family, kind: "pack", why: "it is archived" };
  return { family, kind, why: WITHIN_LIMITS };
}

function isFree({ family, forks, kind }: Entry<Family>): boolean {
  return family.protection === null && forks === 0 && kind !== "delete";
}

function oldestFirst({ family: one }: Entry<Family>, { family: other }: Entry<Family>): number {
  return one.lastActiveMs - other.lastActiveMs || (one.rootId < other.rootId ? -1 : 1);
}

function inDays(ms: number): string {
  const days = Math.round(ms / 86_400_000);
  return days === 1 ? "a day" : `${days} days`;
}
