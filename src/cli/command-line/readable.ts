/** What others have written, for people at a terminal: nothing in it controls the terminal, and nothing floods it. */
import { printable, printableLines } from "../../base/printable.ts";

export function toReadable(text: string): string {
  return printableLines(text.replaceAll("\r\n", "\n").replaceAll("\t", "    "));
}

/** The beginning of a text in one line. */
export function clip(text: string, most: number): string {
  // Cut first: a text may be a million characters long.
  const shown = printable(text.slice(0, most));
  return text.length > most ? `${shown}…` : shown;
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
