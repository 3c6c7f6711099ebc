/** How the lines about stored threads are measured on one side, once. */
import type { RpcClient } from "../support/rpc-client.ts";
import { startServer } from "../support/start-server.ts";
import type { TempHome } from "../support/temp-home.ts";
import { type Bench, CLIENT, withHome } from "./bench.ts";
import { makeLongThread, makeThreads } from "./make-rollouts.ts";
import { median } from "./median.ts";
import { times } from "./times.ts";

const PAGE = { limit: 50 };
const LONG = { turns: 10_000, itemBytes: 19_600 };
const SHORT = { turns: 20, itemBytes: 19_600 };
const REPEATS = 60;
const STARTS = 10;
const INDEXING_MS = 240_000;
const LONG_ANSWER = { milliseconds: 120_000 };

export const HISTORY_MEASURES = {
  list: (bench: Bench) =>
    withHome(bench, async (home) => {
      makeThreads(home.home, 200);
      return withClient(bench, home, async (client) => {
        await client.result("thread/list", PAGE, LONG_ANSWER);
        return median(await times(15, () => client.result("thread/list", PAGE, LONG_ANSWER)));
      });
    }),
  "list-many": async (bench: Bench) => high(await listTimes(bench, 100_000)),
  "list-growth": async (bench: Bench) =>
    median(await listTimes(bench, 100_000)) / median(await listTimes(bench, 1000)),
  "first-list": (bench: Bench) =>
    withHome(bench, async (home) => {
      makeThreads(home.home, 50_000);
      return withClient(bench, home, async (client) => {
        const [time = 0] = await times(1, () => client.result("thread/list", PAGE, LONG_ANSWER));
        return time;
      });
    }),
  "resume-long": resumeTime,
  "turns-growth": (bench: Bench) => pageGrowth(bench, "thread/turns/list"),
  "items-growth": (bench: Bench) => pageGrowth(bench, "thread/items/list"),
};

async function listTimes(bench: Bench, count: number): Promise<number[]> {
  return withHome(bench, async (home) => {
    makeThreads(home.home, count);
    return withClient(bench, home, async (client) => {
      await untilIndexed(client);
      return times(REPEATS, () => client.result("thread/list", PAGE));
    });
  });
}

/** A list of threads that nobody has is answered when every file is in the index. */
export async function untilIndexed(client: RpcClient): Promise<void> {
  await client.result("thread/list", { limit: 1, cwd: "/nowhere" }, { milliseconds: INDEXING_MS });
}

/** Each time in a new server, which has to load the thread. */
async function resumeTime(bench: Bench): Promise<number> {
  return withHome(bench, async (home) => {
    const long = makeLongThread(home.home, LONG);
    const short = makeLongThread(home.home, SHORT);
    const found: number[] = [];
    for (let start = 0; start <= STARTS; start += 1) {
      await withClient(bench, home, async (client) => {
        await client.result("thread/resume", { threadId: short, excludeTurns: true }, LONG_ANSWER);
        const resume = () =>
          client.result("thread/resume", { threadId: long, excludeTurns: true }, LONG_ANSWER);
        const [time = 0] = await times(1, resume);
        // The first time takes the file into the index.
        if (start > 0) found.push(time);
        return time;
      });
    }
    return high(found);
  });
}

async function pageGrowth(bench: Bench, method: string): Promise<number> {
  return withHome(bench, async (home) => {
    const long = makeLongThread(home.home, LONG);
    const short = makeLongThread(home.home, SHORT);
    return withClient(bench, home, async (client) => {
      const page = (threadId: string) => client.result(method, { threadId, limit: 10 }, LONG_ANSWER);
      const timeOf = async (threadId: string) => {
        await page(threadId);
        return median(await times(REPEATS, () => page(threadId)));
      };
      return (await timeOf(long)) / (await timeOf(short));
    });
  });
}

async function withClient<T>(
  bench: Bench,
  home: TempHome,
  measure: (client: RpcClient) => Promise<T>,
): Promise<T> {
  const server = await startServer({ program: bench.program, home });
  try {
    const client = await server.connect();
    await client.result("initialize", CLIENT);
    return await measure(client);
  } finally {
    await server.stop();
  }
}

/** The time that 95 of 100 stay below. */
function high(found: readonly number[]): number {
  return found.toSorted((one, other) => one - other)[Math.ceil(found.length * 0.95) - 1] ?? 0;
}
