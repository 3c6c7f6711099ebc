/** What could not be read, told once each: in the log when it is met, and as a list for whoever asks later. */
import type { Logger } from "../../base/logger.ts";
import type { LineFault } from "../rollout/reader.ts";

export interface HistoryFault {
  readonly path: string;
  /** Counted from 1; null when the whole file is meant, or when its beginning was not read. */
  readonly lineNumber: number | null;
  readonly message: string;
}

export interface FaultList {
  line(fault: LineFault): void;
  file(path: string, reason: string): void;
  readonly all: readonly HistoryFault[];
}

/** More are counted in the log only. */
export const MAX_FAULTS = 1000;

export function createFaultList(log: Logger): FaultList {
  const known = new Map<string, HistoryFault>();

  function add(key: string, fault: HistoryFault): void {
    if (known.has(key) || known.size >= MAX_FAULTS) return;
    known.set(key, fault);
    // Somebody has lost something: that is heard without asking for it.
    log.error(fault.message, { path: fault.path });
  }

  return {
    line({ path, lineNumber, offset, reason }) {
      const place = lineNumber === null ? `the line at byte ${offset}` : `line ${lineNumber}`;
      const message = `${place} of ${path} is skipped: ${reason}`;
      add(`${path}:${offset}`, { path, lineNumber, message });
    },
    file(path, reason) {
      add(path, { path, lineNumber: null, message: `${path} is left out: ${reason}` });
    },
    get all() {
      return [...known.values()];
    },
  };
}
