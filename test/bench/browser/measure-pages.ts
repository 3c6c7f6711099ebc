/** What pages cost a server beside clients of the SDK that ask for the same: CPU while turns stream, and memory. */
import { connect } from "../../../src/client/index.ts";
import type { Bench } from "../bench.ts";
import { readCpu } from "../cpu.ts";
import type { LineId } from "../lines.ts";
import { treeMemory } from "../memory.ts";
import { startThread } from "../threads.ts";
import { type ConsoleBench, openProbedPage, probe, withConsole } from "./open-console.ts";
import { openPacedModel, type PacedModel } from "./paced-model.ts";

type PagesLine = Extract<LineId, `browser-pages-${string}`>;

/** So many pages still draw every frame on two cores; a busy machine would make the server send less often. */
const DRAWN_AT_ONCE = 10;
const KEPT_AT_ONCE = 50;
/** Pages and clients take turns on one server. */
const ROUNDS = 4;
const STREAM = { deltasPerSecond: 30, seconds: 10 };
const SHORT = { deltasPerSecond: 100, seconds: 1 };
const TURN_MS = 60_000;
/** Words of an answer of the model. */
const SHOWN = "retry budget";

export const PAGES_MEASURES: Readonly<Record<PagesLine, (bench: Bench) => Promise<number>>> = {
  "browser-pages-cpu": (bench) =>
    withThread(bench, async (own) => {
      const cpu = { pages: 0, clients: 0 };
      for (let round = 0; round < ROUNDS; round += 1) {
        cpu.clients += await cpuOf(own, openClient);
        cpu.pages += await cpuOf(own, openThreadPage);
      }
      return cpu.pages / cpu.clients;
    }),
  "browser-pages-memory": async (bench) =>
    (await memoryOf(bench, openThreadPage)) / (await memoryOf(bench, openClient)),
};

interface SharedThread {
  readonly own: ConsoleBench;
  readonly model: PacedModel;
  readonly threadId: string;
  /** Resolves when the turn has ended. */
  readonly runTurn: () => Promise<void>;
}

/** Returns what closes it. */
type Open = (shared: SharedThread) => Promise<() => unknown>;

async function withThread<T>(bench: Bench, measure: (shared: SharedThread) => Promise<T>): Promise<T> {
  const model = await openPacedModel(SHORT);
  try {
    return await withConsole(bench, { modelUrl: model.url }, async (own) => {
      const { client } = own;
      const threadId = await startThread(client);
      client.skip((text) => text.startsWith('{"method":"item/agentMessage/delta"'));
      const runTurn = async (): Promise<void> => {
        await client.result("turn/start", { threadId, input: [{ type: "text", text: "Go on" }] });
        await client.next({ method: "turn/completed", params: { threadId } }, TURN_MS);
      };
      // A thread has no pages of turns before its first one.
      await runTurn();
      return measure({ own, model, threadId, runTurn });
    });
  } finally {
    await model.close();
  }
}

async function withListeners<T>(
  shared: SharedThread,
  { open, count }: { readonly open: Open; readonly count: number },
  measure: () => Promise<T>,
): Promise<T> {
  const closers: (() => unknown)[] = [];
  try {
    for (let at = 0; at < count; at += 1) closers.push(await open(shared));
    shared.model.setPace(SHORT);
    await shared.runTurn();
    return await measure();
  } finally {
    for (const close of closers) await close();
  }
}

/** Milliseconds of CPU of the server while a turn streams to its listeners. */
function cpuOf(shared: SharedThread, open: Open): Promise<number> {
  const { own, model, runTurn } = shared;
  return withListeners(shared, { open, count: DRAWN_AT_ONCE }, async () => {
    model.setPace(STREAM);
    const before = sumCpu(own.server.child.pid);
    await runTurn();
    return sumCpu(own.server.child.pid) - before;
  });
}

function sumCpu(pid: number): number {
  const { main, other } = readCpu(pid);
  return main + other;
}

/** Resident memory of a server of its own, in kilobytes, after a turn with its listeners. */
function memoryOf(bench: Bench, open: Open): Promise<number> {
  return withThread(bench, (shared) =>
    withListeners(shared, { open, count: KEPT_AT_ONCE }, () => treeMemory(shared.own.server.child.pid)),
  );
}

async function openThreadPage({ own, threadId }: SharedThread): Promise<() => unknown> {
  const { page, close } = await openProbedPage(own, `/threads/${threadId}`);
  await probe(page, "untilShown", SHOWN);
  return close;
}

/** A program with the capabilities of the page that asks for the same lists and the same thread. */
async function openClient({ own: { url }, threadId }: SharedThread): Promise<() => unknown> {
  const client = await connect(url.replace("http:", "ws:"), {
    clientInfo: { name: "bench", title: null, version: "1" },
    capabilities: { experimentalApi: true, resumableEvents: true, threadSummaries: true },
    onWarning: () => {},
  });
  await client.request("thread/list", { withSummaries: true });
  await client.request("approval/list", {});
  await client.request("thread/subscribe", { threadId, afterSeq: "9999_9999999999_9" });
  await client.request("thread/turns/list", {
    threadId,
    limit: 20,
    sortDirection: "desc",
    itemsView: "full",
  });
  return () => client.close();
}
