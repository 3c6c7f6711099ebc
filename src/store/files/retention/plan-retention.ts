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
  const plan = new Planning(entries, options);
  while (plan.keepAge() || (await plan.keepSize())) {
    // What was forked from may be free when its forks are gone, and has to be looked at again.
  }
  return entries.map((entry) => plan.fateOf(entry));
}

class Planning<F extends Family> {
  readonly #entries: readonly Entry<F>[];
  readonly #options: PlanOptions<F>;
  readonly #byRoot: ReadonlyMap<string, Entry<F>>;
  /** Of all that stay. */
  #bytes: number;

  constructor(entries: readonly Entry<F>[], options: PlanOptions<F>) {
    this.#entries = entries;
    this.#options = options;
    this.#bytes = entries.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#byRoot = new Map(entries.map((entry) => [entry.family.rootId, entry]));
    for (const { family } of entries) for (const base of this.#bases(family)) base.forks += 1;
  }

  /** False when there was nothing to do. */
  keepAge(): boolean {
    const { limits, nowMs } = this.#options;
    const { maxAgeMs } = limits;
    if (maxAgeMs === null) return false;
    const days = inDays(maxAgeMs);
    let hasChanged = false;
    for (const entry of this.#entries) {
      if (!isFree(entry) || nowMs - entry.family.lastActiveMs <= maxAgeMs) continue;
      if (entry.archivedSinceMs === null) this.#archive(entry, `nothing has happened in it for ${days}`);
      else if (nowMs - entry.archivedSinceMs > maxAgeMs)
        this.#delete(entry, `it has been archived for ${days}`);
      else continue;
      hasChanged = true;
    }
    return hasChanged;
  }

  /** False when there was nothing to do. Archived families go before others, and others are archived before they go. */
  async keepSize(): Promise<boolean> {
    const { maxBytes } = this.#options.limits;
    if (maxBytes === null || this.#bytes <= maxBytes) return false;
    const why = `the threads take up more than ${maxBytes} bytes`;
    for (const entry of this.#entries) if (entry.archivedSinceMs !== null) await this.#measure(entry);
    let hasChanged = false;
    const take = async (isWanted: (entry: Entry<F>) => boolean, act: (entry: Entry<F>) => unknown) => {
      for (const entry of this.#entries) {
        if (this.#bytes <= maxBytes) return;
        if (!isFree(entry) || !isWanted(entry)) continue;
        await act(entry);
        hasChanged = true;
      }
    };
    const remove = (entry: Entry<F>): void => this.#delete(entry, why);
    await take(({ archivedSinceMs }) => archivedSinceMs !== null, remove);
    if (hasChanged) return true;
    await take(
      () => true,
      async (entry) => {
        this.#archive(entry, why);
        await this.#measure(entry);
      },
    );
    return hasChanged;
  }

  fateOf(entry: Entry<F>): Fate<F> {
    const { family, kind } = entry;
    if (kind !== "keep") return { family, kind, why: entry.why };
    if (family.protection !== null) return { family, kind, why: family.protection };
    if (entry.forks > 0) return { family, kind, why: "other threads go on from it" };
    if (family.isPackable) return { family, kind: "pack", why: "it is archived" };
    return { family, kind, why: "it is within the limits" };
  }

  #archive(entry: Entry<F>, why: string): void {
    entry.kind = "archive";
    entry.why = why;
    entry.archivedSinceMs = this.#options.nowMs;
  }

  #delete(entry: Entry<F>, why: string): void {
    entry.kind = "delete";
    entry.why = why;
    this.#bytes -= entry.bytes;
    for (const base of this.#bases(entry.family)) base.forks -= 1;
  }

  /** Threads are packed before they are deleted for want of room. */
  async #measure(entry: Entry<F>): Promise<void> {
    if (entry.isMeasured || !isFree(entry)) return;
    entry.isMeasured = true;
    const bytes = Math.min(entry.bytes, await this.#options.packedBytes(entry.family));
    this.#bytes -= entry.bytes - bytes;
    entry.bytes = bytes;
  }

  #bases({ basedOn, rootId }: F): Entry<F>[] {
    const roots = new Set(basedOn.filter((root) => root !== rootId));
    return [...roots].flatMap((root) => this.#byRoot.get(root) ?? []);
  }
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
