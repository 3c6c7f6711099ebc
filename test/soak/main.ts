/**
 * Runs a server under mixed load: turns, commands, approvals, hooks, queues, clients that connect, disconnect and stop
 * reading, threads that are unloaded. Its resource usage must be level after the first quarter of the time. Options:
 * --minutes M (20), --seed S, --program PATH, --only LOAD.
 */
import { readFile } from "node:fs/promises";
import { connect as connectSocket } from "node:net";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { connect } from "../../src/client/index.ts";
import { pause } from "../bench/bench.ts";
import { descriptorsOf, treeMemory } from "../bench/memory.ts";
import { modelConfig } from "../support/model-config.ts";
import { createRandom } from "../support/random.ts";
import { HEDDLE, type Program, startServer } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";
import { LOADS } from "./loads.ts";
import { describeVerdicts, judgeSamples, type Sample } from "./samples.ts";
import { openSoakModel } from "./soak-model.ts";

const SAMPLES = 80;
const TIMER_PROBE = join(process.cwd(), "test", "soak", "timer-probe.cjs");
/** In the working folder of the server. */
const PROBE_SOCKET = "timer-probe.sock";

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "20" },
      seed: { type: "string" },
      program: { type: "string" },
      only: { type: "string" },
    },
  });
  const program =
    values.program === undefined ? HEDDLE : { command: process.execPath, args: [resolve(values.program)] };
  const durationMs = Number(values.minutes) * 60_000;
  if (!(durationMs > 0)) throw new Error(`--minutes must be a number above 0, not ${values.minutes}`);
  const loads = Object.entries(LOADS).filter(([name]) => values.only === undefined || values.only === name);
  if (loads.length === 0)
    throw new Error(`there is no load ${values.only}: use one of ${Object.keys(LOADS).join(", ")}`);
  const random = createRandom(Number(values.seed ?? Date.now() % 1_000_000));

  const samples = await withServer(program, async (subject) => {
    const end = performance.now() + durationMs;
    const context = { url: subject.url, random, isOver: () => performance.now() >= end };
    const work = Promise.all(loads.map(([, load]) => load(context)));
    const [taken] = await Promise.all([takeSamples(subject, durationMs / SAMPLES, context.isOver), work]);
    return taken;
  });
  const verdicts = judgeSamples(samples);
  process.stdout.write(`${describeVerdicts(verdicts)}\n`);
  return verdicts.every(({ isLevel }) => isLevel) ? 0 : 1;
}

interface Subject {
  readonly url: string;
  readonly pid: number;
  /** The socket that reports the number of active timers. */
  readonly probe: string;
}

async function withServer<T>(program: Program, use: (subject: Subject) => Promise<T>): Promise<T> {
  const model = await openSoakModel();
  const home = await createTempHome({
    config: modelConfig(model.url, { root: "thread_unload_delay_secs = 1" }),
  });
  const env = { NODE_OPTIONS: `--require=${TIMER_PROBE}`, HEDDLE_TIMER_PROBE: PROBE_SOCKET };
  const server = await startServer({ program, home, transport: "ws", env });
  try {
    const probe = join(home.workspace, PROBE_SOCKET);
    return await use({ url: `ws://${server.address}`, pid: server.child.pid, probe });
  } finally {
    await server.stop();
    await model.close();
    await home.remove();
  }
}

async function takeSamples(subject: Subject, everyMs: number, isOver: () => boolean): Promise<Sample[]> {
  const samples: Sample[] = [];
  const client = await connect(subject.url, { reconnect: false });
  const start = performance.now();
  let delayMs = 0;
  for (let next = start + everyMs; !isOver(); ) {
    const asked = performance.now();
    const loaded = await client.thread.loaded.list();
    delayMs = Math.max(delayMs, performance.now() - asked);
    await pause(20);
    if (performance.now() < next) continue;
    next += everyMs;
    const sample = { atMs: performance.now() - start, delayMs, ...(await look(subject, loaded.data.length)) };
    samples.push(sample);
    delayMs = 0;
    const { memoryMb, descriptors, children, timers } = sample;
    const figures = `${memoryMb.toFixed(0)} MB, ${descriptors} descriptors, ${children} children, ${timers} timers`;
    if (process.stderr.isTTY) process.stderr.write(`\r${(sample.atMs / 1000).toFixed(0)} s: ${figures}   `);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
  await client.close();
  return samples;
}

/**
 * A loaded thread has its journal and its lock open; how many are loaded at a time depends on the speed of the machine.
 */
const DESCRIPTORS_OF_A_THREAD = 2;

async function look(
  { pid, probe }: Subject,
  loaded: number,
): Promise<Pick<Sample, "memoryMb" | "descriptors" | "children" | "timers">> {
  const [memory, descriptors, children, timers] = await Promise.all([
    treeMemory(pid),
    descriptorsOf(pid),
    childrenOf(pid),
    text(connectSocket(probe)).then(Number),
  ]);
  if (!(timers >= 0)) throw new Error("the server did not say how many timers it has set");
  const ofThreads = descriptors.filter((path) => /\/(?:sessions|thread-writer-locks)\//u.test(path)).length;
  const others = descriptors.length - Math.min(ofThreads, DESCRIPTORS_OF_A_THREAD * loaded);
  return { memoryMb: memory / 1024, descriptors: others, children, timers };
}

/** Children of the server and of its process helper. */
async function childrenOf(pid: number): Promise<number> {
  const below = async (id: string): Promise<number> => {
    const text = await readFile(`/proc/${id}/task/${id}/children`, "utf8").catch(() => "");
    const ids = text.split(" ").filter((each) => each !== "");
    const counts = await Promise.all(ids.map(below));
    return ids.length + counts.reduce((sum, count) => sum + count, 0);
  };
  return below(String(pid));
}

process.exitCode = await main();
