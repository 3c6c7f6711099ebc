/** Everything that is wrong with the history of a home, mended on demand, also while servers run on it. */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { openHistory } from "../history/history.ts";
import { Leases } from "../history/leases.ts";
import type { HistoryIndex } from "../history-index.ts";
import { compareIndex, type IndexGap } from "./compare-index.ts";
import { examineHome, type HomeExamination } from "./examine-home.ts";
import type { Fault, FaultReport } from "./fault.ts";
import { mendHome } from "./mend-home.ts";

export interface CheckOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
  /** Names this process: `<process id>@<host>#<something unique>`. */
  readonly owner: string;
  readonly repair: boolean;
  readonly onFile?: (done: number, path: string) => void;
  /** Files that changed less long ago are left alone. */
  readonly restMs?: number;
}

export interface HistoryCheck {
  readonly files: number;
  readonly faults: readonly FaultReport[];
  /** What the index lacked before anything was done. */
  readonly gap: IndexGap;
  readonly isIndexMended: boolean;
}

export async function checkHistory(options: CheckOptions): Promise<HistoryCheck> {
  const { home, index, clock, repair } = options;
  const leases = new Leases({ ...options, onLost: () => {} });
  try {
    const examined = await examineHome(options);
    const faults = repair
      ? await mendHome(examined, {
          nowMs: clock.now(),
          now: () => clock.now(),
          acquire: (threadId) => leases.acquire(threadId, { takeOver: false }),
          release: (threadId) => leases.release(threadId),
          ...(options.restMs === undefined ? {} : { restMs: options.restMs }),
        })
      : await describe(examined, leases);
    const gap = await compareIndex(home, index);
    const isBehind = gap.missing + gap.outdated + gap.gone > 0;
    if (repair && isBehind) await fillIndex(options);
    return { files: examined.files, faults, gap, isIndexMended: repair && isBehind };
  } finally {
    await leases.close();
  }
}

async function describe(examined: HomeExamination, leases: Leases): Promise<FaultReport[]> {
  const reports: FaultReport[] = [];
  const add = async (fault: Fault, threadId: string | null): Promise<void> => {
    const isWritten = threadId !== null && (await leases.isWritten(threadId));
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

async function fillIndex(options: CheckOptions): Promise<void> {
  const history = openHistory(options);
  try {
    await history.whenIndexed();
  } finally {
    await history.close();
  }
}
