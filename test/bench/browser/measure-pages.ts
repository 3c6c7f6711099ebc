/** What pages cost a server beside clients of the SDK that ask for the same: CPU while a turn streams, and memory. */
import { connect } from "../../../src/client/index.ts";
import type { Bench } from "../bench.ts";
import { readCpu } from "../cpu.ts";
import type { LineId } from "../lines.ts";
import { treeMemory } from "../memory.ts";
import { startThread } from "../threads.ts";
import { type ConsoleBench, openProbedPage, withConsole } from "./open-console.ts";
import { openPacedModel } from "./paced-model.ts";

type PagesLine = Extract<LineId, `browser-pages-${string}`>;

const COUNT = 50;
const STREAM = { deltasPerSecond: 100, seconds: 10 };
const WARM_UP = { deltasPerSecond: 100, seconds: 1 };
const TURN_MS = 60_000;

interface Cost {
  /** Milliseconds of CPU of the server while the turn streams. */
  readonly cpu: number;
  /** Resident memory of the server after it, in kilobytes. */
  readonly memory: number;
}

export const PAGES_MEASURES: Readonly<Record<PagesLine, (bench: Bench) => Promise<number>>> = {
  "browser-pages-cpu": async (bench) => {
    const { pages, clients } = await costOfBoth(bench);
    return pages.cpu / clients.cpu;
  },
  "browser-pages-memory": async (bench) => {
    const { pages, clients } = await costOfBoth(bench);
    return pages.memory / clients.memory;
  },
};

async function costOfBoth(bench: Bench): Promise<Readonly<Record<"pages" | "clients", Cost>>> {
  return { clients: await costOf(bench, openClient), pages: await costOf(bench, openThreadPage) };
}

type Open = (own: ConsoleBench, threadId: string) => Promise<unknown>;

/** The cost of a turn for its listeners, each in a server of its own; they are closed with the browser and the server. */
async function costOf(bench: Bench, open: Open): Promise<Cost> {
  const model = await openPacedModel(WARM_UP);
  try {
    return await withConsole(bench, { modelUrl: model.url }, async (own) => {
      const { client, server } = own;
      const threadId = await startThread(client);
      for (let at = 0; at < COUNT; at += 1) await open(own, threadId);
      const runTurn = async (): Promise<void> => {
        await client.result("turn/start", { threadId, input: [{ type: "text", text: "Go on" }] });
        await client.next({ method: "turn/completed", params: { threadId } }, TURN_MS);
      };
      client.skip((text) => text.startsWith('{"method":"item/agentMessage/delta"'));
      await runTurn();
      model.setPace(STREAM);
      const before = sumCpu(server.child.pid);
      await runTurn();
      return { cpu: sumCpu(server.child.pid) - before, memory: await treeMemory(server.child.pid) };
    });
  } finally {
    await model.close();
  }
}

function sumCpu(pid: number): number {
  const { main, other } = readCpu(pid);
  return main + other;
}

async function openThreadPage(own: ConsoleBench, threadId: string): Promise<void> {
  const { page } = await openProbedPage(own, `/threads/${threadId}`);
  await page.getByRole("textbox", { name: "Message" }).waitFor();
}

/** A program with the capabilities of the page that asks for the same lists and the same thread. */
async function openClient({ url }: ConsoleBench, threadId: string): Promise<void> {
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
}
