/** What many listeners, many threads and long histories cost. */

import type { Child } from "../support/child.ts";
import { modelConfig } from "../support/model-config.ts";
import { messageReply, streamedReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { startServer } from "../support/start-server.ts";
import { within } from "../support/within.ts";
import { type Bench, createBenchHome } from "./bench.ts";
import type { LineId } from "./lines.ts";
import { peakMemory } from "./memory.ts";
import { newClient, runTurn, startThread, withThreads } from "./threads.ts";
import { times } from "./times.ts";

const LISTENERS = 20;
const DELTAS = 2_000;
const THREADS = 1_000;
const AT_ONCE = 20;
const TURNS = 200;
const ANSWER = "Done with that. ".repeat(60);
const PATIENCE_MS = 240_000;

type LoadLine = Extract<LineId, "resume-turns" | `fan-out${string}` | "thousand-threads">;

export const LOAD_MEASURES: Readonly<Record<LoadLine, (bench: Bench) => Promise<number>>> = {
  "resume-turns": (bench) =>
    resumeInNewProcess(bench, async (_child, resume) => {
      const [time = 0] = await times(1, resume);
      return time;
    }),
  "fan-out": async (bench) => (await fanOut(bench)).rate,
  "fan-out-memory": async (bench) => (await fanOut(bench)).megabytes,
  "thousand-threads": thousandThreads,
};

/** Resumes a thread of 200 turns in a process that has not loaded it; the caller measures the resume. */
export async function resumeInNewProcess<T>(
  bench: Bench,
  measure: (child: Child, resume: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const model = await openScriptedModel([messageReply(ANSWER)]);
  const home = await createBenchHome(bench, modelConfig(model.url));
  const inProcess = async <R>(work: (client: RpcClient, child: Child) => Promise<R>): Promise<R> => {
    const server = await startServer({ program: bench.program, home });
    try {
      return await work(await newClient(server), server.child);
    } finally {
      await server.stop();
    }
  };
  try {
    const threadId = await inProcess(async (client) => {
      const id = await startThread(client);
      for (let turn = 0; turn < TURNS; turn += 1) await runTurn(client, id);
      return id;
    });
    return await inProcess((client, child) =>
      measure(child, async () => {
        const { thread } = (await client.result("thread/resume", { threadId })) as {
          thread: { turns: unknown[] };
        };
        if (thread.turns.length !== TURNS) throw new Error(`${thread.turns.length} of ${TURNS} turns`);
      }),
    );
  } finally {
    await model.close();
    await home.remove();
  }
}

/** A turn that has ended when the last of its subscribers knows; the first of them starts it. */
export async function runTurnForAll(clients: readonly RpcClient[], threadId: string): Promise<void> {
  const ended = clients.map(
    (client) =>
      new Promise<void>((resolve) => {
        client.skip((text) => {
          if (text.startsWith('{"method":"turn/completed"')) resolve();
          return text.startsWith('{"method":');
        });
      }),
  );
  await clients[0]?.result("turn/start", { threadId, input: [{ type: "text", text: "Hello" }] });
  await within(Promise.all(ended), PATIENCE_MS, "all listeners");
}

/** Deltas a second that reach all listeners of one thread, and the most memory that the server took. */
async function fanOut(bench: Bench): Promise<{ readonly rate: number; readonly megabytes: number }> {
  const pieces = Array.from({ length: DELTAS }, (_, index) => `word${index % 10} `);
  const model = await openScriptedModel([messageReply("Warm"), streamedReply(pieces, "2")]);
  const home = await createBenchHome(bench, modelConfig(model.url));
  const server = await startServer({ program: bench.program, home, transport: "ws" });
  try {
    const clients = await Promise.all(Array.from({ length: LISTENERS }, () => newClient(server)));
    const [first] = clients as [RpcClient];
    const threadId = await startThread(first);
    await runTurn(first, threadId);
    for (const client of clients.slice(1)) await client.result("thread/resume", { threadId });
    const start = performance.now();
    await runTurnForAll(clients, threadId);
    const rate = ((DELTAS * LISTENERS) / (performance.now() - start)) * 1000;
    return { rate, megabytes: (await peakMemory(server.child.pid)) / 1024 };
  } finally {
    await server.stop();
    await model.close();
    await home.remove();
  }
}

/** The most megabytes that a server takes while so many threads have a turn each, some at once. */
function thousandThreads(bench: Bench): Promise<number> {
  return withThreads(bench, [messageReply("Done")], async (client, _model, server) => {
    const ends = new Map<string, () => void>();
    client.skip((text) => {
      if (!text.startsWith('{"method":')) return false;
      if (!text.startsWith('{"method":"turn/completed"')) return true;
      ends.get(/"threadId":"([^"]+)"/u.exec(text)?.[1] ?? "")?.();
      return true;
    });
    let left = THREADS;
    const work = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const threadId = await startThread(client);
        const ended = new Promise<void>((resolve) => void ends.set(threadId, resolve));
        await client.result("turn/start", { threadId, input: [{ type: "text", text: "Hello" }] });
        await within(ended, PATIENCE_MS, "the end of a turn");
        ends.delete(threadId);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return (await peakMemory(server.child.pid)) / 1024;
  });
}
