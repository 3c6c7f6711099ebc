import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { silentLogger } from "../base/logger.ts";
import { openClient } from "../client/client.ts";
import { openHeddle } from "../server/heddle.ts";
import { createMemoryTransports } from "../transport/memory.ts";
import { openStdio } from "../transport/stdio.ts";
import { defaultTransportLimits } from "../transport/transport.ts";

/** Runs what nearly every start runs, so that the code cache holds it compiled. */
export async function warmUp(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "heddle-warm-"));
  const env = { HEDDLE_HOME: home, HOME: home };
  const heddle = await openHeddle({
    env,
    cwd: home,
    log: silentLogger,
    flags: {},
    profile: null,
    strictConfig: false,
  });
  const input = new PassThrough();
  const output = new PassThrough().resume();
  heddle.connect(openStdio({ input, output, limits: defaultTransportLimits, log: silentLogger }));
  input.write('{"id":0,"method":"initialize","params":{"clientInfo":{"name":"a","version":"1"}}}\n');

  const [theirs, ours] = createMemoryTransports();
  heddle.connect(theirs);
  const client = await openClient(ours);
  await client.config.read({ includeLayers: true });
  await client.model.list({});
  const { thread } = await client.thread.start({});
  await client.runTurn({ threadId: thread.id, input: [{ type: "text", text: "Hello!" }] });
  await heddle.close();
  rmSync(home, { recursive: true, force: true });
}
