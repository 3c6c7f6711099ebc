/**
 * Makes the calls of the cases with Heddle and with the peer, each on a home and a model of its own, and prints what
 * came of them as one line of JSON. It runs on a network with nothing but loopback, where the peer waits for no names.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isIsolated, openRefusingResolver, runIsolated } from "../conformance/isolation.ts";
import { ensurePeer } from "../conformance/peer.ts";
import { type Ended, openExecHarness } from "../support/exec-harness.ts";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { HEDDLE, type Program } from "../support/start-server.ts";
import { cases, type ExecCase } from "./cases.ts";
import { normaliseEnded } from "./normalise-ended.ts";

const CACHE = join(process.cwd(), ".cache");

async function play(
  { calls, files = {}, tables, isRepository = true, replies }: ExecCase,
  program: Program,
  under: string,
) {
  const place = await openExecHarness({
    ...(replies !== undefined && { replies }),
    ...(tables !== undefined && { config: { tables } }),
    isRepository,
    under,
  });
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(place.home.workspace, name), text);
    const ends: Ended[] = [];
    for (const { args, stdin = "" } of calls) {
      const id = ends[0]?.events[0]?.thread_id ?? "";
      ends.push(
        await place.call(
          args.map((word) => (word === "ID" ? id : word)),
          { stdin, program },
        ),
      );
    }
    const known = { [place.home.root]: "<root>", [place.model.url]: "<model>" };
    return ends.map((ended) => normaliseEnded(ended, known));
  } finally {
    await place.close();
  }
}

async function main(): Promise<void> {
  if (!isIsolated()) {
    process.exitCode = (await runIsolated(CACHE)) ?? 3;
    return;
  }
  await openRefusingResolver();
  const peer = (await ensurePeer(CACHE, () => {})).program;
  const under = await makeHomesFolder();
  const results: Record<string, unknown> = {};
  for (const each of cases) {
    results[each.name] = { heddle: await play(each, HEDDLE, under), peer: await play(each, peer, under) };
  }
  await rm(under, { recursive: true, force: true, maxRetries: 12, retryDelay: 100 });
  process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0));
}

await main();
