/** Counts of calls per operation, which are the same on every machine; see `count-probe.cjs` for what is counted. */
import { join } from "node:path";
import { messageReply, streamedReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import type { ModelReply } from "../support/scripted-model.ts";
import { HEDDLE, type Program, type RunningServer } from "../support/start-server.ts";
import { pause } from "./bench.ts";
import { shellReplies } from "./loads.ts";
import { median } from "./median.ts";
import { runTurn, startThread, withThreads } from "./threads.ts";

export type Counts = Readonly<Record<string, number>>;

const PROBE = join(process.cwd(), "test", "bench", "count-probe.cjs");
const PROBED: Program = { command: HEDDLE.command, args: ["--require", PROBE, ...HEDDLE.args] };
/** Operations that come first, so that only the steady state is counted. */
const WARM_UP = 5;
const SAMPLES = 15;
/** By then a server has done what it does in idle time after its first thread. */
const SETTLED_MS = 1_000;
const BATCH = 200;

/** One of each operation, as the median of several: timers of the server fall into some of them. */
export const COUNTED: Readonly<Record<string, (homes: string) => Promise<Counts>>> = {
  "plain turn": (homes) =>
    countEach(homes, [messageReply("Done")], async (client) => {
      const threadId = await startThread(client);
      return () => runTurn(client, threadId);
    }),
  "shell turn": (homes) =>
    countEach(homes, shellReplies(WARM_UP + SAMPLES), async (client) => {
      const threadId = await startThread(client, { sandbox: "danger-full-access", approvalPolicy: "never" });
      return () => runTurn(client, threadId);
    }),
  "thread/start": (homes) => countEach(homes, [], async (client) => () => startThread(client)),
  "pipelined request": (homes) => countEach(homes, [], async (client) => () => pipeline(client), BATCH),
  "streamed delta": (homes) => {
    const pieces = Array.from({ length: BATCH }, (_, index) => `word${index % 10} `);
    const replies = Array.from({ length: WARM_UP + SAMPLES }, (_, turn) => streamedReply(pieces, `${turn}`));
    return countEach(
      homes,
      replies,
      async (client) => {
        const threadId = await startThread(client);
        return () => runTurn(client, threadId);
      },
      BATCH,
    );
  },
};

async function pipeline(client: RpcClient): Promise<void> {
  await Promise.all(Array.from({ length: BATCH }, () => client.result("thread/loaded/list", {})));
}

async function countEach(
  homes: string,
  replies: readonly ModelReply[],
  prepare: (client: RpcClient) => Promise<() => Promise<unknown>>,
  batch = 1,
): Promise<Counts> {
  return withThreads({ program: PROBED, homes }, replies, async (client, _model, server) => {
    const act = await prepare(client);
    for (let index = 0; index < WARM_UP; index += 1) await act();
    await pause(SETTLED_MS);
    const samples: Counts[] = [];
    let before = await readCounts(server, 1);
    for (let index = 0; index < SAMPLES; index += 1) {
      await act();
      const after = await readCounts(server, index + 2);
      samples.push(difference(after, before));
      before = after;
    }
    const names = Object.keys(before);
    return Object.fromEntries(
      names.map((name) => [name, median(samples.map((sample) => sample[name] ?? 0)) / batch]),
    );
  });
}

/** The counts after the given number of requests for them. */
async function readCounts({ child }: RunningServer, number: number): Promise<Counts> {
  child.signal("SIGUSR2");
  const pattern = new RegExp(`(?:@counts (\\{[^\\n]*\\})\\n[^]*?){${number}}$`, "u");
  const [, json = "{}"] = await child.stderrMatch(pattern, 10_000);
  return JSON.parse(json) as Counts;
}

function difference(after: Counts, before: Counts): Counts {
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]),
  );
}
