/**
 * Decides what a home lets go of, by what is known of its threads and by nothing else: what is too old is archived, what
 * has lain in the archive for as long again is deleted, and where the home is still too large the oldest go first. A
 * second plan right after the first was carried out finds nothing to do.
 */

/** A thread and all that it has spawned: they go together. */
export interface Family {
  readonly rootId: string;
  readonly lastActiveMs: number;
  /** Since when all of it has been archived; null while some of it is not. */
  readonly archivedSinceMs: number | null;
  /** What its files take up. */
  readonly bytes: number;
  /** Whether it has archived files that can be packed. */
  readonly isPackable: boolean;
  /** Why it is not touched, whatever the limits say. */
  readonly protection: string | null;
  /** The roots of other families whose files it goes on from. */
  readonly basedOn: readonly string[];
}

export interface RetentionLimits {
  readonly maxAgeMs: number | null;
  /** Of all threads together. */
  readonly maxBytes: number | null;
}

export interface PlanOptions<F extends Family> {
  readonly families: readonly F[];
  readonly limits: RetentionLimits;
  readonly nowMs: number;
  /** What the files of a family take up when they are packed. */
  readonly packedBytes: (family: F) => Promise<number>;
}

/** What becomes of a family. An archived one is packed as well. */
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
  /** How many living families go on from it. */
  forks: number;
}

/** The oldest first. */
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
  while (plan.keepAge() || (await plan.keepSize())) {
    // What was forked from may be free when its forks are gone, and has to be looked at again.
  }
  return entries.map(fateOf);
}

interface Planning {
  /** False when there was nothing to do. */
  keepAge(): boolean;
  /** False when there was nothing to do. Archived families go before others, and others are archived before they go. */
  keepSize(): Promise<boolean>;
}

function createPlanning<F extends Family>(
  entries: readonly Entry<F>[],
  { limits, nowMs, packedBytes }: PlanOptions<F>,
): Planning {
  const { maxAgeMs, maxBytes } = limits;
  const byRoot = new Map(entries.map((entry) => [entry.family.rootId, entry]));
  /** Of all that stay. */
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

  /** Threads are packed before they are deleted for want of room. */
  async function measure(entry: Entry<F>): Promise<void> {
    if (entry.isMeasured || !isFree(entry)) return;
    entry.isMeasured = true;
    const packed = Math.min(entry.bytes, await packedBytes(entry.family));
    bytes -= entry.bytes - packed;
    entry.bytes = packed;
  }

  /** Takes the oldest until the rest is small enough; false when it took none. */
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
    keepAge() {
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
    async keepSize() {
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

/** Why most of them are kept. */
export const WITHIN_LIMITS = "it is within the limits";

function fateOf<F extends Family>({ family, kind, why, forks }: Entry<F>): Fate<F> {
  if (kind !== "keep") return { family, kind, why };
  if (family.protection !== null) return { family, kind, why: family.protection };
  if (forks > 0) return { family, kind, why: "other threads go on from it" };
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
