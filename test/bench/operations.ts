/**
 * What one operation costs a fresh server: CPU of its main thread, CPU of its other threads, and wall time. CPU time
 * compares two builds on a machine that has other work, where wall time does not.
 */
import { Child } from "../support/child.ts";
import { messageReply, streamedReply } from "../support/model-events.ts";
import { serverEnvironment, startServer } from "../support/start-server.ts";
import type { TempHome } from "../support/temp-home.ts";
import { within } from "../support/within.ts";
import { type Bench, CLIENT, pause, withHome } from "./bench.ts";
import { readCpu } from "./cpu.ts";
import type { LineId } from "./lines.ts";
import { initialize, pump, shellReplies, takeTurnsAtOnce } from "./loads.ts";
import { resumeInNewProcess } from "./measure-load.ts";
import { runTurn, startThread, withThreads } from "./threads.ts";

/** Milliseconds per operation. */
export interface Cost {
  readonly main: number;
  /** V8's compiler and collector threads, and the thread pool. */
  readonly other: number;
  readonly wall: number;
}

/** In this time every thread of a process has stopped. */
const STOPPED_MS = 5;
const COLD_TURNS = 60;
const SHELL_TURNS = 20;
const STARTS = 60;
const THREADS = 100;
const TURNS_EACH = 5;
const DELTAS = 20_000;
const REQUESTS = 20_000;
/** By then a server has finished the work that it does after the response to initialize. */
const SETTLED_MS = 1_500;

export const OPERATIONS = {
  "start, new home": (bench: Bench) => withHome(bench, (home) => startCost(bench, home)),
  "start, used home": (bench: Bench) => startCost(bench, bench.usedHome),
  "first thread/start": (bench: Bench) => threadStarts(bench, 0, 1),
  "thread/start": (bench: Bench) => threadStarts(bench, STARTS, STARTS),
  "first turn": (bench: Bench) => turns(bench, 0, 1),
  "turn, first 60": (bench: Bench) => turns(bench, 1, COLD_TURNS),
  "turn, after 300": (bench: Bench) => turns(bench, 300, 200),
  "turn, after 2,400": (bench: Bench) => turns(bench, 2_400, 30),
  "first shell turn": (bench: Bench) => shellTurns(bench, 0, 1),
  "shell turn": (bench: Bench) => shellTurns(bench, 1, SHELL_TURNS),
  "turn of 100 threads at once": manyTurns,
  "streamed delta": deltas,
  "pipelined request": requests,
  "resume of 200 turns": (bench: Bench) =>
    resumeInNewProcess(bench, async (child, act) => {
      await pause(SETTLED_MS);
      return costOf(child.pid, 1, act);
    }),
} as const satisfies Readonly<Record<string, (bench: Bench) => Promise<Cost>>>;

type CpuLine = Extract<
  LineId,
  | `turn-cpu-${string}`
  | `start-cpu-${string}`
  | `first-t${string}`
  | "first-shell"
  | "thread-start-cpu"
  | "resume-cpu"
>;

export const CPU_MEASURES: Readonly<Record<CpuLine, (bench: Bench) => Promise<number>>> = {
  "start-cpu-new-home": async (bench) => total(await OPERATIONS["start, new home"](bench)),
  "start-cpu-used-home": async (bench) => total(await OPERATIONS["start, used home"](bench)),
  "first-thread-start": async (bench) => (await OPERATIONS["first thread/start"](bench)).main,
  "thread-start-cpu": async (bench) => (await OPERATIONS["thread/start"](bench)).main,
  "first-turn": async (bench) => (await OPERATIONS["first turn"](bench)).main,
  "turn-cpu-cold": async (bench) => (await OPERATIONS["turn, first 60"](bench)).main,
  "turn-cpu-other": async (bench) => (await OPERATIONS["turn, first 60"](bench)).other,
  "turn-cpu-warm": async (bench) => (await OPERATIONS["turn, after 300"](bench)).main,
  "turn-cpu-history": async (bench) => (await OPERATIONS["turn, after 2,400"](bench)).main,
  "first-shell": async (bench) => (await OPERATIONS["first shell turn"](bench)).wall,
  "resume-cpu": async (bench) => (await OPERATIONS["resume of 200 turns"](bench)).main,
};

