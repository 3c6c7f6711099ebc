/** The table that the benchmark prints and the page that it writes. */
import { markdownTable } from "../../src/base/markdown-table.ts";
import type { Line } from "./lines.ts";

export type Measured = {
  readonly line: Line;
  readonly peer: number | undefined;
  readonly heddle: number | undefined;
  /** Heddle divided by the peer. */
  readonly ratio: number | undefined;
  readonly verdict: "pass" | "fail";
  readonly reason?: string;
  /** What a bare relay reaches. */
  readonly control?: number | undefined;
};

/** Each side is a number, or why there is none, which is a failure. */
export function judge(line: Line, peer: number | Error | undefined, heddle: number | Error): Measured {
  const numbers = { peer: numberOf(peer), heddle: numberOf(heddle) };
  for (const [side, value] of Object.entries({ Heddle: heddle, peer })) {
    if (typeof value === "number" || value === undefined) continue;
    const reason = `${side}: ${value.message}`;
    return { line, ...numbers, ratio: undefined, verdict: "fail", reason };
  }
  if ("limit" in line.budget) {
    const verdict = Number(heddle) < line.budget.limit ? "pass" : "fail";
    return { line, ...numbers, ratio: undefined, verdict };
  }
  const ratio = Number(heddle) / Number(peer);
  const fits = "below" in line.budget ? ratio < line.budget.below : ratio > line.budget.above;
  return { line, ...numbers, ratio, verdict: fits ? "pass" : "fail" };
}

export function numberOf(value: number | Error | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

export function table(measured: readonly Measured[]): string {
  const rows = [HEADER, ...measured.map(cells)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const text = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 || column > 5 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join("  ");
  return rows.map((row) => text(row).trimEnd()).join("\n");
}

const HEADER = ["line", "peer", "heddle", "bare relay", "ratio", "budget", "verdict"];

function cells({ line, peer, heddle, control, ratio, verdict, reason }: Measured): string[] {
  const value = (number: number | undefined) =>
    number === undefined ? "-" : `${round(number)} ${line.unit}`;
  const budget = budgetOf(line);
  const shown = reason === undefined ? verdict : `${verdict}: ${reason}`;
  return [
    line.title,
    value(peer),
    value(heddle),
    value(control),
    ratio === undefined ? "-" : ratio.toFixed(2),
    budget,
    shown,
  ];
}

function budgetOf({ budget, unit }: Line): string {
  if ("limit" in budget) return `< ${budget.limit} ${unit}`;
  return "below" in budget ? `< ${budget.below}` : `> ${budget.above}`;
}

function round(number: number): string {
  return number >= 1000 ? String(Math.round(number / 100) * 100) : number.toPrecision(3);
}

/** Of the line where it is asked for most, how much there is to be had: nothing in Node can do more than the relay. */
export function rooms(measured: readonly Measured[]): string[] {
  return measured.flatMap(({ line, peer, control, heddle }) => {
    if (line.id !== "many-turns" || peer === undefined || control === undefined || heddle === undefined)
      return [];
    return [
      `The bare relay only passes a client's words to the model and the answer back, with no history on disk, no checks and no
approvals: it shows the room there is in Node on this machine. On the line "${line.title}" it is ${round(control / peer)} times as fast as
the peer, and Heddle reaches ${round((100 * heddle) / control)} % of it.`,
    ];
  });
}

/** What the page about performance says of Heddle beside the peer. */
export function peerSection(measured: readonly Measured[], machine: string): string {
  const parts = [
    `Measured with \`npm run bench\` on one machine (${machine}). A number alone says little, because
machines differ; the ratio is what has a budget, and the run fails when a budget is not kept. Lines about very long histories have
limits of their own and are measured on Heddle alone.`,
    markdownTable(HEADER, measured.map(cells)),
    ...rooms(measured),
    HOW,
    "This section is written by `npm run bench -- --write`.",
  ];
  return parts.join("\n\n");
}

const HOW = `How it is measured: both servers run in one loopback-only network namespace in which every name look-up is refused at once, with
the same scripted model, analytics off, and \`NODE_EXTRA_CA_CERTS\` unset. Each number is the median over fresh processes that take
turns. Start-up is the time from before the process exists until initialize is answered. Memory is the resident memory of the whole
process tree. Pipelined requests are \`thread/loaded/list\` with 64 in flight. Deltas are counted from the first to the last of one
answer of 5,000. What hooks add is the difference between a turn of a thread with hooks of \`UserPromptSubmit\` that run
\`true\` and the turns of a thread without, right before and right after it; a tenth of a second, in which the server is only spoken
to, lies between two turns, because no user is faster. The longest block is the time of the processor that the event loop takes
without a turn for anybody else while the hooks run: the median over turns. Queued turns are added while a turn of their thread runs;
the rate is that of a hundred of them, one after the other.`;
