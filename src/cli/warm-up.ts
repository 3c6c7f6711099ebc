import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { silentLogger } from "../base/logger.ts";
import { openHeddle } from "../server/heddle.ts";
import { openStdio } from "../transport/stdio.ts";

/**
 * Runs what every start runs, up to the last word of the greeting, so that the code cache holds it
 * compiled. It runs no more than that: the whole cache is read at every start.
 */
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
  heddle.connect(openStdio({ input, output, limits: heddle.limits, log: silentLogger }));
  input.write('{"id":0,"method":"initialize","params":{"clientInfo":{"name":"a","version":"1"}}}\n');

  await new Promise<void>((resolve) => {
    output.on("data", (chunk: Buffer) => chunk.includes("remoteControl/status/changed") && resolve());
  });
  await heddle.close();
  rmSync(home, { recursive: true, force: true });
}