const total = ({ main, other }: Cost): number => main + other;

async function costOf(pid: number, count: number, act: () => Promise<unknown>): Promise<Cost> {
  const before = readCpu(pid);
  const start = performance.now();
  await act();
  const wall = performance.now() - start;
  const after = readCpu(pid);
  return {
    main: (after.main - before.main) / count,
    other: (after.other - before.other) / count,
    wall: wall / count,
  };
}

/** From the creation of the process until it has answered initialize. */
async function startCost({ program }: Bench, home: TempHome): Promise<Cost> {
  const start = performance.now();
  const child = new Child({
    command: program.command,
    args: [...program.args, "app-server"],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  try {
    const answered = new Promise<number>((resolve) => {
      child.onStdout(() => {
        // A server that has answered loads what threads need, and the kernel counts the time of a process that stops.
        process.kill(child.pid, "SIGSTOP");
        resolve(performance.now() - start);
      });
    });
    child.write(`${JSON.stringify({ id: 1, method: "initialize", params: CLIENT })}\n`);
    const wall = await within(answered, 10_000, "the answer to initialize");
    await pause(STOPPED_MS);
    return { ...readCpu(child.pid), wall };
  } finally {
    await child.stop();
  }
}

function threadStarts(bench: Bench, before: number, counted: number): Promise<Cost> {
  return withThreads(bench, [], async (client, _model, { child }) => {
    await pause(SETTLED_MS);
    await repeat(before, () => startThread(client));
    return costOf(child.pid, counted, () => repeat(counted, () => startThread(client)));
  });
}

function turns(bench: Bench, before: number, counted: number): Promise<Cost> {
  return withThreads(bench, [messageReply("Done")], async (client, _model, { child }) => {
    await pause(SETTLED_MS);
    const threadId = await startThread(client);
    await repeat(before, () => runTurn(client, threadId));
    return costOf(child.pid, counted, () => repeat(counted, () => runTurn(client, threadId)));
  });
}

function shellTurns(bench: Bench, before: number, counted: number): Promise<Cost> {
  return withThreads(bench, shellReplies(before + counted), async (client, _model, { child }) => {
    await pause(SETTLED_MS);
    const threadId = await startThread(client, { sandbox: "danger-full-access", approvalPolicy: "never" });
    await repeat(before, () => runTurn(client, threadId));
    return costOf(child.pid, counted, () => repeat(counted, () => runTurn(client, threadId)));
  });
}

function manyTurns(bench: Bench): Promise<Cost> {
  return withThreads(bench, [messageReply("Done")], async (client, _model, { child }) => {
    await runTurn(client, await startThread(client));
    const threads = await Promise.all(Array.from({ length: THREADS }, () => startThread(client)));
    return costOf(child.pid, THREADS * TURNS_EACH, () => takeTurnsAtOnce(client, threads, TURNS_EACH));
  });
}

function deltas(bench: Bench): Promise<Cost> {
  const pieces = Array.from({ length: DELTAS }, (_, index) => `word${index % 10} `);
  return withThreads(
    bench,
    [messageReply("Warm"), streamedReply(pieces, "2")],
    async (client, _model, { child }) => {
      const threadId = await startThread(client);
      await runTurn(client, threadId);
      client.skip((text) => text.startsWith('{"method":"item/agentMessage/delta"'));
      return costOf(child.pid, DELTAS, () => runTurn(client, threadId, 60_000));
    },
  );
}

async function requests(bench: Bench): Promise<Cost> {
  return withHome(bench, async (home) => {
    const server = await startServer({ program: bench.program, transport: "stdio", home });
    try {
      const wire = await server.openWire();
      await initialize(wire);
      await pump(wire, REQUESTS / 10);
      return await costOf(server.child.pid, REQUESTS, () => pump(wire, REQUESTS));
    } finally {
      await server.stop();
    }
  });
}

async function repeat(count: number, act: () => Promise<unknown>): Promise<void> {
  for (let index = 0; index < count; index += 1) await act();
}
