// For tests of programs that use Heddle: a server on a home of its own, answered by the demo model.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client, ClientOptions } from "../client/client.ts";
import { createHeddle } from "../index.ts";

export interface TestHeddle {
  readonly home: string;
  readonly client: Client;
  /** A further client of the same server. */
  connect(options?: ClientOptions): Promise<Client>;
  /** Ends the server and removes its home. */
  close(): Promise<void>;
}

/** Starts a server that touches nothing outside its temporary home and never the network. */
export async function startTestHeddle(options?: ClientOptions): Promise<TestHeddle> {
  const home = mkdtempSync(join(tmpdir(), "heddle-test-"));
  const heddle = await createHeddle({ home, cwd: home, env: { PATH: process.env["PATH"], HOME: home } });
  return {
    home,
    client: await heddle.connect(options),
    connect: heddle.connect,
    async close() {
      await heddle.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
