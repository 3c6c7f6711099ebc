/** What could not be read, told once each, in the log. */
import type { Logger } from "../../base/logger.ts";
import type { LineFault } from "../rollout/reader.ts";

export interface FaultList {
  line(fault: LineFault): void;
  file(path: string, reason: string): void;
}

const MAX_FAULTS = 1000;

export function createFaultList(log: Logger): FaultList {
  const known = new Set<string>();

  function tell(key: string, message: string, path: string): void {
    if (known.has(key) || known.size >= MAX_FAULTS) return;
    known.add(key);
    // Somebody has lost something: that is heard without asking for it.
    log.error(message, { path });
  }

  return {
    line({ path, lineNumber, offset, reason }) {
      const place = lineNumber === null ? `the line at byte ${offset}` : `line ${lineNumber}`;
      tell(`${path}:${offset}`, `${place} of ${path} is skipped: ${reason}`, path);
    },
    file: (path, reason) => tell(path, `${path} is left out: ${reason}`, path),
  };
}
