/**
 * The benchmark: Heddle beside the real peer and the floors, in one run. Options: --only LINE (several times, if wanted;
 * `browser` stands for all lines that begin so), --program PATH, --json, --write, --browser-minutes N (how long the heap of
 * a page is watched, 2 by default). With --against REVISION (several times, if wanted) it compares this build with earlier ones instead:
 * --only then names an operation, --rounds says how often each is measured.
 */
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isIsolated, openRefusingResolver, runIsolated } from "../conformance/isolation.ts";
import { ensurePeer } from "../conformance/peer.ts";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { HEDDLE, isBuilt, type Program } from "../support/start-server.ts";
import { buildCommit, compareBuilds, comparisonTable, type Operation } from "./against.ts";
import type { Bench } from "./bench.ts";
import { isBrowserLine, LINES, type Line, type LineId, type Reference, referencesOf } from "./lines.ts";
import { MEASURES, prepareHome } from "./measure.ts";
import { median } from "./median.ts";
import { OPERATIONS } from "./operations.ts";
import { machine, writeSection } from "./performance-page.ts";
import {
  browserSection,
  buildsSection,
  judge,
  type Measured,
  peerSection,
  progressLine,
  table,
} from "./report.ts";

const CACHE = join(process.cwd(), ".cache");
/** The references that are scripts of ours. */
const FLOORS: Readonly<Record<Exclude<Reference, "peer">, Program>> = {
  relay: script("relay.mjs"),
  durable: script("durable-relay.mjs"),
  node: script("empty-node.cjs"),
};

function script(name: string): Program {
  return { command: process.execPath, args: [join(process.cwd(), "test", "bench", name)] };
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true, default: [] },
      program: { type: "string" },
      json: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      against: { type: "string", multiple: true, default: [] },
      rounds: { type: "string", default: "5" },
      "browser-minutes": { type: "string", default: "2" },
    },
  });
  if (values.against.length > 0) return compare(values);
  const heddle =
    values.program === undefined ? HEDDLE : { command: process.execPath, args: [resolve(values.program)] };
  if (!isBuilt(heddle)) throw new Error(`${heddle.args.join(" ")} does not exist: run npm run build first`);
  const lines = LINES.filter(({ id }) => isWanted(values.only, id));
  if (lines.length === 0)
    throw new Error(
      noneCalled(
        "line",
        values.only,
        LINES.map(({ id }) => id),
      ),
    );
  // Before the network is left.
  const needsPeer = lines.some((line) => referencesOf(line).includes("peer"));
  const peer = needsPeer ? (await ensurePeer(CACHE, (text) => console.error(text))).program : null;
  if (!isIsolated()) {
    const code = await runIsolated(CACHE);
    if (code !== undefined) return code;
    console.error("this machine allows no private network: the peer may wait for name look-ups");
  }
  const options = { browserMinutes: Number(values["browser-minutes"]) };
  const measured = await measureAll(lines, { peer, heddle }, options);
  const shown = values.json ? JSON.stringify(measured.map(plain), null, 2) : table(measured);
  console.log(shown);
  if (values.write) await writeMeasured(measured, options.browserMinutes);
  return measured.some(({ verdict }) => verdict === "fail") ? 1 : 0;
}

/** By its name, or by the word that a group of names begins with. */
function isWanted(only: readonly string[], name: string): boolean {
  return (
    only.length === 0 || only.includes(name) || (only.includes("browser") && name.startsWith("browser-"))
  );
}

/** The lines in a browser have a section of their own, and can be measured without the others. */
async function writeMeasured(measured: readonly Measured[], minutes: number): Promise<void> {
  const own = measured.filter(({ line }) => isBrowserLine(line));
  const others = measured.filter(({ line }) => !isBrowserLine(line));
  if (others.length > 0) await writeSection("Beside the peer", peerSection(others, machine()));
  if (own.length > 0) await writeSection("In a browser", browserSection(own, machine(), minutes));
}

function noneCalled(kind: string, only: readonly string[], names: readonly string[]): string {
  return `no ${kind} is called ${only.join(" or ")}; there are: ${names.join("; ")}`;
}

interface CompareOptions {
  readonly against: readonly string[];
  readonly only: readonly string[];
  readonly rounds: string;
  readonly write: boolean;
}

async function compare({ against, only, rounds, write }: CompareOptions): Promise<number> {
  if (!isBuilt(HEDDLE)) throw new Error("this build does not exist: run npm run build first");
  const operations = (Object.keys(OPERATIONS) as Operation[]).filter((operation) =>
    isWanted(only, operation),
  );
  if (operations.length === 0) throw new Error(noneCalled("operation", only, Object.keys(OPERATIONS)));
  const programs = [...against.map((revision) => buildCommit(CACHE, revision)), HEDDLE];
  const homes = await makeHomesFolder();
  try {
    const sides: Bench[] = [];
    for (const program of programs)
      sides.push({ program, homes, usedHome: await prepareHome(homes, program) });
    const names = [...against, "this build"];
    const table = comparisonTable(await compareBuilds(sides, operations, Number(rounds)), names);
    console.log(table);
    if (write) await writeSection("Beside earlier builds", buildsSection(table, machine()));
    return 0;
  } finally {
    await rm(homes, { recursive: true, force: true });
  }
}

async function measureAll(
  lines: readonly Line<LineId>[],
  { peer, heddle }: { readonly peer: Program | null; readonly heddle: Program },
  options: Pick<Bench, "browserMinutes">,
): Promise<Measured[]> {
  const resolver = isIsolated() ? await openRefusingResolver() : undefined;
  const homes = await makeHomesFolder();
  try {
    const prepare = async (program: Program): Promise<Bench> => ({
      program,
      homes,
      usedHome: await prepareHome(homes, program),
      ...options,
    });
    const own = await prepare(heddle);
    const other = peer === null ? own : await prepare(peer);
    const sideOf = (reference: Reference): Bench =>
      reference === "peer" ? other : { ...own, program: FLOORS[reference] };
    const measured: Measured[] = [];
    for (const line of lines) {
      const references = referencesOf(line);
      const [heddleValue, ...others] = await measureLine(line, [own, ...references.map(sideOf)]);
      const values = Object.fromEntries(references.map((reference, at) => [reference, others[at]!]));
      const judged = judge(line, heddleValue!, values);
      measured.push(judged);
      console.error(progressLine(judged));
    }
    return measured;
  } finally {
    resolver?.close();
    await rm(homes, { recursive: true, force: true });
  }
}

/** The sides take turns, and the one that goes first changes each round, so that neither has the quieter machine. */
async function measureLine(line: Line<LineId>, sides: readonly Bench[]): Promise<(number | Error)[]> {
  const samples = sides.map((): number[] => []);
  const reasons = new Map<number, Error>();
  for (let round = 0; round < line.rounds; round += 1) {
    const order = [...sides.keys()];
    for (const index of round % 2 === 0 ? order.toReversed() : order) {
      if (reasons.has(index)) continue;
      try {
        samples[index]!.push(await MEASURES[line.id](sides[index]!));
      } catch (error) {
        reasons.set(index, error instanceof Error ? error : new Error(String(error)));
      }
    }
  }
  return sides.map((_, index) => reasons.get(index) ?? median(samples[index]!));
}

function plain({ line, ...rest }: Measured) {
  return { id: line.id, title: line.title, unit: line.unit, budget: line.budget, ...rest };
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : error);
  process.exitCode = 2;
}
