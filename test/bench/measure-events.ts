/** How the lines about resumable events are measured, once. */

import { messageReply, streamedReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { startServer } from "../support/start-server.ts";
import { type Bench, CLIENT, withHome } from "./bench.ts";
import { cpuDuring } from "./cpu.ts";
import type { LineId } from "./lines.ts";
import { makeLongThread } from "./make-rollouts.ts";
import { median } from "./median.ts";
import { runTurn, startThread, withThreads } from "./threads.ts";
import { times } from "./times.ts";

const RESUMABLE = {
  ...CLIENT,
  capabilities: { ...CLIENT.capabilities, resumableEvents: true },
};
/** Four events a turn. */
const TURNS_OF_REPLAY = 2_500;
const REPLAYS = 7;
const WARM_UP = 300;
const BLOCKS = 12;
const TURNS_OF_BLOCK = 25;
const DELTAS = 5_000;
const STREAMS = 6;

type EventLine = Extract<LineId, `events-${string}`>;

export const EVENT_MEASURES: Readonly<Record<EventLine, (bench: Bench) => Promise<number>>> = {
  "events-replay": replayTime,
  "events-turn": (bench) =>
    withBoth(bench, [messageReply("Done")], async (measures) => {
      const turns = ({ client, threadId }: Measured) =>
        times(TURNS_OF_BLOCK, () => runTurn(client, threadId));
      for (const measured of Object.values(measures))
        await times(WARM_UP, () => runTurn(measured.client, measured.threadId));
      return ratio(measures, BLOCKS, turns);
    }),
  "events-deltas": (bench) => {
    const pieces = Array.from({ length: DELTAS }, (_, index) => `word${index % 10} `);
    return withBoth(bench, [streamedReply(pieces)], async (measures) => {
      for (const { client } of Object.values(measures))
        client.skip((text) => text.startsWith('{"method":"item/agentMessage/delta"'));
      const stream = ({ client, threadId }: Measured) => runTurn(client, threadId, 60_000);
      for (const measured of Object.values(measures)) await stream(measured);
      return ratio(measures, STREAMS, stream);
    });
  },
};

interface Measured {
  readonly client: RpcClient;
  readonly threadId: string;
  readonly pid: number;
}

type Both = Readonly<Record<"off" | "on", Measured>>;

/** A server whose client has resumable events beside one whose client has none. */
function withBoth(
  bench: Bench,
  replies: Parameters<typeof withThreads>[1],
  measure: (measures: Both) => Promise<number>,
): Promise<number> {
  return withThreads(
    bench,
    replies,
    (_client, _model, off) =>
      withThreads(
        bench,
        replies,
        async (_other, _otherModel, on) =>
          measure({ off: await open(off, CLIENT), on: await open(on, RESUMABLE) }),
        { transport: "ws" },
      ),
    { transport: "ws" },
  );
}

async function open(server: Awaited<ReturnType<typeof startServer>>, params: object): Promise<Measured> {
  const client = await server.connect();
  await client.result("initialize", params);
  return { client, threadId: await startThread(client), pid: server.child.pid };
}

/** CPU of the main thread with resumable events, divided by that without; in blocks that take turns. */
async function ratio(
  { off, on }: Both,
  blocks: number,
  act: (measured: Measured) => Promise<unknown>,
): Promise<number> {
  const ratios: number[] = [];
  for (let block = 0; block < blocks; block += 1) {
    const without = (await cpuDuring(off.pid, () => act(off))).main;
    ratios.push((await cpuDuring(on.pid, () => act(on))).main / without);
  }
  return median(ratios);
}

async function replayTime(bench: Bench): Promise<number> {
  return withHome(bench, async (home) => {
    const threadId = makeLongThread(home.home, { turns: TURNS_OF_REPLAY, itemBytes: 200 });
    const server = await startServer({ program: bench.program, home, transport: "ws" });
    try {
      const replay = async () => {
        const client = await server.connect();
        await client.result("initialize", RESUMABLE);
        client.skip((text) => text.includes('"seq":'));
        const [time = 0] = await times(1, async () => {
          await client.result("thread/subscribe", { threadId, afterSeq: null });
          await client.next({ method: "thread/synced" }, 60_000);
        });
        await client.close();
        return time;
      };
      // The first replay takes the file into the index.
      await replay();
      const found: number[] = [];
      for (let index = 0; index < REPLAYS; index += 1) found.push(await replay());
      return median(found);
    } finally {
      await server.stop();
    }
  });
}
