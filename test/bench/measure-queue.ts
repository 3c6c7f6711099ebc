/** What the queue of turns costs: to add to it while a turn runs, and to work it off. */
import { messageReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import type { ModelReply, ScriptedModel } from "../support/scripted-model.ts";
import type { Bench } from "./bench.ts";
import type { LineId } from "./lines.ts";
import { startThread, withThreads } from "./threads.ts";
import { times } from "./times.ts";

/** As many as the peer takes. */
const ROWS = 100;
const PAGE = 25;
const ADDS = 1000;
const LONG = { tables: `[queue]\nmax_per_thread = ${ADDS}\n` };

type QueueLine = Extract<LineId, `queue-${string}`>;

export const QUEUE_MEASURES: Readonly<Record<QueueLine, (bench: Bench) => Promise<number>>> = {
  "queue-add": (bench) =>
    withThreads(
      bench,
      BUSY,
      async (client, model) => {
        const found = await addWhileBusy(client, model, ADDS);
        return found.toSorted((a, b) => a - b)[Math.floor(ADDS * 0.95)] ?? 0;
      },
      { config: LONG },
    ),
  "queue-growth": (bench) =>
    withThreads(bench, BUSY, async (client, model) => {
      const found = await addWhileBusy(client, model, ROWS);
      return meanOf(found.slice(-PAGE)) / meanOf(found.slice(PAGE, 2 * PAGE));
    }),
  "queue-drain": (bench) => withThreads(bench, BUSY, drainRate),
};

/** The first answer waits until it is let go. */
export const BUSY: readonly ModelReply[] = [{ ...messageReply("First"), held: true }, messageReply("Done")];

export const addToQueue = (client: RpcClient, threadId: string, key: number) =>
  client.result("thread/queue/add", {
    threadId,
    input: [{ type: "text", text: "Hello" }],
    clientUserMessageId: `key-${key}`,
  });

export async function startBusy(client: RpcClient, model: ScriptedModel): Promise<string> {
  const threadId = await startThread(client);
  await client.result("turn/start", { threadId, input: [{ type: "text", text: "Go" }] });
  await model.arrived(1);
  return threadId;
}

async function addWhileBusy(client: RpcClient, model: ScriptedModel, count: number): Promise<number[]> {
  const threadId = await startBusy(client, model);
  let key = 0;
  return await times(count, () => addToQueue(client, threadId, key++));
}

/** Turns a second, of one thread. */
async function drainRate(client: RpcClient, model: ScriptedModel): Promise<number> {
  const threadId = await startBusy(client, model);
  for (let key = 0; key < ROWS; key += 1) await addToQueue(client, threadId, key);
  model.release();
  await client.next({ method: "turn/completed" });
  const start = performance.now();
  for (let row = 0; row < ROWS; row += 1) await client.next({ method: "turn/completed" }, 60_000);
  return (ROWS / (performance.now() - start)) * 1000;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
