/** Carries out what was planned, thread by thread, each while nobody else can open it. */
import { messageOf } from "../../../base/errors.ts";
import { type Refusal, refuse } from "../../refusal.ts";
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

/** Everything that makes room comes before anything that is lost. */
export async function applyRetention(
  fates: readonly Fate<HomeFamily>[],
  options: ApplyOptions,
): Promise<Applied[]> {
  const applied: Applied[] = [];
  const order = ["archive", "pack", "delete"] as const;
  for (const wanted of order) {
    if (wanted === "delete") await options.beforeDeletion();
    for (const fate of inOrder(fates, wanted)) {
      options.onStep(applied.length, fate);
      if (options.isOver()) return applied;
      applied.push({ fate, ...(await applyOne(fate, options)) });
    }
  }
  return applied;
}

/** Forks go before what they were forked from. */
function inOrder(
  fates: readonly Fate<HomeFamily>[],
  wanted: Fate<HomeFamily>["kind"],
): readonly Fate<HomeFamily>[] {
  const chosen = fates.filter(({ kind }) => kind === wanted);
  if (wanted !== "delete") return chosen;
  const byRoot = new Map(chosen.map((fate) => [fate.family.rootId, fate]));
  const forks = new Map<string, number>();
  for (const { family } of chosen)
    for (const base of family.basedOn) forks.set(base, (forks.get(base) ?? 0) + 1);
  const ordered = chosen.filter(({ family }) => !forks.has(family.rootId));
  for (const { family } of ordered) {
    for (const base of family.basedOn) {
      const left = (forks.get(base) ?? 0) - 1;
      forks.set(base, left);
      const fate = byRoot.get(base);
      if (left === 0 && fate !== undefined) ordered.push(fate);
    }
  }
  return ordered;
}

/** Looked at once more when nobody can open it any more: a turn may have come and gone since it was planned. */
async function applyOne(
  { family, kind }: Fate<HomeFamily>,
  options: ApplyOptions,
): Promise<Omit<Applied, "fate">> {
  const { moves, whyOther } = options;
  const ids = family.threads.map(({ threadId }) => threadId);
  try {
    const outcome = await holding(moves, ids, async () => {
      const why = await whyOther(family);
      if (why !== null) return refuse("input", why);
      return kind === "delete" ? deleteFiles(moves, ids) : putAway(ids, moves);
    });
    if (outcome?.kind !== "refused") return { left: null, hasFailed: false };
    return { left: outcome.message, hasFailed: outcome.reason === "disk" };
  } catch (error) {
    return { left: messageOf(error), hasFailed: true };
  }
}

/** Those that were spawned first, as when they are deleted. */
async function putAway(ids: readonly string[], moves: MoveContext): Promise<Refusal | null> {
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
