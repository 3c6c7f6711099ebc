/** How long an operation takes on a server that is warm and a machine that is left alone. */
import { runTurn, startThread } from "../bench/threads.ts";
import { times } from "../bench/times.ts";
import type { RpcClient } from "../support/rpc-client.ts";

const WARM_UP = 40;
const REPEATS = 40;

/** A server gets faster with what it does; at every size it has done as much before it is measured. */
export async function warmUp(client: RpcClient): Promise<void> {
  const threadId = await startThread(client);
  await times(WARM_UP, () => runTurn(client, threadId));
}

export async function operationTime(act: () => Promise<unknown>): Promise<number> {
  return undisturbed(await times(REPEATS, act));
}

/** The time that a quarter stays below: other work of the machine only ever adds, and not to every operation alike. */
export function undisturbed(found: readonly number[]): number {
  return found.toSorted((one, other) => one - other)[Math.floor(found.length / 4)] ?? Number.NaN;
}
