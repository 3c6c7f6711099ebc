/**
 * Where the processor time of a turn goes, by stage: 100 threads take turns on a server that is profiled. Options:
 * --turns N (10), --write.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { SourceMap } from "node:module";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { messageReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { HEDDLE } from "../support/start-server.ts";
import { within } from "../support/within.ts";
import { prepareHome } from "./measure.ts";
import { machine, writeSection } from "./performance-page.ts";
import { type CpuProfile, countStages, type SourceOf } from "./stages.ts";
import { startThread, withThreads } from "./threads.ts";

const THREADS = 100;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { turns: { type: "string", default: "10" }, write: { type: "boolean", default: false } },
  });
  const turnsEach = Number(values.turns);
  if (!(turnsEach > 0)) throw new Error(`--turns must be a number above 0, not ${values.turns}`);
  const homes = await makeHomesFolder();
  const folder = await mkdtemp(join(homes, "profile-"));
  try {
    const profiled = ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--cpu-prof-interval=500", ...HEDDLE.args];
    const program = { command: HEDDLE.command, args: profiled };
    const bench = { program, homes, usedHome: await prepareHome(homes, HEDDLE) };
    await withThreads(bench, [messageReply("Done")], async (client, _model, { child }) => {
      const ids = await Promise.all(Array.from({ length: THREADS }, () => startThread(client)));
      for (let turn = 0; turn < turnsEach; turn += 1) await takeTurns(client, ids);
      // A process that ends by itself writes its profile.
      child.endInput();
      await within(child.exit, 60_000, "the end of the server");
      return 0;
    });
    const stages = countStages(await readProfile(folder), await readSources());
    const table = describe(stages, THREADS * turnsEach);
    console.log(table);
    if (values.write) await writeSection("One turn by stage", section(table));
  } finally {
    await rm(homes, { recursive: true, force: true });
  }
}

async function takeTurns(client: RpcClient, ids: readonly string[]): Promise<void> {
  const input = [{ type: "text", text: "Hello" }];
  await Promise.all(ids.map((threadId) => client.result("turn/start", { threadId, input })));
  for (const _ of ids) await client.next({ method: "turn/completed" }, 60_000);
}

/** Of the server; the processes that it starts write none. */
async function readProfile(folder: string): Promise<CpuProfile> {
  const [file] = (await readdir(folder)).filter((name) => name.endsWith(".cpuprofile"));
  if (file === undefined) throw new Error(`the server has written no profile into ${folder}`);
  return JSON.parse(await readFile(join(folder, file), "utf8")) as CpuProfile;
}

async function readSources(): Promise<SourceOf> {
  const maps = new Map<string, SourceMap>();
  for (const script of ["heddle.cjs", "heddle-server.cjs"]) {
    const text = await readFile(join("dist", `${script}.map`), "utf8");
    maps.set(script, new SourceMap(JSON.parse(text) as never));
  }
  return ({ url, lineNumber, columnNumber }) => {
    const entry = maps.get(basename(url))?.findEntry(lineNumber, columnNumber);
    return entry !== undefined && "originalSource" in entry
      ? entry.originalSource.replace(/^(?:\.\.\/)+/u, "")
      : null;
  };
}

function describe(stages: ReadonlyMap<string, number>, turns: number): string {
  const total = [...stages.values()].reduce((sum, micros) => sum + micros, 0);
  const row = (stage: string, micros: number) =>
    `${(micros / turns).toFixed(0).padStart(7)} µs  ${((100 * micros) / total).toFixed(1).padStart(5)} %  ${stage}`;
  return [...stages]
    .toSorted(([, a], [, b]) => b - a)
    .map(([stage, micros]) => row(stage, micros))
    .concat(row("a turn", total))
    .join("\n");
}

function section(table: string): string {
  return `The main thread's time for a plain turn, while ${THREADS} threads take turns on a server that has just started, their starts
included. The profiler itself takes a part of it, so the shares say more than the microseconds (${machine()}).

\`\`\`text
${table}
\`\`\`

This section is written by \`npm run profile -- --write\`.`;
}

await main();
