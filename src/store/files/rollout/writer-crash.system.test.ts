import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { mountSmallDisk, NO_SMALL_DISK } from "../../../base/small-disk.fixture.ts";
import { started } from "../../lines/lines.fixture.ts";
import { clock, meta, ordinalsOf, readAll, temporaryFolder } from "./rollout.fixture.ts";
import { RolloutWriter } from "./writer.ts";

const WRITER = resolve(import.meta.dirname, "writer.ts");

/** A program that appends forever and prints the ordinal of each durable line. */
async function writingProgram(folder: string): Promise<string> {
  const entry = join(folder, "entry.ts");
  writeFileSync(
    entry,
    `import { RolloutWriter } from ${JSON.stringify(WRITER)};
const writer = new RolloutWriter({ path: process.argv[2] ?? "", clock: { now: () => 0 } });
const body = { type: "event_msg", payload: { type: "x", text: "é".repeat(3000) } } as const;
async function work() {
  for (;;) {
    const outcome = await writer.append([body, body]);
    if (outcome.kind !== "written") throw new Error(outcome.message);
    process.stdout.write(outcome.lines.at(-1)?.ordinal + "\\n");
  }
}
for (let at = 0; at < 3; at += 1) void work();
`,
  );
  const outfile = join(folder, "program.mjs");
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
  });
  return outfile;
}

test("every line that was settled is there after a kill, and the file takes more", async () => {
  const folder = temporaryFolder();
  const program = await writingProgram(folder);
  const path = join(folder, "rollout.jsonl");
  const writer = new RolloutWriter({ path, clock });
  await writer.append([meta()]);
  await writer.close();
  for (const lines of [5, 60, 200]) {
    const child = spawn(process.execPath, [program, path], { stdio: ["ignore", "pipe", "inherit"] });
    let settled = -1;
    let count = 0;
    for await (const text of createInterface({ input: child.stdout })) {
      settled = Math.max(settled, Number(text));
      count += 1;
      if (count === lines) child.kill("SIGKILL");
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    const faults: string[] = [];
    await readAll(path, { onFault: ({ reason }) => faults.push(reason) });
    const ordinals = await ordinalsOf(path);
    expect(ordinals).toEqual(Array.from({ length: ordinals.length }, (_, at) => at));
    expect(ordinals.length).toBeGreaterThan(settled);
    expect(faults.filter((reason) => reason !== "cut off")).toEqual([]);
  }
});

test("a full disk refuses a line as a whole, and takes lines again when there is room", async ({ skip }) => {
  const disk = mountSmallDisk(onTestFinished, 64);
  if (disk === null) return skip(NO_SMALL_DISK);
  const path = join(disk.folder, "rollout.jsonl");
  const writer = new RolloutWriter({ path, clock });
  onTestFinished(() => writer.close());
  const big = { type: "event_msg", payload: { type: "x", text: "x".repeat(40_000) } } as const;
  const outcomes = [];
  for (const bodies of [[meta()], [big], [big], [started("one")]]) outcomes.push(await writer.append(bodies));
  expect(outcomes.map((outcome) => (outcome.kind === "written" ? outcome.kind : outcome))).toEqual([
    "written",
    "written",
    {
      kind: "unavailable",
      reason: "noSpace",
      message: `cannot write history to ${path}: No space left on device (os error 28)`,
    },
    "written",
  ]);
  const faults: string[] = [];
  await readAll(path, { onFault: ({ reason }) => faults.push(reason) });
  expect([await ordinalsOf(path), faults]).toEqual([[0, 1, 2], []]);
});
