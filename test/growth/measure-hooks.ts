/** The cost of many hooks at one event. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Side } from "../bench/bench.ts";
import { commandHooks, hooked, rest } from "../bench/measure-hooks.ts";
import { newClient, runTurn, startThread, withThreads } from "../bench/threads.ts";
import { messageReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import type { RunningServer } from "../support/start-server.ts";
import { undisturbed, warmUp } from "./operation-time.ts";
import { keptMemory, PROBE_ENVIRONMENT } from "./probe-memory.ts";

const FIRST_TURNS = 3;
const TURNS = 9;
/** The time after which a shell is ready again for each hook. */
const UNTIL_READY_MS = 300;
/** The first turn loads each module. */
const PATIENCE_MS = 60_000;

export function measureHooks(side: Side, size: number) {
  return withThreads(
    side,
    [messageReply("Done")],
    async (client, _model, server) => {
      await warmUp(client);
      const commands = await turnTime(await newClient(server), commandHooks(size));
      const memory = await keptMemory(server.home);
      const modules = await turnTime(await newClient(server), await moduleHooks(server, size));
      return { commands, modules, memory };
    },
    { env: PROBE_ENVIRONMENT, transport: "ws" },
  );
}

async function moduleHooks({ home }: RunningServer, count: number): Promise<object[]> {
  const paths = Array.from({ length: count }, (_, index) => join(home.user, `hook-${index}.mjs`));
  await Promise.all(paths.map((path) => writeFile(path, "export default () => {};\n")));
  return paths.map((path) => ({ type: "module", path }));
}

async function turnTime(client: RpcClient, handlers: readonly object[]): Promise<number> {
  const threadId = await startThread(client, hooked(handlers));
  const found: number[] = [];
  for (let turn = 0; turn < FIRST_TURNS + TURNS; turn += 1) {
    await rest(client, UNTIL_READY_MS);
    const start = performance.now();
    await runTurn(client, threadId, PATIENCE_MS);
    if (turn >= FIRST_TURNS) found.push(performance.now() - start);
  }
  return undisturbed(found);
}
