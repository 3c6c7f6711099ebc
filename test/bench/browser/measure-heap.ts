/** Whether the heap of a page grows while turns stream into it, one after the other. */
import type { CDPSession } from "playwright-core";
import type { Bench } from "../bench.ts";
import { HEAP_MINUTES } from "../lines.ts";
import { startThread } from "../threads.ts";
import { openProbedPage, withConsole } from "./open-console.ts";
import { openPacedModel } from "./paced-model.ts";

/** One turn; the next one follows at once. */
const TURN = { deltasPerSecond: 100, seconds: 5 };
const TURN_MS = 60_000;
/** Turns until everything that is kept once is there. */
const WARM_UP = 12;
const BYTES = 1024 * 1024;

/** Megabytes that the heap grows in half an hour; a shorter run is extrapolated from its slope. */
export async function heapGrowth(bench: Bench): Promise<number> {
  const model = await openPacedModel(TURN);
  try {
    return await withConsole(bench, { modelUrl: model.url }, async (own) => {
      const { client } = own;
      client.skip((text) => text.startsWith('{"method":"item/agentMessage/delta"'));
      const threadId = await startThread(client);
      const { page } = await openProbedPage(own, `/threads/${threadId}`);
      const session = await page.context().newCDPSession(page);
      const runTurn = async (): Promise<void> => {
        await client.result("turn/start", { threadId, input: [{ type: "text", text: "Go on" }] });
        await client.next({ method: "turn/completed", params: { threadId } }, TURN_MS);
      };
      for (let turn = 0; turn < WARM_UP; turn += 1) await runTurn();
      const samples: Sample[] = [];
      const start = performance.now();
      const end = start + (bench.browserMinutes ?? HEAP_MINUTES) * 60_000;
      while (performance.now() < end || samples.length < 2) {
        await runTurn();
        samples.push({ minutes: (performance.now() - start) / 60_000, bytes: await usedHeap(session) });
      }
      return (slopeOf(samples) * HEAP_MINUTES) / BYTES;
    });
  } finally {
    await model.close();
  }
}

interface Sample {
  readonly minutes: number;
  readonly bytes: number;
}

/** What is reachable. */
async function usedHeap(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize;
}

/** By least squares, in bytes per minute. */
export function slopeOf(samples: readonly Sample[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [time, size] = [mean(samples.map(({ minutes }) => minutes)), mean(samples.map(({ bytes }) => bytes))];
  const shared = samples.map(({ minutes, bytes }) => (minutes - time) * (bytes - size));
  const spread = samples.map(({ minutes }) => (minutes - time) ** 2);
  return mean(shared) / mean(spread);
}
