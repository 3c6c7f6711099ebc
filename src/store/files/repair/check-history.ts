/** Finds faults in the history of a home and repairs them on demand, even while servers use the home. */
import { statSync } from "node:fs";
import type { Clock } from "../../../base/clock.ts";
import type { Logger } from "../../../base/logger.ts";
import type { Leases } from "../../leases.ts";
import { indexedFilesIn } from "../index/folder-scanner.ts";
import type { HistoryIndex } from "../index/history-index.ts";
import { readHead } from "../index/read-head.ts";
import { walkRollouts } from "../rollout/find-rollouts.ts";
import { type RolloutFiles, UnpackedFiles } from "../rollout/rollout-files.ts";
import { archivedFolder, sessionsFolder } from "../rollout/rollout-name.ts";
import { FileLeases } from "../threads/file-leases.ts";
import { openFileThreads } from "../threads/file-thread-store.ts";
import { currentNode } from "../threads/lease-owner.ts";
import type { Fault, FaultReport } from "./examine-file.ts";
import { examineHome, type HomeExamination } from "./examine-home.ts";
import { repairHome } from "./repair-home.ts";

export interface CheckOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
  readonly repair: boolean;
  readonly onFile?: (done: number, path: string) => void;
  /** Files that changed more recently are not repaired. */
  readonly restMs?: number;
}

export interface HistoryCheck {
  readonly files: number;
  readonly faults: readonly FaultReport[];
  /** The state of the index before the check repaired anything. */
  readonly gap: IndexGap;
  readonly isIndexMended: boolean;
}

export async function checkHistory(options: CheckOptions): Promise<HistoryCheck> {
  const { home, index, clock, createId, repair } = options;
  const leases = new FileLeases({ ...options, table: index });
  leases.join(currentNode(createId()));
  const rollouts = new UnpackedFiles({ home, now: () => clock.now(), createId });
  try {
    const examined = await examineHome({ ...options, rollouts });
    const faults = repair
      ? await repairHome(examined, {
          nowMs: clock.now(),
          now: () => clock.now(),
          leases,
          ...(options.restMs === undefined ? {} : { restMs: options.restMs }),
        })
      : await describe(examined, leases);
    const gap = await compareIndex(home, index, rollouts);
    const isBehind = gap.missing + gap.outdated + gap.gone > 0;
    if (repair && isBehind) await fillIndex(options, leases);
    return { files: examined.files, faults, gap, isIndexMended: repair && isBehind };
  } finally {
    rollouts.close();
    await leases.close();
  }
}

async function describe(examined: HomeExamination, leases: Leases): Promise<FaultReport[]> {
  const reports: FaultReport[] = [];
  const add = async (fault: Fault, threadId: string | null): Promise<void> => {
    const isWritten = threadId !== null && (await leases.isHeld(threadId));
    const state = isWritten
      ? ({ kind: "left", why: "the thread is in use" } as const)
      : ({ kind: "found" } as const);
    reports.push({ ...fault, state });
  };
  for (const { found, fault } of examined.duplicates) await add(fault, found.name.threadId);
  for (const { found, faults } of examined.faulty) {
    for (const fault of faults) await add(fault, found.name.threadId);
  }
  for (const { fault } of examined.strays) await add(fault, null);
  return reports;
}

async function fillIndex(options: CheckOptions, leases: FileLeases): Promise<void> {
  const threads = openFileThreads({ ...options, leases });
  try {
    await threads.whenIndexed();
  } finally {
    await threads.close();
  }
}

/** How far the index differs from the files. A server updates its index anyway, so that this is only reported. */
export interface IndexGap {
  /** Files that are not indexed. */
  readonly missing: number;
  /** Files that changed after they were indexed. */
  readonly outdated: number;
  /** Indexed files that no longer exist. */
  readonly gone: number;
}

async function compareIndex(home: string, index: HistoryIndex, rollouts: RolloutFiles): Promise<IndexGap> {
  const known = new Map<string, { readonly size: number; readonly inode: number }>();
  for (const folder of [sessionsFolder(home), archivedFolder(home)]) {
    for await (const { path, size, inode } of indexedFilesIn(index, folder)) known.set(path, { size, inode });
  }
  let missing = 0;
  let outdated = 0;
  for (const archived of [false, true]) {
    for await (const found of walkRollouts(home, { archived })) {
      const file = known.get(found.path);
      known.delete(found.path);
      const status = statSync(found.path, { throwIfNoEntry: false });
      if (status === undefined) continue;
      // An unreadable file is never indexed.
      if (file === undefined) missing += (await readHead(rollouts, found)).kind === "row" ? 1 : 0;
      else if (file.size !== status.size || file.inode !== status.ino) outdated += 1;
    }
  }
  return { missing, outdated, gone: known.size };
}
