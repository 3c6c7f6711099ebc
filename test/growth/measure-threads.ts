/** The cost of long threads, many threads and many loaded threads. */
import { pause, type Side } from "../bench/bench.ts";
import { makeLongThread, makeThreads } from "../bench/make-rollouts.ts";
import { untilIndexed } from "../bench/measure-history.ts";
import { descriptorsOf } from "../bench/memory.ts";
import { newClient, runTurn, startThread, withThreads } from "../bench/threads.ts";
import { messageReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { operationTime, warmUp } from "./operation-time.ts";
import { keptMemory, PROBE_ENVIRONMENT } from "./probe-memory.ts";

const ITEM_BYTES = 400;
const STARTED_AT_ONCE = 10;
/** The time after which new threads have their lock files. */
const UNTIL_LOCKED_MS = 3_000;
const PAGE_OF_TURNS = 10;
const PAGE_OF_THREADS = 50;

const REPLIES = [messageReply("Done")];

export function measureTurns(side: Side, size: number) {
  let threadId = "";
  return withThreads(
    side,
    REPLIES,
    async (client, _model, { home }) => {
      await warmUp(client);
      await client.result("thread/resume", { threadId, cwd: home.workspace, excludeTurns: true });
      const page = () => client.result("thread/turns/list", { threadId, limit: PAGE_OF_TURNS });
      await runTurn(client, threadId);
      await page();
      // Before the operations below, whose number is that of a time and not of a size.
      const memory = await keptMemory(home);
      return {
        turn: await operationTime(() => runTurn(client, threadId)),
        page: await operationTime(page),
        memory,
      };
    },
    {
      env: PROBE_ENVIRONMENT,
      prepare: ({ home }) => {
        threadId = makeLongThread(home, { turns: size, itemBytes: ITEM_BYTES, isTold: true });
      },
    },
  );
}

export function measureThreads(side: Side, size: number) {
  return withThreads(
    side,
    REPLIES,
    async (client, _model, { home }) => {
      await untilIndexed(client);
      await warmUp(client);
      const list = () => client.result("thread/list", { limit: PAGE_OF_THREADS });
      await operationTime(list);
      // Before the operations below, whose number is that of a time and not of a size.
      const memory = await keptMemory(home);
      return {
        list: await operationTime(list),
        start: await operationTime(() => startThread(client)),
        memory,
      };
    },
    { env: PROBE_ENVIRONMENT, prepare: ({ home }) => makeThreads(home, size) },
  );
}

/** Each loaded thread has had a turn, and the measured one was loaded in the middle. */
export function measureLoaded(side: Side, size: number) {
  return withThreads(
    side,
    REPLIES,
    async (client, _model, server) => {
      await warmUp(client);
      await loadThreads(client, Math.floor(size / 2));
      // A client searches all messages that it has received, so that a new client measures.
      const measuring = await newClient(server);
      const threadId = await startThread(measuring);
      await runTurn(measuring, threadId);
      await loadThreads(client, Math.ceil(size / 2) - 1);
      await pause(UNTIL_LOCKED_MS);
      // Before the operations below, whose number is that of a time and not of a size.
      const memory = await keptMemory(server.home);
      return {
        turn: await operationTime(() => runTurn(measuring, threadId)),
        memory,
        descriptors: (await descriptorsOf(server.child.pid)).length,
      };
    },
    { env: PROBE_ENVIRONMENT, transport: "ws" },
  );
}

async function loadThreads(client: RpcClient, count: number): Promise<void> {
  let left = count;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const threadId = await startThread(client);
      await client.result("turn/start", { threadId, input: [{ type: "text", text: "Hello" }] });
      await client.next({ method: "turn/completed", params: { threadId } });
    }
  };
  await Promise.all(Array.from({ length: STARTED_AT_ONCE }, work));
}
