// The summary of an import, in words.
import { printable } from "../../base/printable.ts";
import type { SkipReason } from "../../store/open/home-maintenance.ts";
import type { ImportReport } from "./run-import.ts";

export function renderReport(report: ImportReport): string {
  const { imported, dryRun, alreadyImported, grown, failed } = report;
  const turns = imported.reduce((sum, each) => sum + each.turns, 0);
  const items = imported.reduce((sum, each) => sum + each.items, 0);
  const verb = dryRun ? "Would import" : "Imported";
  const lines = [
    `${verb} ${count(imported.length, "thread")} (${count(turns, "turn")}, ${count(items, "item")}) from ${count(report.files, "transcript")}.`,
  ];
  if (alreadyImported > 0) lines.push(`Already imported: ${alreadyImported}.`);
  for (const { path, threadId } of grown)
    lines.push(`  ${path} has grown since; delete thread ${threadId} to import it anew`);
  lines.push(...section("Transcripts left out", report.skippedFiles));
  lines.push(...section("Lines left out", report.skippedLines));
  if (failed.length > 0) lines.push("Failed:", ...failed.map((message) => `  ${message}`));
  return `${lines.map(printable).join("\n")}\n`;
}

function section(title: string, reasons: readonly SkipReason[]): string[] {
  if (reasons.length === 0) return [];
  const width = Math.max(...reasons.map(({ count: times }) => `${times}`.length));
  return [
    `${title}:`,
    ...reasons.map(
      ({ reason, count: times, first }) => `  ${`${times}`.padStart(width)}  ${reason}, first ${first}`,
    ),
  ];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
