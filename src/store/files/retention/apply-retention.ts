/** Carries out what was planned, thread by thread, each while nobody else can open it. */
import { messageOf } from "../../../base/errors.ts";
import { refuse, type StoreRefusal } from "../../refusal.ts";
import { packedBytes } from "../rollout/pack-file.ts";
import { deleteFiles, holding, type MoveContext, moveFiles } from "../threads/move-threads.ts";
import { packableFiles, packThread } from "../threads/pack-thread.ts";
import type { Fate } from "./plan-retention.ts";
import type { HomeFamily } from "./read-families.ts";

export interface ApplyOptions {
  readonly moves: MoveContext;
  /** Why a family is not what it was; null where it is. */
  readonly whyOther: (family: HomeFamily) => Promise<string | null>;
  /** Whether it is to end before all is done. */
  readonly isOver: () => boolean;
  /** Awaited between what makes room and what is lost. */
  readonly beforeDeletion: () => Promise<void>;
  readonly onStep: (done: number, fate: Fate<HomeFamily>) => void;
}

export interface Applied {
  readonly fate: Fate<HomeFamily>;
  /** Why nothing was done; null where it was. */
  readonly left: string | null;
  /** Whether it could not be done, rather than was not to be. */
  readonly hasFailed: boolean;
}

/** To lock a thread starts a program, and to write a file waits for the disk: some do that at the same time. */
const AT_ONCE = 16;

/** Everything that makes room comes before anything that is lost. */
export async function applyRetention(
  fates: readonly Fate<HomeFamily>[],
  options: ApplyOptions,
): Promise<Applied[]> {
  const applied: Applied[] = [];
  const applyAll = async (chosen: readonly Fate<HomeFamily>[]): Promise<void> => {
    for (let at = 0; at < chosen.length && !options.isOver(); at += AT_ONCE) {
      const some = chosen.slice(at, at + AT_ONCE);
      options.onStep(applied.length, some[0] as Fate<HomeFamily>);
      const outcomes = await Promise.all(some.map((fate) => applyOne(fate, options)));
      applied.push(...some.map((fate, index) => ({ fate, ...(outcomes[index] as Outcome) })));
    }
  };
  const putAway = fates.filter(({ kind }) => kind === "archive" || kind === "pack");
  await applyAll(putAway);
  const deleted = fates.filter(({ kind }) => kind === "delete");
  if (deleted.length > 0) await options.beforeDeletion();
  for (const wave of inWaves(deleted)) await applyAll(wave);
  // What nobody goes on from any more can be packed now.
  const freed = new Set(deleted.flatMap(({ family }) => family.basedOn));
  for (const fate of putAway) if (freed.has(fate.family.rootId)) await applyOne(fate, options);
  return applied;
}

/** Forks go before what they were forked from, and those that need not wait for one another together. */
function inWaves(chosen: readonly Fate<HomeFamily>[]): Fate<HomeFamily>[][] {
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

/** Looked at once more when nobody can open it any more: a turn may have come and gone since it was planned. */
async function applyOne({ family, kind }: Fate<HomeFamily>, options: ApplyOptions): Promise<Outcome> {
  const { moves, whyOther } = options;
  const ids = family.threads.map(({ threadId }) => threadId);
  try {
    const outcome = await holding(moves, ids, async () => {
      const why = await whyOther(family);
      if (why !== null) return refuse("input", why);
      return kind === "delete" ? deleteFiles(moves, ids) : archiveAndPack(ids, moves);
    });
    if (outcome?.kind !== "refused") return { left: null, hasFailed: false };
    return { left: outcome.message, hasFailed: outcome.reason === "disk" };
  } catch (error) {
    return { left: messageOf(error), hasFailed: true };
  }
}

/** Those that were spawned first, as when they are deleted. */
async function archiveAndPack(ids: readonly string[], moves: MoveContext): Promise<StoreRefusal | null> {
  for (const id of ids.toReversed()) {
    const refused = await moveFiles(moves, id, { archived: true });
    if (refused !== null) return refused;
    await packThread(moves, id);
  }
  return null;
}

/** What the files of a family take up when those that can be packed are. */
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
