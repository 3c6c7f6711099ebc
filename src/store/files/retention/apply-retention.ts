/** Applies a retention plan, family by family, under the leases of its threads. */
import { messageOf } from "../../../base/errors.ts";
import { type StoreRefusal, storeRefusal } from "../../refusal.ts";
import { packedBytes } from "../rollout/pack-file.ts";
import { deleteFiles, type MoveContext, moveFiles, withLeases } from "../threads/move-threads.ts";
import { packableFiles, packThread } from "../threads/pack-thread.ts";
import type { Fate } from "./plan-retention.ts";
import type { HomeFamily } from "./read-families.ts";

export interface ApplyOptions {
  readonly moves: MoveContext;
  /** Why the plan no longer applies to a family; null if it does. */
  readonly findPlanConflict: (family: HomeFamily) => Promise<string | null>;
  /** Whether to stop early. */
  readonly isOver: () => boolean;
  /** Awaited after archiving and packing, before the first deletion. */
  readonly beforeDeletion: () => Promise<void>;
  readonly onStep: (done: number, fate: Fate<HomeFamily>) => void;
}

export interface Applied {
  readonly fate: Fate<HomeFamily>;
  /** Why nothing was done; null if it was done. */
  readonly left: string | null;
  /** Whether an error is the cause, rather than a changed family. */
  readonly hasFailed: boolean;
}

/** Locking starts a program and writing waits for the disk, so that several families are processed concurrently. */
const CONCURRENCY = 16;

/** Archives and packs first, then deletes. */
export async function applyRetention(
  fates: readonly Fate<HomeFamily>[],
  options: ApplyOptions,
): Promise<Applied[]> {
  const applied: Applied[] = [];
  const applyAll = async (chosen: readonly Fate<HomeFamily>[]): Promise<void> => {
    for (let at = 0; at < chosen.length && !options.isOver(); at += CONCURRENCY) {
      const some = chosen.slice(at, at + CONCURRENCY);
      options.onStep(applied.length, some[0] as Fate<HomeFamily>);
      const outcomes = await Promise.all(some.map((fate) => applyOne(fate, options)));
      applied.push(...some.map((fate, index) => ({ fate, ...(outcomes[index] as Outcome) })));
    }
  };
  const archivedOrPacked = fates.filter(({ kind }) => kind === "archive" || kind === "pack");
  await applyAll(archivedOrPacked);
  const deleted = fates.filter(({ kind }) => kind === "delete");
  if (deleted.length > 0) await options.beforeDeletion();
  for (const wave of groupByDependency(deleted)) await applyAll(wave);
  // Files that are no longer the base of a fork can be packed now.
  const freed = new Set(deleted.flatMap(({ family }) => family.basedOn));
  for (const fate of archivedOrPacked) if (freed.has(fate.family.rootId)) await applyOne(fate, options);
  return applied;
}

/** Groups deletions into waves: forks are deleted before their source, independent families together. */
function groupByDependency(chosen: readonly Fate<HomeFamily>[]): Fate<HomeFamily>[][] {
  const byRoot = new Map(chosen.map((fate) => [fate.family.rootId, fate]));
  const forks = new Map<string, number>();
  for (const { family } of chosen)
    for (const base of family.basedOn) forks.set(base, (forks.get(base) ?? 0) + 1);
  const waves: Fate<HomeFamily>[][] = [];
  let wave = chosen.filter(({ family }) => !forks.has(family.rootId));
  while (wave.length > 0) {
    waves.push(wave);
    const next: Fate<HomeFamily>[] = [];
    for (const base of wave.flatMap(({ family }) => family.basedOn)) {
      const left = (forks.get(base) ?? 0) - 1;
      forks.set(base, left);
      const fate = byRoot.get(base);
      if (left === 0 && fate !== undefined) next.push(fate);
    }
    wave = next;
  }
  return waves;
}

type Outcome = Omit<Applied, "fate">;

/** Checks the family again under the lease, because a turn may have run since the plan was made. */
async function applyOne({ family, kind }: Fate<HomeFamily>, options: ApplyOptions): Promise<Outcome> {
  const { moves, findPlanConflict } = options;
  const ids = family.threads.map(({ threadId }) => threadId);
  try {
    const outcome = await withLeases(moves, ids, async () => {
      const why = await findPlanConflict(family);
      if (why !== null) return storeRefusal("input", why);
      return kind === "delete" ? deleteFiles(moves, ids) : archiveAndPack(ids, moves);
    });
    if (outcome?.kind !== "refused") return { left: null, hasFailed: false };
    return { left: outcome.message, hasFailed: outcome.reason === "disk" };
  } catch (error) {
    return { left: messageOf(error), hasFailed: true };
  }
}

/** Spawned threads first, as for a deletion. */
async function archiveAndPack(ids: readonly string[], moves: MoveContext): Promise<StoreRefusal | null> {
  for (const id of ids.toReversed()) {
    const refused = await moveFiles(moves, id, { archived: true });
    if (refused !== null) return refused;
    await packThread(moves, id);
  }
  return null;
}

/** The size of a family if its packable files were packed. */
export async function packedFamilyBytes(
  { index, clock }: Pick<MoveContext, "index" | "clock">,
  { threads }: HomeFamily,
): Promise<number> {
  let bytes = 0;
  for (const { threadId, rows } of threads) {
    const packable = new Set((await packableFiles(index, threadId)).map(({ rolloutId }) => rolloutId));
    for (const { rolloutId, path, size } of rows)
      bytes += packable.has(rolloutId) ? await packedBytes(path, () => clock.now()) : size;
  }
  return bytes;
}
