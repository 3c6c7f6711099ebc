/** Renders started turns of a queue as a table or as JSON. */
import type { StartedRow } from "../../store/queue-log.ts";
import type { Paint } from "../command-line/paint.ts";
import { clip } from "../command-line/terminal-text.ts";

const MAX_TEXT_LENGTH = 80;
const MAX_ERROR_LENGTH = 300;

/** One line per turn: start, status, duration, tokens, thread and first line; an error follows on the next line. */
export function renderLog(rows: readonly StartedRow[], paint: Paint): string {
  return rows
    .map((row) => {
      const { threadId, startedAtMs, preview, end } = row;
      const status = (end?.how ?? "running").padEnd("interrupted".length);
      const shown = end === null || end.how === "completed" ? status : paint.bad(status);
      const took = formatDuration(end?.durationMs ?? null).padStart(7);
      const tokens = (end?.tokens == null ? "-" : `${end.tokens}`).padStart(8);
      const text = clip(preview.split("\n", 1)[0] ?? "", MAX_TEXT_LENGTH);
      const line = `${new Date(startedAtMs).toISOString()}  ${shown}  ${took}  ${tokens}  ${threadId}  ${text}`;
      return end?.error == null ? `${line}\n` : `${line}\n  ${clip(end.error, MAX_ERROR_LENGTH)}\n`;
    })
    .join("");
}

function formatDuration(ms: number | null): string {
  if (ms === null) return "-";
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes}m${String(Math.floor((ms % 60_000) / 1000)).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`;
}

export function logToJson({ rowId, startedAtMs, end, ...row }: StartedRow) {
  return {
    ...row,
    queuedTurnId: rowId,
    startedAt: Math.floor(startedAtMs / 1000),
    endedAt: end === null ? null : Math.floor(end.atMs / 1000),
    status: end?.how ?? "inProgress",
    durationMs: end?.durationMs ?? null,
    tokens: end?.tokens ?? null,
    error: end?.error ?? null,
  };
}
