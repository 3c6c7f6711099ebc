/**
 * Rounds with queues on one home: threads are resumed, which starts their queues, turns are queued, and the server is
 * killed at a random time. In the end, every accepted turn has either started exactly once or is still visible in its
 * queue.
 */

import { modelConfig } from "../support/model-config.ts";
import { messageReply } from "../support/model-events.ts";
import { type QueueEntry, startedKeys, waitingTurns } from "../support/queue-view.ts";
import type { Random } from "../support/random.ts";
import { createRpcClient, type RpcClient } from "../support/rpc-client.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { type Program, type RunningServer, startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";
import { Violation } from "../support/violation.ts";

export interface QueueRoundsOptions {
  readonly random: Random;
  readonly program: Program;
  readonly isEnough: (rounds: number) => boolean;
  readonly threads: number;
  /** The number of turns queued in each round, over all threads. */
  readonly rowsEach: number;
  readonly onRound?: (rounds: number) => void;
}

export interface QueueReport {
  /** Each round ends with a kill. */
  readonly rounds: number;
  /** Turns whose `add` was confirmed. */
  readonly accepted: number;
  readonly started: number;
  /** Turns that failed because their process died while it started them. */
  readonly failed: number;
}

const CLIENT = {
  clientInfo: { name: "crash", title: null, version: "1.0.0" },
  capabilities: { experimentalApi: true },
};
/** The maximum duration of a round, plus a part for each thread. */
const MAX_WORK_MS = 300;
const MORE_WORK_MS = 25;

interface QueueHarness {
  readonly home: TempHome;
  readonly program: Program;
  readonly random: Random;
  readonly threads: string[];
  /** The keys of the turns that each thread has accepted, in order. */
  readonly accepted: Map<string, string[]>;
  asked: number;
}

export async function playQueueRounds(options: QueueRoundsOptions): Promise<QueueReport> {
  const { random, program, isEnough } = options;
  const model = await openScriptedModel([messageReply("Done")]);
  const home = await createTempHome({ config: modelConfig(model.url) });
  const harness: QueueHarness = { home, program, random, threads: [], accepted: new Map(), asked: 0 };
  try {
    await withServer(harness, (client) => makeThreads(harness, client, options.threads));
    let rounds = 0;
    for (; !isEnough(rounds); options.onRound?.(rounds)) {
      await withServer(harness, (client) => playRound(harness, client, options.rowsEach));
      rounds += 1;
    }
    return { rounds, ...(await verifyQueues(harness)) };
  } finally {
    await model.close();
    await home.remove();
  }
}

async function withServer<T>(
  { program, home }: QueueHarness,
  work: (client: RpcClient, server: RunningServer) => Promise<T>,
): Promise<T> {
  const server = await startServer({ program, home });
  try {
    const client = createRpcClient(await server.openWire());
    await client.result("initialize", CLIENT);
    return await work(client, server);
  } finally {
    // Kills the server and its children with SIGKILL.
    await server.stop();
  }
}

/** Durable threads: each has had a turn. */
async function makeThreads(harness: QueueHarness, client: RpcClient, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const { thread } = (await client.result("thread/start", {})) as { thread: { id: string } };
    await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text: "Hello" }] });
    await client.next({ method: "turn/completed", params: { threadId: thread.id } });
    harness.threads.push(thread.id);
    harness.accepted.set(thread.id, []);
  }
}

async function playRound(harness: QueueHarness, client: RpcClient, rows: number): Promise<void> {
  const { random, threads, accepted } = harness;
  for (const threadId of threads) {
    if (random.chance(0.3)) continue;
    client.send("thread/resume", { threadId });
    void unblock(client, threadId).catch(() => {});
  }
  const over = new Promise<void>((resolve) => {
    setTimeout(resolve, random.below(MAX_WORK_MS + threads.length * MORE_WORK_MS));
  });
  for (let row = 0; row < rows; row += 1) {
    const threadId = random.pick(threads);
    harness.asked += 1;
    const key = `key-${harness.asked}`;
    const id = client.send("thread/queue/add", {
      threadId,
      input: [{ type: "text", text: key }],
      clientUserMessageId: key,
    });
    // The round tests both cases: a response before the kill, and none.
    void client.response(id, 60_000).then(
      (answer) => {
        if ("result" in answer) accepted.get(threadId)?.push(key);
      },
      () => {},
    );
    if (random.chance(0.2)) client.send("turn/interrupt", { threadId, turnId: "" });
  }
  await over;
}

/** Retries the failed rows, as a user would. */
async function unblock(client: RpcClient, threadId: string): Promise<void> {
  for (const { id, status, clientUserMessageId: text } of await waitingTurns(client, threadId)) {
    if (status.type !== "failed") continue;
    const input = [{ type: "text", text }];
    client.send("thread/queue/update", { threadId, queuedSubmissionId: id, input });
  }
}

/** Starts the server again, and checks where each turn is. */
async function verifyQueues(harness: QueueHarness): Promise<Omit<QueueReport, "rounds">> {
  return withServer(harness, async (client) => {
    const totals = { accepted: 0, started: 0, failed: 0 };
    for (const threadId of harness.threads) {
      // A row that was interrupted becomes visible when the thread is loaded; meanwhile nothing may start.
      await client.result("thread/queue/pause", { threadId });
      await client.result("thread/resume", { threadId });
      const waiting = await waitingTurns(client, threadId);
      const started = await startedKeys(client, threadId);
      const keys = harness.accepted.get(threadId) ?? [];
      check(threadId, keys, waiting, started);
      totals.accepted += keys.length;
      totals.started += started.length;
      totals.failed += waiting.filter(({ status }) => status.type === "failed").length;
    }
    return totals;
  });
}

function check(
  threadId: string,
  keys: readonly string[],
  waiting: readonly QueueEntry[],
  started: readonly string[],
): void {
  const places = [...started, ...waiting.map((entry) => entry.clientUserMessageId)];
  const evidence = { threadId, keys, waiting, started };
  const lost = keys.filter((key) => !places.includes(key));
  if (lost.length > 0) throw new Violation(`queued turns are lost: ${lost.join(", ")}`, evidence);
  const twice = places.filter((key, at) => places.indexOf(key) !== at);
  if (twice.length > 0) throw new Violation(`queued turns are there twice: ${twice.join(", ")}`, evidence);
  const numbers = started.map((key) => Number(key.slice("key-".length)));
  const isSorted = numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0));
  if (!isSorted) throw new Violation("queued turns have started in another order", evidence);
}
