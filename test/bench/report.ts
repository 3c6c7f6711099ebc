/** The table that the benchmark prints and the page that it writes. */
import { markdownTable } from "../../src/base/markdown-table.ts";
import type { Budget, Line, Reference } from "./lines.ts";
import { HEAP_MINUTES } from "./lines.ts";

export type Measured = {
  readonly line: Line;
  readonly heddle: number | undefined;
  /** What the references of the line reach. */
  readonly references: Readonly<Partial<Record<Reference, number>>>;
  /** Heddle divided by the reference of the budget. */
  readonly ratio: number | undefined;
  readonly verdict: "pass" | "fail" | "not measured";
  readonly reason?: string;
};

/** The machine lacks what a line needs; the message says how to get it. */
export class NotMeasured extends Error {}

/** Each side is a number, or an error, which is a failure. */
export function judge(
  line: Line,
  heddle: number | Error,
  values: Readonly<Partial<Record<Reference, number | Error>>>,
): Measured {
  const references: Partial<Record<string, number>> = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
  );
  const own = typeof heddle === "number" ? heddle : undefined;
  const failed = Object.entries({ Heddle: heddle, ...values }).find(([, value]) => value instanceof Error);
  if (failed !== undefined) {
    const reason = `${failed[0]}: ${(failed[1] as Error).message}`;
    const verdict = failed[1] instanceof NotMeasured ? "not measured" : "fail";
    return { line, heddle: own, references, ratio: undefined, verdict, reason };
  }
  const { budget } = line;
  const ratio = "of" in budget ? own! / references[budget.of]! : undefined;
  return { line, heddle: own, references, ratio, verdict: keeps(budget, own!, ratio!) ? "pass" : "fail" };
}

function keeps(budget: Budget, value: number, ratio: number): boolean {
  if ("limit" in budget) return value < budget.limit;
  return "below" in budget ? ratio < budget.below : ratio > budget.above;
}

/** A line of progress: what was measured, before the table is complete. */
export function progressLine(measured: Measured): string {
  const [title, ...values] = cells(measured);
  const shown = values.map((value, column) => `${HEADER[column + 1]} ${value}`);
  return `${title}: ${shown.filter((text) => !text.endsWith(" -")).join(", ")}`;
}

export function table(measured: readonly Measured[]): string {
  const rows = [HEADER, ...measured.map(cells)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const text = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        TEXT_COLUMNS.includes(HEADER[column]!)
          ? cell.padEnd(widths[column]!)
          : cell.padStart(widths[column]!),
      )
      .join("  ");
  return rows.map((row) => text(row).trimEnd()).join("\n");
}

const HEADER = [
  "line",
  "heddle",
  "peer",
  "bare relay",
  "durable relay",
  "empty Node",
  "ratio",
  "budget",
  "verdict",
];
const TEXT_COLUMNS = ["line", "budget", "verdict"];
const NAMES: Readonly<Record<Reference, string>> = {
  peer: "peer",
  relay: "bare relay",
  durable: "durable relay",
  node: "empty Node",
};

function cells({ line, heddle, references, ratio, verdict, reason }: Measured): string[] {
  const value = (number: number | undefined) =>
    number === undefined ? "-" : `${round(number)} ${line.unit}`;
  return [
    line.title,
    value(heddle),
    ...(Object.keys(NAMES) as Reference[]).map((reference) => value(references[reference])),
    ratio === undefined ? "-" : ratio.toFixed(2),
    budgetOf(line),
    reason === undefined ? verdict : `${verdict}: ${reason}`,
  ];
}

function budgetOf({ budget, unit }: Line): string {
  if ("limit" in budget) return `< ${budget.limit} ${unit}`;
  return `${"below" in budget ? `< ${budget.below}` : `> ${budget.above}`} of ${NAMES[budget.of]}`;
}

function round(number: number): string {
  return number >= 1000 ? String(Math.round(number / 100) * 100) : number.toPrecision(3);
}

/** What the page about performance says of Heddle beside the peer. */
export function peerSection(measured: readonly Measured[], machine: string): string {
  const parts = [
    `Measured with \`npm run bench\` on one machine (${machine}). Machines differ, so most budgets are ratios: to the peer,
or to a floor, which is what a Node process reaches that does only the part of the work that cannot be avoided. The bare relay
passes a client's words to the model and the answer back. The durable relay also appends the journal lines that Heddle owes for a
turn, sends the same notifications and makes a request of the same size. The empty Node process only starts. The run fails when a
budget is not kept.`,
    markdownTable(HEADER, measured.map(cells)),
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
the rate is that of a hundred of them, one after the other. The process is stopped once it has answered, so that its CPU time
until then does not contain the loading that follows.

Two budgets are above half and 0.06 of the peer, the goals of these lines. An idle server has loaded its native store for the first
thread, which takes 6 MB, mostly for pages of Node that the dynamic linker reads; an empty Node process takes 40 MB by itself. A
turn with a command contains the 3 ms in which \`bash -lc\` runs it.`;

/** What the page about performance says of the console. */
export function browserSection(measured: readonly Measured[], machine: string, minutes: number): string {
  return [
    `The console in Chromium without a screen, on the same machine as its server (${machine}).`,
    markdownTable(BROWSER_HEADER, measured.map(browserCells)),
    howInABrowser(minutes),
    "This section is written by `npm run bench -- --only browser --write`.",
  ].join("\n\n");
}

const BROWSER_HEADER = ["line", "heddle", "budget", "verdict"];

function browserCells(measured: Measured): string[] {
  const shown = cells(measured);
  return BROWSER_HEADER.map((name) => shown[HEADER.indexOf(name)] ?? "");
}

const howInABrowser = (
  minutes: number,
): string => `How it is measured: first paint, the inbox and the opening of a thread are medians over seven fresh contexts with
empty caches. The key of the inbox is J, from the start of the navigation until the frame in which a question is selected. A thread
is open when its newest items are drawn and a scrolled list is drawn again. It is scrolled through by steps of 120 pixels, to its
beginning while all pages of its history are loaded, by jumps over its whole height, and to its end; a frame is the time between two
callbacks for frames. Keys are typed into the composer every 50 ms while an answer streams; each counts from its event until the
frame behind it was handed over; the longest of a run is the median of five runs. The heap is that after a forced collection behind
each of the turns of 500 deltas that follow each other for ${minutes} minutes; its growth is the slope over all of them${
  minutes < HEAP_MINUTES
    ? `, extrapolated to ${HEAP_MINUTES} minutes (\`--browser-minutes ${HEAP_MINUTES}\` measures them all)`
    : ""
}, and most of it is the text that the page keeps. The CPU of the server is that of turns that stream to pages that draw them, and to
clients that have subscribed with the capabilities and lists of a page, in turns on one server; more than ten pages at once keep two
cores busy with drawing, and the server of a busy machine sends fewer, larger writes. Its memory contains what serving the files of
the page has left.`;

/** What the page about performance says of this build beside earlier ones. */
export function buildsSection(table: string, machine: string): string {
  return [
    `What one operation costs: CPU of the main thread + CPU of all other threads (V8's compiler and collector, the thread
pool), and wall time; medians of fresh processes that take turns, on one machine (${machine}).`,
    table,
    "This section is written by `npm run bench -- --against ae126ae --against cdd63ec --write`.",
  ].join("\n\n");
}
