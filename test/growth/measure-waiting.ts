/** The cost of many subscribers of a thread, and of many queued turns. */
import type { Side } from "../bench/bench.ts";
import { cpuDuring } from "../bench/cpu.ts";
import { runTurnForAll } from "../bench/measure-load.ts";
import { addToQueue, BUSY, startBusy } from "../bench/measure-queue.ts";
import { newClient, runTurn, startThread, withThreads } from "../bench/threads.ts";
import { times } from "../bench/times.ts";
import { messageReply, streamedReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { operationTime, undisturbed } from "./operation-time.ts";
import { keptMemory, PROBE_ENVIRONMENT } from "./probe-memory.ts";

const DELTAS = 1_000;
const STREAMS = 7;
const PAGE_OF_ROWS = 25;
const WARM_UP_ROWS = 200;

export function measureSubscribers(side: Side, size: number) {
  const pieces = Array.from({ length: DELTAS }, (_, index) => `word${index % 10} `);
  return withThreads(
    side,
    [messageReply("Done"), streamedReply(pieces, "2")],
    async (first, _model, server) => {
      const threadId = await startThread(first);
      await runTurn(first, threadId);
      const others = await Promise.all(Array.from({ length: size - 1 }, () => newClient(server)));
      for (const client of others) await client.result("thread/resume", { threadId, excludeTurns: true });
      const clients = [first, ...others];
      const stream = () => runTurnForAll(clients, threadId);
      await times(STREAMS, stream);
      const work: number[] = [];
      const deltas = await times(STREAMS, async () => {
        const { main, other } = await cpuDuring(server.child.pid, stream);
        work.push(main + other);
      });
      return {
        deltas: undisturbed(deltas),
        work: undisturbed(work),
        memory: await keptMemory(server.home),
      };
    },
    { env: PROBE_ENVIRONMENT, transport: "ws" },
  );
}

export function measureQueue(side: Side, size: number) {
  return withThreads(
    side,
    BUSY,
    async (filling, model, server) => {
      filling.skip((text) => text.startsWith('{"method":'));
      await warmUpQueue(filling);
      const threadId = await startBusy(filling, model);
      let key = 0;
      await times(size, () => addToQueue(filling, threadId, key++));
      const client = await newClient(server);
      const page = () => client.result("thread/queue/list", { threadId, limit: PAGE_OF_ROWS });
      await page();
      return {
        add: await operationTime(() => addToQueue(client, threadId, key++)),
        page: await operationTime(page),
        memory: await keptMemory(server.home),
      };
    },
    {
      env: PROBE_ENVIRONMENT,
      transport: "ws",
      config: { tables: `[queue]\nmax_per_thread = ${size + WARM_UP_ROWS}\n` },
    },
  );
}

/** Rows of a thread whose queue is paused. */
async function warmUpQueue(client: RpcClient): Promise<void> {
  const threadId = await startThread(client);
  await client.result("thread/queue/pause", { threadId, reason: "warm-up" });
  let key = 0;
  await times(WARM_UP_ROWS, () => addToQueue(client, threadId, key++));
}
