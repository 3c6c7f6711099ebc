/** The benchmark: Heddle beside the real peer, in one run. Options: --only LINE, --program PATH, --json, --write. */
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isIsolated, openRefusingResolver, runIsolated } from "../conformance/isolation.ts";
import { ensurePeer } from "../conformance/peer.ts";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { HEDDLE, isBuilt, type Program } from "../support/start-server.ts";
import type { Bench } from "./bench.ts";
import { LINES, type Line } from "./lines.ts";
import { MEASURES, prepareHome } from "./measure.ts";
import { median } from "./median.ts";
import { machine, writeSection } from "./performance-page.ts";
import { judge, type Measured, numberOf, peerSection, rooms, table } from "./report.ts";

const CACHE = join(process.cwd(), ".cache");
const RELAY: Program = {
  command: process.execPath,
  args: [join(process.cwd(), "test", "bench", "relay.mjs")],
};

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      program: { type: "string" },
      json: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
    },
  });
  const peer = await ensurePeer(CACHE, (text) => console.error(text));
  const heddle =
    values.program === undefined ? HEDDLE : { command: process.execPath, args: [resolve(values.program)] };
  if (!isBuilt(heddle)) throw new Error(`${heddle.args.join(" ")} does not exist: run npm run build first`);
  if (!isIsolated()) {
    const code = await runIsolated(CACHE);
    if (code !== undefined) return code;
    console.error("this machine allows no private network: the peer may wait for name look-ups");
  }
  const lines = LINES.filter(({ id }) => values.only === undefined || values.only === id);
  const measured = await measureAll(lines, peer.program, heddle);
  const shown = values.json
    ? JSON.stringify(measured.map(plain), null, 2)
    : [table(measured), ...rooms(measured)].join("\n\n");
  console.log(shown);
  if (values.write) await writeSection("Beside the peer", peerSection(measured, machine()));
  return measured.some(({ verdict }) => verdict === "fail") ? 1 : 0;
}

async function measureAll(lines: readonly Line[], peer: Program, heddle: Program): Promise<Measured[]> {
  const resolver = isIsolated() ? await openRefusingResolver() : undefined;
  const homes = await makeHomesFolder();
  try {
    const other = { program: peer, homes, usedHome: await prepareHome(homes, peer) };
    const own = { program: heddle, homes, usedHome: await prepareHome(homes, heddle) };
    const relay = { ...own, program: RELAY };
    const measured: Measured[] = [];
    for (const line of lines) {
      const sides = "limit" in line.budget ? [own] : [own, other, ...(line.control ? [relay] : [])];
      const [heddleValue, peerValue, control] = await measureLine(line, sides);
      measured.push({ ...judge(line, peerValue, heddleValue!), control: numberOf(control) });
      console.error(`${line.title}: done`);
    }
    return measured;
  } finally {
    resolver?.close();
    await rm(homes, { recursive: true, force: true });
  }
}

/** The sides take turns, and the one that goes first changes each round, so that neither has the quieter machine. */
async function measureLine(line: Line, sides: readonly Bench[]): Promise<(number | Error)[]> {
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
