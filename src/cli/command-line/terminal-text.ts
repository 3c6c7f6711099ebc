/** Formats untrusted text for a terminal: control characters are escaped, and long text is clipped. */
import { printable, printableLines } from "../../base/printable.ts";

export function toTerminalText(text: string): string {
  return printableLines(text.replaceAll("\r\n", "\n").replaceAll("\t", "    "));
}

/** Clips a text to one line. */
export function clip(text: string, maxLength: number): string {
  // Cut before escaping: a text may be a million characters long.
  const shown = printable(text.slice(0, maxLength));
  return text.length > maxLength ? `${shown}…` : shown;
}

const STEPS = [
  { unit: "d", ms: 86_400_000 },
  { unit: "h", ms: 3_600_000 },
  { unit: "m", ms: 60_000 },
] as const;

export function formatAge(ms: number): string {
  const step = STEPS.find((each) => ms >= each.ms);
  if (step !== undefined) return `${Math.floor(ms / step.ms)}${step.unit}`;
  return `${Math.max(0, Math.floor(ms / 1000))}s`;
}

/** Formats a duration: 47 ms, 1.3 s, 4 m 7 s, 1 h 2 m. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} m`;
}
