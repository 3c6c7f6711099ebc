/** The end of a turn and its announcement are one step, wherever a process is killed between file and database. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { openFileStore } from "./open-file-store.ts";

/** Near the packages that it needs. */
const PROGRAMS = resolve(".cache", "programs");

/** Ends a turn with its announcement, and is killed before or after the line is written. */
const PROGRAM = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { systemClock } from ${JSON.stringify(resolve("src/base/clock.ts"))};
import { silentLogger } from ${JSON.stringify(resolve("src/base/logger.ts"))};
import { createUuidSource } from ${JSON.stringify(resolve("src/base/uuid.ts"))};
import { originWith } from ${JSON.stringify(resolve("src/store/contract/store-harness.fixture.ts"))};
import { openFileStore } from ${JSON.stringify(resolve("src/store/files/open-file-store.ts"))};
import { completed, started } from ${JSON.stringify(resolve("src/store/lines/lines.fixture.ts"))};

const [, , home, when] = process.argv;
const createId = createUuidSource(systemClock);
const store = openFileStore({ home, clock: systemClock, log: silentLogger, createId, lockFiles: false });
const journal = store.threads.create(originWith({ now: Date.now(), createId }));
await journal.append([started("t1")]);
const { writeSync } = fs;
const kill = () => process.kill(process.pid, "SIGKILL");
fs.writeSync = (...args) => {
  if (!Buffer.from(args[1]).includes("task_complete")) return writeSync(...args);
  if (when === "before") kill();
  const written = writeSync(...args);
  if (when === "after") kill();
  return written;
};
syncBuiltinESMExports();
const threadId = journal.threadId;
const delivery = { eventId: "a", endpointId: "one", type: "turn.ended", threadId, body: "{}" };
await journal.append([completed("t1", "hi")], [{ kind: "turnAnnounced", turnId: "t1", deliveries: [delivery] }]);
kill();
`;

async function buildProgram(): Promise<string> {
  mkdirSync(PROGRAMS, { recursive: true });
  const folder = mkdtempSync(join(PROGRAMS, "outbox-crash-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [entry, outfile] = [join(folder, "entry.ts"), join(folder, "program.mjs")];
  writeFileSync(entry, PROGRAM);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "silent",
  });
  return outfile;
}

test("a process that is killed around the end of a turn announces it exactly if it has ended", async () => {
  const program = await buildProgram();
  for (const [when, deliveries] of [
    ["before", 0],
    ["after", 1],
    ["later", 1],
  ] as const) {
    const home = mkdtempSync(join(tmpdir(), "heddle-outbox-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const { signal, stderr } = spawnSync(process.execPath, [program, home, when], { encoding: "utf8" });
    expect([signal, stderr]).toEqual(["SIGKILL", ""]);
    const createId = createUuidSource(systemClock);
    const store = openFileStore({ home, clock: systemClock, log: silentLogger, createId, lockFiles: false });
    onTestFinished(() => store.close());
    expect([when, (await store.outbox.claim("one", 9)).length]).toEqual([when, deliveries]);
    expect(await store.outbox.list({ limit: 9 })).toHaveLength(deliveries);
  }
});
