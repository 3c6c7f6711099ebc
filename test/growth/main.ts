/**
 * Measures how costs of Heddle grow with the number of threads, turns, clients and so on: a line is fitted to each
 * series, and must not be steeper than the recorded one. Options: --only SERIES, --rounds R (3), --program PATH,
 * --write.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { machine, writeSection } from "../bench/performance-page.ts";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { HEDDLE, isBuilt } from "../support/start-server.ts";
import { growthSection, PLOTS_FOLDER, plotFile, plotOf } from "./growth-section.ts";
import {
  describeVerdict,
  type Growth,
  growthOf,
  judgeGrowth,
  showFigure,
  type Verdict,
} from "./judge-growth.ts";
import { measureSeries } from "./measure-series.ts";
import { type GrowthRecord, parseRecord, recordedFigure, recordText, withSeries } from "./record.ts";
import { SERIES, type Series } from "./series.ts";

const RECORD = join("test", "growth", "record.json");
const PLOTS = join("docs", PLOTS_FOLDER);

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      rounds: { type: "string", default: "3" },
      program: { type: "string" },
      write: { type: "boolean", default: false },
    },
  });
  const program =
    values.program === undefined ? HEDDLE : { command: process.execPath, args: [resolve(values.program)] };
  if (!isBuilt(program)) throw new Error(`${program.args.join(" ")} does not exist: run npm run build first`);
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds must be a whole number above 0, not ${values.rounds}`);
  const chosen = SERIES.filter(({ id }) => values.only === undefined || values.only === id);
  if (chosen.length === 0)
    throw new Error(`there is no series ${values.only}: use one of ${SERIES.map(({ id }) => id).join(", ")}`);

  const before = parseRecord(await readFile(RECORD, "utf8").catch(() => ""));
  const homes = await makeHomesFolder();
  let record = before;
  let passes = true;
  try {
    for (const series of chosen) {
      const measure = async () => {
        const points = await measureSeries(series, { program, homes }, rounds);
        return series.curves.map((curve) => growthOf(curve, points[curve.id] ?? []));
      };
      const first = await measure();
      const isWorse = (growth: Growth) =>
        ["steeper", "bends"].includes(verdictOf(series, growth, before).kind);
      // A failed measurement is repeated once: other work of the machine rarely disturbs the same sizes twice.
      const again = !values.write && first.some(isWorse) ? await measure() : first;
      const growths = first.map((growth, index) => (isWorse(growth) ? (again[index] ?? growth) : growth));
      for (const growth of growths) passes = report(series, growth, before) && passes;
      record = withSeries(record, series, growths);
      if (values.write) await writePlots(series, growths);
    }
  } finally {
    await rm(homes, { recursive: true, force: true });
  }
  if (!values.write) return passes ? 0 : 1;
  await writeFile(RECORD, recordText(record));
  await writeSection("Growth", growthSection(SERIES, record));
  return 0;
}

function verdictOf(series: Series, growth: Growth, record: GrowthRecord): Verdict {
  return judgeGrowth(growth, recordedFigure(record, series, growth.curve.id));
}

/** Prints the result of a series, and returns whether it passes. */
function report(series: Series, growth: Growth, record: GrowthRecord): boolean {
  const { curve, points, figure } = growth;
  const recorded = recordedFigure(record, series, curve.id);
  const verdict = verdictOf(series, growth, record);
  const [first, last] = [points[0], points.at(-1)].map((point) => shorten(point?.value ?? 0));
  const known = recorded === undefined ? "-" : showFigure(recorded, curve);
  const words = [
    `${series.id} ${curve.id}`.padEnd(20),
    `${first} -> ${last} ${curve.unit}`.padEnd(28),
    `${showFigure(figure, curve)} (record ${known})`.padEnd(34),
    describeVerdict(verdict, growth),
  ];
  process.stdout.write(`${words.join(" ")}\n`);
  return verdict.kind === "pass";
}

function shorten(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

async function writePlots(series: Series, growths: readonly Growth[]): Promise<void> {
  await mkdir(PLOTS, { recursive: true });
  for (const growth of growths)
    await writeFile(join(PLOTS, plotFile(series, growth.curve)), plotOf(series, growth, machine()));
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 2;
}
