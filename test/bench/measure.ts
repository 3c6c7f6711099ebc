/** How each line is measured on one side, once, in a fresh process. */
import { Child } from "../support/child.ts";
import { modelConfig } from "../support/model-config.ts";
import { messageReply, streamedReply } from "../support/model-events.ts";
import { createRpcClient } from "../support/rpc-client.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { type Program, serverEnvironment, startServer, type Transport } from "../support/start-server.ts";
import type { TempHome } from "../support/temp-home.ts";
import { createStdioWire } from "../support/wire.ts";
import { within } from "../support/within.ts";
import { type Bench, CLIENT, createBenchHome, pause, UNUSED_MODEL, withHome } from "./bench.ts";
import { CONSOLE_MEASURES } from "./browser/measure-console.ts";
import { heapGrowth } from "./browser/measure-heap.ts";
import { PAGES_MEASURES } from "./browser/measure-pages.ts";
import type { LineId } from "./lines.ts";
import { initialize, pump, shellReplies, takeTurnsAtOnce } from "./loads.ts";
import { EVENT_MEASURES } from "./measure-events.ts";
import { HISTORY_MEASURES } from "./measure-history.ts";
import { HOOK_MEASURES } from "./measure-hooks.ts";
import { LOAD_MEASURES } from "./measure-load.ts";
import { QUEUE_MEASURES } from "./measure-queue.ts";
import { median } from "./median.ts";
import { treeMemory } from "./memory.ts";
import { CPU_MEASURES } from "./operations.ts";
import { runTurn, startThread, withThreads } from "./threads.ts";
import { times } from "./times.ts";

const REQUESTS = 6_000;
const REPEATS = 15;
const DELTAS = 5_000;
const THREADS = 100;
const TURNS_EACH = 5;
/** Until then a server that was just started has come to rest. */
const START_REST_MS = 2_000;
/** Until then a collector has given back what an idle thread does not need. */
const REST_MS = 16_000;

export const MEASURES: Readonly<Record<LineId, (bench: Bench) => Promise<number>>> = {
  "start-new-home": async (bench) => withHome(bench, (home) => startTime(bench.program, home)),
  "start-used-home": async (bench) => startTime(bench.program, bench.usedHome),
  "idle-memory": idleMemory,
  "requests-stdio": async (bench) => requestRate(bench, "stdio"),
  "requests-ws": async (bench) => requestRate(bench, "ws"),
  "thread-start": async (bench) =>
    withThreads(bench, [], async (client) => medianTime(() => startThread(client))),
  turn: async (bench) =>
    withThreads(bench, [messageReply("Done")], async (client) => {
      const threadId = await startThread(client);
      return await medianTime(() => runTurn(client, threadId));
    }),
  "shell-turn": async (bench) =>
    withThreads(bench, shellReplies(REPEATS + 1), async (client) => {
      const threadId = await startThread(client, { sandbox: "danger-full-access", approvalPolicy: "never" });
      return await medianTime(() => runTurn(client, threadId));
    }),
  "many-turns": turnRate,
  "thread-memory": threadMemory,
  deltas: deltaRate,
  ...CPU_MEASURES,
  ...HISTORY_MEASURES,
  ...LOAD_MEASURES,
  ...HOOK_MEASURES,
  ...QUEUE_MEASURES,
  ...EVENT_MEASURES,
  ...CONSOLE_MEASURES,
  ...PAGES_MEASURES,
  "browser-heap": heapGrowth,
};

export async function prepareHome(homes: string, program: Program): Promise<TempHome> {
  const home = await createBenchHome({ homes }, modelConfig(UNUSED_MODEL));
  await startTime(program, home);
  return home;
}

/** Milliseconds from before the process exists until it has answered initialize. */
async function startTime(program: Program, home: TempHome): Promise<number> {
  const start = performance.now();
  const child = spawnStdio(program, home);
  try {
    const client = createRpcClient(createStdioWire(child));
    await client.result("initialize", CLIENT);
    const elapsed = performance.now() - start;
    child.endInput();
    await within(child.exit, 10_000, "the end of the server").catch(() => undefined);
    return elapsed;
  } finally {
    await child.stop();
  }
}

function spawnStdio(program: Program, home: TempHome): Child {
  const args = [...program.args, "app-server"];
  return new Child({ command: program.command, args, cwd: home.workspace, env: serverEnvironment(home) });
}

async function idleMemory(bench: Bench): Promise<number> {
  return await withHome(bench, async (home) => {
    const child = spawnStdio(bench.program, home);
    try {
      await createRpcClient(createStdioWire(child)).result("initialize", CLIENT);
      await pause(START_REST_MS);
      return (await treeMemory(child.pid)) / 1024;
    } finally {
      await child.stop();
    }
  });
}

/** Requests answered a second with a fixed number of them in flight. */
async function requestRate(bench: Bench, transport: Transport): Promise<number> {
  return await withHome(bench, async (home) => {
    const server = await startServer({ program: bench.program, transport, home });
    try {
      const wire = await server.openWire();
      await initialize(wire);
      await pump(wire, REQUESTS / 10);
      const start = performance.now();
      await pump(wire, REQUESTS);
      return (REQUESTS / (performance.now() - start)) * 1000;
    } finally {
      await server.stop();
    }
  });
}

/** Turns a second when every thread starts its next turn as soon as the last one has ended. */
async function turnRate(bench: Bench): Promise<number> {
  return await withThreads(bench, [messageReply("Done")], async (client) => {
    await runTurn(client, await startThread(client));
    const threads = await Promise.all(Array.from({ length: THREADS }, () => startThread(client)));
    const start = performance.now();
    await takeTurnsAtOnce(client, threads, TURNS_EACH);
    return ((THREADS * TURNS_EACH) / (performance.now() - start)) * 1000;
  });
}

/** Kilobytes that each further thread costs, long after its only turn. */
async function threadMemory(bench: Bench): Promise<number> {
  const model = await openScriptedModel([messageReply("Done")]);
  const home = await createBenchHome(bench, modelConfig(model.url));
  const child = spawnStdio(bench.program, home);
  try {
    const client = createRpcClient(createStdioWire(child));
    await client.result("initialize", CLIENT);
    const addThreads = async (count: number) => {
      for (let index = 0; index < count; index += 1) await runTurn(client, await startThread(client));
      await pause(REST_MS);
    };
    await addThreads(THREADS / 2);
    const before = await treeMemory(child.pid);
    await addThreads(THREADS);
    return Math.max(1, ((await treeMemory(child.pid)) - before) / THREADS);
  } finally {
    await child.stop();
    await model.close();
    await home.remove();
  }
}

/** Deltas a second from the first to the last one of a long answer. */
async function deltaRate(bench: Bench): Promise<number> {
  const pieces = Array.from({ length: DELTAS }, (_, index) => `word${index % 10} `);
  return await withThreads(bench, [messageReply("Warm"), streamedReply(pieces, "2")], async (client) => {
    const threadId = await startThread(client);
    await runTurn(client, threadId);
    let first = 0;
    let last = 0;
    client.skip((text) => {
      if (!text.startsWith('{"method":"item/agentMessage/delta"')) return false;
      last = performance.now();
      if (first === 0) first = last;
      return true;
    });
    await runTurn(client, threadId);
    return (DELTAS / (last - first)) * 1000;
  });
}

async function medianTime(act: () => Promise<unknown>): Promise<number> {
  await act();
  return median(await times(REPEATS, act));
}
