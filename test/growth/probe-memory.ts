/** What a server keeps in memory, asked of itself. */
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TempHome } from "../support/temp-home.ts";

const PROBE = join(process.cwd(), "test", "growth", "memory-probe.cjs");

const SOCKET = "memory-probe.sock";

/** The environment of a server that can be asked. It makes the socket in the folder that it starts in. */
export const PROBE_ENVIRONMENT = { NODE_OPTIONS: `--require=${PROBE}`, HEDDLE_MEMORY_PROBE: SOCKET } as const;

/** Kilobytes that the server's own objects and buffers take once everything unused has been collected. */
export async function keptMemory({ workspace }: TempHome): Promise<number> {
  const bytes = Number(await text(connect(join(workspace, SOCKET))));
  if (!(bytes > 0)) throw new Error("the server did not say what it keeps in memory");
  return bytes / 1024;
}
