/** Calls methods of the protocol without a running server: on a server in this process that starts no turn. */
import { silentLogger } from "../../base/logger.ts";
import { type Client, openClient } from "../../client/client.ts";
import { openHeddle } from "../../server/heddle.ts";
import { createMemoryTransports } from "../../transport/memory.ts";
import type { ParsedArguments } from "../command-line/command.ts";
import { readGlobalSettings } from "../command-line/options.ts";

/** Turns that are queued meanwhile wait for a server that starts them. */
export async function withClient<T>(
  chain: readonly ParsedArguments[],
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { env } = process;
  const heddle = await openHeddle({
    ...readGlobalSettings(...chain),
    env,
    cwd: process.cwd(),
    log: silentLogger,
  });
  try {
    await heddle.drain();
    const [serverTransport, clientTransport] = createMemoryTransports();
    heddle.connect(serverTransport);
    return await work(await openClient(clientTransport, { capabilities: { experimentalApi: true } }));
  } finally {
    await heddle.close();
  }
}
