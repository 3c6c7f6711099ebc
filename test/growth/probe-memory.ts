/** The memory of a server, as it reports it itself. */
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TempHome } from "../support/temp-home.ts";

const PROBE = join(process.cwd(), "test", "growth", "memory-probe.cjs");

const SOCKET = "memory-probe.sock";

/** The environment of a server with the probe, whose socket is in its working folder. */
export const PROBE_ENVIRONMENT = { NODE_OPTIONS: `--require=${PROBE}`, HEDDLE_MEMORY_PROBE: SOCKET } as const;

/** The kilobytes of the server's live objects and buffers after a garbage collection. */
export async function keptMemory({ workspace }: TempHome): Promise<number> {
  const bytes = Number(await text(connect(join(workspace, SOCKET))));
  if (!(bytes > 0)) throw new Error("the server did not say what it keeps in memory");
  return bytes / 1024;
}
