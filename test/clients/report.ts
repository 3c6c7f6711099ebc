import type { Client, Outcome, Result, Side } from "./client.ts";

/** The results of the checks, as a table. A check that fails on both sides is a fault of the client. */
export function renderReport(results: readonly Result[], { isStrict }: { readonly isStrict: boolean }) {
  const sides = [...new Set(results.map(({ side }) => side))];
  const rows = groupByCheck(results).map((group) => toRow(group, sides));
  const table = alignColumns([["client", "check", ...sides, ""], ...rows]);
  const counts = { ok: 0, failed: 0, skipped: 0 };
  for (const { side, outcome } of results) if (side === "heddle") counts[outcome.kind] += 1;
  const shared = groupByCheck(results).filter(failsOnBoth).length;
  const isGreen = counts.failed === shared && !(isStrict && counts.skipped > 0) && results.length > 0;
  const besides = shared === 0 ? "" : `, ${shared} of them on the peer, too`;
  const summary = `${counts.ok} ok, ${counts.failed} failed${besides}, ${counts.skipped} skipped`;
  return { text: [...table, "", summary].join("\n"), isGreen };
}

export function listChecks(clients: readonly Client[]): string {
  const rows = clients.flatMap(({ name, version, checks }) =>
    checks.map((check) => [name, version, check.name]),
  );
  return alignColumns([["client", "version", "check"], ...rows]).join("\n");
}

function groupByCheck(results: readonly Result[]): Result[][] {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const key = JSON.stringify([result.client, result.check]);
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return [...groups.values()];
}

function failsOnBoth(group: readonly Result[]): boolean {
  return group.length > 1 && group.every(({ outcome }) => outcome.kind === "failed");
}

function toRow(group: readonly Result[], sides: readonly Side[]): string[] {
  const { client = "", check = "" } = group[0] ?? {};
  const outcomes = sides.map((side) => group.find((result) => result.side === side)?.outcome);
  const reasons = outcomes.map((outcome, index) => reasonOf(outcome, sides[index] ?? "heddle", sides.length));
  return [client, check, ...outcomes.map(wordFor), reasons.filter((text) => text !== "").join("; ")];
}

function wordFor(outcome: Outcome | undefined): string {
  if (outcome === undefined) return "";
  return outcome.kind === "ok" ? `ok ${Math.round(outcome.milliseconds)} ms` : outcome.kind;
}

function reasonOf(outcome: Outcome | undefined, side: Side, sides: number): string {
  if (outcome === undefined || outcome.kind === "ok") return "";
  return sides > 1 ? `${side}: ${outcome.reason}` : outcome.reason;
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
