/**
 * `heddle gc` and the daily job of a server: applies the retention limits of a home, or reports what they would remove.
 */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { closeAll } from "../../base/tasks.ts";
import type { HistoryIndex } from "../files/index/history-index.ts";
import { type Applied, applyRetention, packedFamilyBytes } from "../files/retention/apply-retention.ts";
import { findLeftovers, type Leftover, removeLeftovers } from "../files/retention/leftovers.ts";
import {
  type Fate,
  planRetention,
  type RetentionLimits,
  WITHIN_LIMITS,
} from "../files/retention/plan-retention.ts";
import { findPlanConflict, type HomeFamily, readFamilies } from "../files/retention/read-families.ts";
import { databaseOf } from "../files/sqlite/database-file.ts";
import { openSqliteTables } from "../files/sqlite/sqlite-tables.ts";
import { FileLeases } from "../files/threads/file-leases.ts";
import { openFileThreads } from "../files/threads/file-thread-store.ts";
import { currentNode, ownerName } from "../files/threads/lease-owner.ts";
import { homeInFiles, parseStoreAddress } from "./store-address.ts";

export { type Applied, type Fate, type HomeFamily, type Leftover, type RetentionLimits, WITHIN_LIMITS };

export interface CollectOptions {
  /** The address of a store in files. */
  readonly where: string;
  readonly limits: RetentionLimits;
  /** Whether a named thread is exempt. */
  readonly keepNamed: boolean;
  /** False for a dry run. */
  readonly apply: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
  readonly durability?: "os" | "fsync";
  readonly lockProgram?: () => string | null;
  /** Stops between two threads. */
  readonly signal?: AbortSignal;
  readonly onStep?: (done: number, total: number, label: string) => void;
}

export interface Collection {
  /** Oldest first. */
  readonly fates: readonly Fate<HomeFamily>[];
  /** The results of the changes; empty for a dry run. */
  readonly applied: readonly Applied[];
  readonly leftovers: readonly Leftover[];
  /** The size of all threads before and, unless it is a dry run, after. */
  readonly bytes: number;
  readonly bytesAfter: number | null;
}

/** Returns null if any process did it less than `everyMs` ago, or if the store is not in files. */
export async function collectHomeOnce(options: CollectOptions, everyMs: number): Promise<Collection | null> {
  const address = parseStoreAddress(options.where);
  if (address.kind !== "files") return null;
  const tables = openSqliteTables(databaseOf(address.home), { clock: options.clock });
  try {
    if (!(await claimRun(tables.index, options, everyMs))) return null;
  } finally {
    await tables.close();
  }
  return collectHome(options);
}

const LAST_RUN = "retention";

/** A lease makes the check and the update atomic among processes. */
async function claimRun(
  index: HistoryIndex,
  { clock, createId }: CollectOptions,
  everyMs: number,
): Promise<boolean> {
  const owner = ownerName(currentNode(createId()));
  const lease = await index.acquireLease({ threadId: LAST_RUN, owner });
  if (lease.kind === "elsewhere") return false;
  try {
    const last = Number((await index.note(LAST_RUN)) ?? 0);
    if (Math.abs(clock.now() - last) < everyMs) return false;
    await index.setNote(LAST_RUN, `${clock.now()}`);
    return true;
  } finally {
    await index.releaseLease(LAST_RUN, owner, lease.epoch);
  }
}

export async function collectHome(options: CollectOptions): Promise<Collection> {
  const { clock, limits, apply, createId, onStep = () => {} } = options;
  const home = homeInFiles(options.where, "heddle gc");
  const node = currentNode(createId());
  const tables = openSqliteTables(databaseOf(home), { owner: ownerName(node), clock });
  const { index, queue, scheduledThreads: scheduled } = tables;
  const leases = new FileLeases({ ...options, home, table: index });
  leases.join(node);
  const threads = openFileThreads({ ...options, home, index, leases });
  const { moves } = threads;
  const known = { ...options, home, index, queue, scheduled, leases, files: moves.files };
  try {
    await threads.whenIndexed();
    const families = await readFamilies(known);
    let measured = 0;
    const fates = await planRetention({
      families,
      limits,
      nowMs: clock.now(),
      packedBytes: (family) => {
        onStep(++measured, families.length, `measure ${family.rootId}`);
        return packedFamilyBytes(moves, family);
      },
    });
    const find = () => findLeftovers({ home, index, nowMs: clock.now() });
    const bytes = sizeOf(families);
    if (!apply) return { fates, applied: [], leftovers: await find(), bytes, bytesAfter: null };
    const steps = fates.filter(({ kind }) => kind !== "keep").length;
    const applied = await applyRetention(fates, {
      moves,
      findPlanConflict: (family) => findPlanConflict(known, family),
      isOver: () => options.signal?.aborted === true,
      // Forks that were created meanwhile protect their source.
      beforeDeletion: () => threads.whenIndexed(),
      onStep: (done, { kind, family }) => onStep(done, steps, `${kind} ${family.rootId}`),
    });
    const leftovers = await removeLeftovers(home, await find());
    const bytesAfter = sizeOf(await readFamilies(known));
    return { fates, applied, leftovers, bytes, bytesAfter };
  } finally {
    await closeAll([() => threads.close(), () => leases.close(), () => tables.close()]);
  }
}

function sizeOf(families: readonly HomeFamily[]): number {
  return families.reduce((sum, { bytes }) => sum + bytes, 0);
}
