/** The duration of an operation on a warm server and an idle machine. */
import { pause } from "../bench/bench.ts";
import { runTurn, startThread } from "../bench/threads.ts";
import { times } from "../bench/times.ts";
import type { RpcClient } from "../support/rpc-client.ts";

const WARM_UP = 40;
const REPEATS = 40;
/** In this idle time the server loads the shell grammar, whose 33 MB would otherwise be a part of some sizes only. */
const UNTIL_PREFETCHED_MS = 2_000;

/** A server becomes faster with use, so that it gets the same warm-up at every size. */
export async function warmUp(client: RpcClient): Promise<void> {
  const threadId = await startThread(client);
  await times(WARM_UP, () => runTurn(client, threadId));
  await pause(UNTIL_PREFETCHED_MS);
}

export async function operationTime(act: () => Promise<unknown>): Promise<number> {
  return undisturbed(await times(REPEATS, act));
}

/** The first quartile: other work of the machine only ever adds to times, and not to every operation. */
export function undisturbed(found: readonly number[]): number {
  return found.toSorted((one, other) => one - other)[Math.floor(found.length / 4)] ?? Number.NaN;
}
