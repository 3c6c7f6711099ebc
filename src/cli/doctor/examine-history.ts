/** The findings about a home's history. */
import { basename } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { checkHome, type FaultReport, type HistoryCheck } from "../../store/open/home-maintenance.ts";
import type { Finding } from "./finding.ts";

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
    return [{ subject, verdict: "problem", says: messageOf(error) }];
  }
}

function describe({ files, faults, gap, isIndexMended }: HistoryCheck): Finding[] {
  const findings = faults.map(describeFault);
  const behind = [
    gap.missing > 0 ? `${gap.missing} not in the index` : null,
    gap.outdated > 0 ? `${gap.outdated} changed since they were indexed` : null,
    gap.gone > 0 ? `${gap.gone} in the index and gone` : null,
  ].filter((text) => text !== null);
  const says = `${files} file${files === 1 ? "" : "s"}`;
  if (behind.length === 0)
    return [...findings, ...(faults.length === 0 ? [{ subject, verdict: "ok", says } as const] : [])];
  const text = `${says}: ${behind.join(", ")}`;
  findings.push(
    isIndexMended
      ? { subject, verdict: "ok", says: `${text}; the index is up to date now` }
      : {
          subject,
          verdict: "advice",
          says: text,
          advice: "A server takes them in by itself, and heddle doctor --repair at once.",
        },
  );
  return findings;
}

function describeFault({ kind, path, lineNumber, message, repair, state }: FaultReport): Finding {
  const place = lineNumber === null ? path : `${path}:${lineNumber}`;
  const keptAs = state.kind === "mended" ? state.keptAs : null;
  const fault = { kind, path, line: lineNumber, state: state.kind, keptAs };
  const base = { subject, says: `${place}: ${message}`, fault };
  if (state.kind === "mended") {
    const kept = keptAs === null ? "" : `; the old file is kept as ${basename(keptAs)}`;
    return { ...base, verdict: "ok", advice: `Mended: ${repair ?? "done"}${kept}.` };
  }
  // What could be mended and was not is as wrong as before.
  if (state.kind === "left")
    return { ...base, verdict: repair === null ? "advice" : "problem", advice: `Left alone: ${state.why}.` };
  if (repair === null)
    return { ...base, verdict: "advice", advice: "Nothing is done about it; look at it yourself." };
  return { ...base, verdict: "problem", advice: `heddle doctor --repair would have it ${repair}.` };
}
