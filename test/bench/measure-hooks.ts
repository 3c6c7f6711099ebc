/** What hooks cost: turns with them beside turns without, on one server, in turns. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { type Bench, pause } from "./bench.ts";
import type { LineId } from "./lines.ts";
import { median } from "./median.ts";
import { runTurn, startThread, withThreads } from "./threads.ts";
import { times } from "./times.ts";

const WARM_UP = 5;
const REPEATS = 120;
const WHOLE_TURNS = 30;
/** No user is faster. Back to back, it would be the processors that are measured. */
const BETWEEN_TURNS_MS = 100;
/** Less than this cannot be told from nothing, and a ratio needs something. */
const LEAST_MS = 0.05;

const PROBE = join(process.cwd(), "test/bench/loop-probe.cjs");

type HookLine = Extract<LineId, `hook-${string}`>;

export const HOOK_MEASURES: Readonly<Record<HookLine, (bench: Bench) => Promise<number>>> = {
  "hook-turn": (bench) => withThreads(bench, REPLIES, (client) => wholeTurn(client, commandHooks(1))),
  "hook-one": (bench) => withThreads(bench, REPLIES, (client) => addition(client, commandHooks(1))),
  "hook-twenty": (bench) => withThreads(bench, REPLIES, (client) => addition(client, commandHooks(20))),
  "hook-module": (bench) =>
    withThreads(bench, REPLIES, async (client, _model, { home }) => {
      const path = join(home.user, "hook.mjs");
      await writeFile(path, "export default () => {};\n");
      return addition(client, [{ type: "module", path }]);
    }),
  "hook-block": longestStretch,
};

const REPLIES = [messageReply("Done")];

export function commandHooks(count: number): object[] {
  return Array.from({ length: count }, () => ({ type: "command", command: "true" }));
}

/** What a thread is started with that has these hooks. */
export function hooked(handlers: readonly object[]): object {
  return { config: { bypass_hook_trust: true, hooks: { UserPromptSubmit: [{ hooks: handlers }] } } };
}

/** Some time in which no turn runs, and the server is spoken to: a machine that sleeps takes its own time to wake up. */
export async function rest(client: RpcClient, milliseconds = BETWEEN_TURNS_MS): Promise<void> {
  for (const end = performance.now() + milliseconds; performance.now() < end; await pause(1))
    await client.result("thread/loaded/list", {});
}

/** Milliseconds that a turn takes after a rest. */
async function turnTime(client: RpcClient, threadId: string): Promise<number> {
  await rest(client);
  const [time = 0] = await times(1, () => runTurn(client, threadId));
  return time;
}

async function wholeTurn(client: RpcClient, handlers: readonly object[]): Promise<number> {
  const threadId = await startThread(client, hooked(handlers));
  const found: number[] = [];
  for (let round = 0; round < WARM_UP + WHOLE_TURNS; round += 1) found.push(await turnTime(client, threadId));
  return median(found.slice(WARM_UP));
}

/** Milliseconds by which hooks lengthen a turn: against the turn without them right before it, and the one right after. */
async function addition(client: RpcClient, handlers: readonly object[]): Promise<number> {
  const plain = await startThread(client);
  const withHooks = await startThread(client, hooked(handlers));
  const additions: number[] = [];
  let before = await turnTime(client, plain);
  for (let round = 0; round < WARM_UP + REPEATS; round += 1) {
    const hookedTime = await turnTime(client, withHooks);
    const after = await turnTime(client, plain);
    if (round >= WARM_UP) additions.push(hookedTime - (before + after) / 2);
    before = after;
  }
  return Math.max(LEAST_MS, median(additions));
}

/** The longest time for which the server's event loop did nothing but work, while hooks ran; the median over turns. */
async function longestStretch(bench: Bench): Promise<number> {
  const file = join(bench.homes, "loop-probe.txt");
  const env = { NODE_OPTIONS: `--require=${PROBE}`, HEDDLE_LOOP_PROBE: file };
  const measure = async (client: RpcClient) => {
    const threadId = await startThread(client, hooked(commandHooks(20)));
    const turns: { readonly from: number; readonly to: number }[] = [];
    for (let round = 0; round < WARM_UP + REPEATS; round += 1) {
      await rest(client);
      await client.result("turn/start", { threadId, input: [{ type: "text", text: "Hello" }] });
      await client.next({ method: "hook/started" });
      const from = Date.now();
      for (let ended = 0; ended < 20; ended += 1) await client.next({ method: "hook/completed" });
      turns.push({ from, to: Date.now() });
      await client.next({ method: "turn/completed" });
    }
    await rest(client);
    const stretches = (await readFile(file, "utf8"))
      .trim()
      .split("\n")
      .map((line) => line.split(" ").map(Number));
    const longest = turns
      .slice(WARM_UP)
      .map(({ from, to }) =>
        Math.max(0, ...stretches.flatMap(([at = 0, ms = 0]) => (at >= from && at <= to ? [ms] : []))),
      );
    return median(longest);
  };
  try {
    return await withThreads(bench, REPLIES, measure, { env });
  } finally {
    await rm(file, { force: true });
  }
}
