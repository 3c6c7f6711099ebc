/** The conformance run: Heddle beside the real peer. See `USAGE` in options.ts. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { HEDDLE, isBuilt, type Program } from "../support/start-server.ts";
import { additions, meantDifferences } from "./differences.ts";
import { compatibility, compatibilityPage } from "./docs.ts";
import { globToRegExp } from "./glob.ts";
import { type Golden, readGolden, renewGolden, type Trace, titleOf, toTrace, writeGolden } from "./golden.ts";
import { isIsolated, openRefusingResolver, runIsolated } from "./isolation.ts";
import { type Options, parseOptions } from "./options.ts";
import { ensurePeer, type Peer } from "./peer.ts";
import { play } from "./play.ts";
import { recordingText, summarise } from "./report.ts";
import { type Outcome, playEach, runAll, type Task } from "./run.ts";
import { scenarios } from "./scenarios/index.ts";
import { createSchemaCheck } from "./schema-check.ts";

const CACHE = join(process.cwd(), ".cache");

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  // Each server that runs has a listener of its own that stops it when this process ends.
  process.setMaxListeners(options.jobs * 4 + 10);
  if (options.docs) {
    await writeFile(join("docs", "compatibility.md"), compatibilityPage(compatibility));
    return 0;
  }
  const tasks = chooseTasks(options);
  if (options.list) {
    for (const { scenario, transport } of tasks)
      console.log(`${scenario.name} (${transport}): ${scenario.about}`);
    return 0;
  }
  const heddle = chooseHeddle(options);
  if (!isBuilt(heddle)) throw new Error(`${heddle.args.join(" ")} does not exist: run npm run build first`);
  if (options.golden) return await renewTraces(options, tasks, heddle);
  const peer = await ensurePeer(CACHE, (text) => console.error(text));
  if (!isIsolated()) {
    const code = await runIsolated(CACHE);
    if (code !== undefined) return code;
    console.error("this machine allows no private network: the peer may wait for name look-ups");
  }
  return await compareSides(options, tasks, { peer, heddle: options.self ? peer.program : heddle });
}

function chooseHeddle({ program }: Options): Program {
  return program === undefined ? HEDDLE : { command: process.execPath, args: [resolve(program)] };
}

function chooseTasks(options: Partial<Options>): Task[] {
  const wanted = globToRegExp(options.scenario ?? "**");
  return scenarios
    .filter(({ name }) => wanted.test(name))
    .flatMap((scenario) => scenario.transports.map((transport) => ({ scenario, transport })))
    .filter(({ transport }) => options.transport === undefined || options.transport === transport);
}

async function compareSides(
  options: Options,
  tasks: readonly Task[],
  { peer, heddle }: { readonly peer: Peer; readonly heddle: Program },
): Promise<number> {
  const resolver = isIsolated() ? await openRefusingResolver() : undefined;
  const homes = await makeHomesFolder();
  const start = Date.now();
  try {
    const outcomes = await runAll(tasks, {
      peer: { program: peer.program, homes },
      heddle: { program: heddle, homes },
      check: createSchemaCheck(peer.schemas),
      self: options.self,
      jobs: options.jobs,
      done: progress(options),
    });
    if (options.record) await Promise.all(outcomes.map(keepRecordings));
    const whole = options.scenario === undefined && options.transport === undefined && !options.self;
    const seen = new Set(outcomes.flatMap(({ meant, additions: left }) => [...meant, ...left]));
    const stale = whole ? [...additions, ...meantDifferences].filter(({ id }) => !seen.has(id)) : [];
    const { text, green } = summarise(outcomes, stale);
    if (whole && green) await keepTraces(outcomes);
    console.log(`${text} in ${((Date.now() - start) / 1000).toFixed(1)} s`);
    return green && tasks.length > 0 ? 0 : 1;
  } finally {
    resolver?.close();
    await rm(homes, { recursive: true, force: true, maxRetries: 12, retryDelay: 100 });
  }
}

/** A trace that is missing keeps the others from being written, because they would no longer be all of them. */
async function keepTraces(outcomes: readonly Outcome[]): Promise<void> {
  const traces = new Map<string, Trace>();
  for (const { scenario, transport, trace } of outcomes)
    if (trace !== undefined) traces.set(titleOf({ name: scenario }, transport), trace);
  if (traces.size === outcomes.length) await writeGolden(renewGolden(await readCurrent(), traces));
  else console.log("the golden traces were not written: some scenarios were skipped");
}

async function renewTraces(options: Options, tasks: readonly Task[], program: Program): Promise<number> {
  const homes = await makeHomesFolder();
  const traces = new Map<string, Trace>();
  try {
    await playEach(tasks, options.jobs, async ({ scenario, transport }) => {
      const { normalised } = await play(scenario, transport, { program, homes });
      traces.set(titleOf(scenario, transport), toTrace(normalised, scenario));
    });
  } finally {
    await rm(homes, { recursive: true, force: true, maxRetries: 12, retryDelay: 100 });
  }
  await writeGolden(renewGolden(await readCurrent(), traces));
  console.log(`${traces.size} traces written; git diff shows what has changed`);
  return 0;
}

/** The golden traces without those of scenarios that are gone; what is usual stays, so that only what has changed shows. */
async function readCurrent(): Promise<Golden> {
  const titles = new Set(chooseTasks({}).map(({ scenario, transport }) => titleOf(scenario, transport)));
  const { usual, lines } = await readGolden();
  return { usual, lines: new Map([...lines].filter(([title]) => titles.has(title))) };
}

function progress(options: Options) {
  return (outcome: Outcome): void => {
    if (!options.show || outcome.recordings === undefined) return;
    const title = `${outcome.scenario} (${outcome.transport})`;
    console.log(recordingText(`${title} peer`, outcome.recordings.peer));
    console.log(recordingText(`${title} heddle`, outcome.recordings.heddle));
  };
}

async function keepRecordings({ scenario, transport, recordings }: Outcome): Promise<void> {
  const folder = join(CACHE, "recordings");
  await mkdir(folder, { recursive: true });
  for (const [side, recording] of Object.entries(recordings ?? {})) {
    const file = `${scenario.replaceAll("/", ".")}.${transport}.${side}.json`;
    await writeFile(join(folder, file), `${JSON.stringify(recording.entries, null, 2)}\n`);
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
