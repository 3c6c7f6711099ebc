/** What hooks cost: turns with them beside turns without, on one server, in turns. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { type Bench, CLIENT, pause } from "./bench.ts";
import type { LineId } from "./lines.ts";
import { median } from "./median.ts";
import { runTurn, startThread, withThreads } from "./threads.ts";

const WARM_UP = 3;
const REPEATS = 20;
/** No user is faster. Back to back, it would be the processors that are measured. */
const BETWEEN_TURNS_MS = 150;
/** Less than this cannot be told from nothing, and a ratio needs something. */
const LEAST_MS = 0.05;

type HookLine = Extract<LineId, `hook-${string}`>;

export const HOOK_MEASURES: Readonly<Record<HookLine, (bench: Bench) => Promise<number>>> = {
  "hook-one": (bench) => withThreads(bench, REPLIES, (client) => addition(client, commands(1))),
  "hook-twenty": (bench) => withThreads(bench, REPLIES, (client) => addition(client, commands(20))),
  "hook-module": (bench) =>
    withThreads(bench, REPLIES, async (client, _model, { home }) => {
      const path = join(home.user, "hook.mjs");
      await writeFile(path, "export default () => {};\n");
      return addition(client, [{ type: "module", path }]);
    }),
  "hook-delay": longestWait,
};

const REPLIES = [messageReply("Done")];

function commands(count: number): object[] {
  return Array.from({ length: count }, () => ({ type: "command", command: "true" }));
}

function hooked(handlers: readonly object[]): object {
  return { config: { bypass_hook_trust: true, hooks: { UserPromptSubmit: [{ hooks: handlers }] } } };
}

/** Milliseconds by which hooks lengthen a turn. */
async function addition(client: RpcClient, handlers: readonly object[]): Promise<number> {
  const threads = [await startThread(client), await startThread(client, hooked(handlers))];
  const times: number[][] = threads.map(() => []);
  for (let round = 0; round < WARM_UP + REPEATS; round += 1) {
    for (const [index, threadId] of threads.entries()) {
      await pause(BETWEEN_TURNS_MS);
      const start = performance.now();
      await runTurn(client, threadId);
      if (round >= WARM_UP) times[index]?.push(performance.now() - start);
    }
  }
  const [without = 0, withHooks = 0] = times.map(median);
  return Math.max(LEAST_MS, withHooks - without);
}

/** The longest time in which the server did not answer while the hooks of a turn ran; the median over turns. */
function longestWait(bench: Bench): Promise<number> {
  const measure = async (client: RpcClient, connect: () => Promise<RpcClient>) => {
    const threadId = await startThread(client, hooked(commands(20)));
    const probe = await connect();
    await probe.result("initialize", CLIENT);
    const longest: number[] = [];
    for (let round = 0; round < WARM_UP + REPEATS; round += 1) {
      await pause(BETWEEN_TURNS_MS);
      const turn = { isOver: false };
      const ended = runTurn(client, threadId).finally(() => {
        turn.isOver = true;
      });
      const waits: number[] = [];
      while (!turn.isOver) {
        const start = performance.now();
        await probe.result("thread/loaded/list", {});
        waits.push(performance.now() - start);
        await pause(1);
      }
      await ended;
      if (round >= WARM_UP) longest.push(Math.max(...waits));
    }
    return median(longest);
  };
  return withThreads(
    bench,
    REPLIES,
    (client, _model, server) => measure(client, () => server.connect()),
    "ws",
  );
}
