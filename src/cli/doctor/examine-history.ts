/** The findings about a home's history. */
import { basename } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import type { Finding } from "../../runtime/doctor/finding.ts";
import { checkHome, type FaultReport, type HistoryCheck } from "../../store/open/home-maintenance.ts";

export interface HistoryOptions {
  readonly repair: boolean;
  readonly onFile?: (done: number, path: string) => void;
}

const subject = "history";

export async function examineHistory(home: string, options: HistoryOptions): Promise<Finding[]> {
  const createId = createUuidSource(systemClock);
  try {
    return describe(
      await checkHome({ ...options, where: home, clock: systemClock, log: silentLogger, createId }),
    );
  } catch (error) {
    return [{ subject, verdict: "problem", message: messageOf(error) }];
  }
}

function describe({ files, faults, gap, isIndexMended }: HistoryCheck): Finding[] {
  const findings = faults.map(describeFault);
  const behind = [
    gap.missing > 0 ? `${gap.missing} not in the index` : null,
    gap.outdated > 0 ? `${gap.outdated} changed since they were indexed` : null,
    gap.gone > 0 ? `${gap.gone} in the index and gone` : null,
  ].filter((text) => text !== null);
  const count = `${files} file${files === 1 ? "" : "s"}`;
  if (behind.length === 0)
    return [
      ...findings,
      ...(faults.length === 0 ? [{ subject, verdict: "ok", message: count } as const] : []),
    ];
  const text = `${count}: ${behind.join(", ")}`;
  findings.push(
    isIndexMended
      ? { subject, verdict: "ok", message: `${text}; the index is up to date now` }
      : {
          subject,
          verdict: "advice",
          message: text,
          advice: "A running server updates the index; heddle doctor --repair does it now.",
        },
  );
  return findings;
}

function describeFault({ kind, path, lineNumber, message, repair, state }: FaultReport): Finding {
  const place = lineNumber === null ? path : `${path}:${lineNumber}`;
  const keptAs = state.kind === "mended" ? state.keptAs : null;
  const fault = { kind, path, line: lineNumber, state: state.kind, keptAs };
  const base = { subject, message: `${place}: ${message}`, fault };
  if (state.kind === "mended") {
    const kept = keptAs === null ? "" : `; the old file is kept as ${basename(keptAs)}`;
    return { ...base, verdict: "ok", advice: `Mended: ${repair ?? "done"}${kept}.` };
  }
  // A repairable fault that was not repaired is still a problem.
  if (state.kind === "left")
    return { ...base, verdict: repair === null ? "advice" : "problem", advice: `Left alone: ${state.why}.` };
  if (repair === null)
    return { ...base, verdict: "advice", advice: "It cannot be repaired automatically; inspect the file." };
  return { ...base, verdict: "problem", advice: `heddle doctor --repair would have it ${repair}.` };
}
