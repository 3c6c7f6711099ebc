/**
 * Rounds with queues on one home: threads are resumed, which lets their queues go on, turns are queued in them, and the
 * server is killed at some moment. In the end every turn that was accepted has either started, once, or waits to be seen.
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
  /** Turns that are queued in each round, over all threads. */
  readonly rowsEach: number;
  readonly onRound?: (rounds: number) => void;
}

export interface QueueReport {
  /** Each ends with a kill. */
  readonly rounds: number;
  /** Turns whose adding was answered. */
  readonly accepted: number;
  readonly started: number;
  /** Those that came back as failed, because their process died in the middle of starting them. */
  readonly failed: number;
}

const CLIENT = {
  clientInfo: { name: "crash", title: null, version: "1.0.0" },
  capabilities: { experimentalApi: true },
};
/** For so long may a round last, with so much more for each thread. */
const MAX_WORK_MS = 300;
const MORE_WORK_MS = 25;

interface Ground {
  readonly home: TempHome;
  readonly program: Program;
  readonly random: Random;
  readonly threads: string[];
  /** The keys of the turns that each thread has accepted, in their order. */
  readonly accepted: Map<string, string[]>;
  asked: number;
}

export async function playQueueRounds(options: QueueRoundsOptions): Promise<QueueReport> {
  const { random, program, isEnough } = options;
  const model = await openScriptedModel([messageReply("Done")]);
  const home = await createTempHome({ config: modelConfig(model.url) });
  const ground: Ground = { home, program, random, threads: [], accepted: new Map(), asked: 0 };
  try {
    await withServer(ground, (client) => makeThreads(ground, client, options.threads));
    let rounds = 0;
    for (; !isEnough(rounds); options.onRound?.(rounds)) {
      await withServer(ground, (client) => playRound(ground, client, options.rowsEach));
      rounds += 1;
    }
    return { rounds, ...(await ack(ground)) };
  } finally {
    await model.close();
    await home.remove();
  }
}

async function withServer<T>(
  { program, home }: Ground,
  work: (client: RpcClient, server: RunningServer) => Promise<T>,
): Promise<T> {
  const server = await startServer({ program, home });
  try {
    const client = createRpcClient(await server.openWire());
    await client.result("initialize", CLIENT);
    return await work(client, server);
  } finally {
    // With SIGKILL, and all that it has started.
    await server.stop();
  }
}

/** Threads that last: each has had a turn. */
async function makeThreads(ground: Ground, client: RpcClient, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const { thread } = (await client.result("thread/start", {})) as { thread: { id: string } };
    await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text: "Hello" }] });
    await client.next({ method: "turn/completed", params: { threadId: thread.id } });
    ground.threads.push(thread.id);
    ground.accepted.set(thread.id, []);
  }
}

async function playRound(ground: Ground, client: RpcClient, rows: number): Promise<void> {
  const { random, threads, accepted } = ground;
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
    ground.asked += 1;
    const key = `key-${ground.asked}`;
    const id = client.send("thread/queue/add", {
      threadId,
      input: [{ type: "text", text: key }],
      clientUserMessageId: key,
    });
    // Whether the answer comes before the kill is what the round is about.
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

/** Has another try at the rows that have failed, as somebody would who finds them. */
async function unblock(client: RpcClient, threadId: string): Promise<void> {
  for (const { id, status, clientUserMessageId: text } of await waitingTurns(client, threadId)) {
    if (status.type !== "failed") continue;
    const input = [{ type: "text", text }];
    client.send("thread/queue/update", { threadId, queuedSubmissionId: id, input });
  }
}

/** Starts the server once more, and looks where everything is. */
async function ack(ground: Ground): Promise<Omit<QueueReport, "rounds">> {
  return withServer(ground, async (client) => {
    const totals = { accepted: 0, started: 0, failed: 0 };
    for (const threadId of ground.threads) {
      // What was caught in between shows when the thread is loaded; nothing new is to start meanwhile.
      await client.result("thread/queue/pause", { threadId });
      await client.result("thread/resume", { threadId });
      const waiting = await waitingTurns(client, threadId);
      const started = await startedKeys(client, threadId);
      const keys = ground.accepted.get(threadId) ?? [];
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
