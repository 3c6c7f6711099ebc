import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { packFile, removeFile, unpackFile } from "./pack-file.ts";
import { temporaryFolder } from "./rollout.fixture.ts";

const HERE = import.meta.dirname;
const LINES = '{"said":"hello, hello, hello, hello, hello, hello"}\n'.repeat(3000);
const NAME = "rollout-2026-11-15T09-24-31-01a1de85-c6e8-7cd1-a911-8f3f8697f72b.jsonl";

/** A program that packs or unpacks a file, and is killed before its nth change. */
async function packingProgram(folder: string): Promise<string> {
  const entry = join(folder, "entry.ts");
  writeFileSync(
    entry,
    `import { packFile, removeFile, unpackFile } from ${JSON.stringify(resolve(HERE, "pack-file.ts"))};
import { killAtCall } from ${JSON.stringify(resolve(HERE, "fixtures/kill-at-call.ts"))};
const [, , what, path, nth] = process.argv;
const now = () => 0;
await killAtCall(Number(nth));
if (what === "pack") await packFile(path, now);
else {
  await unpackFile(path + ".zst", path, now);
  await removeFile(path + ".zst");
}
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

const work = {
  pack: async (path: string) => void (await packFile(path, () => 0)),
  async unpack(path: string) {
    await unpackFile(`${path}.zst`, path, () => 0);
    await removeFile(`${path}.zst`);
  },
};

test.each([
  ["pack", `${NAME}.zst`],
  ["unpack", NAME],
] as const)(
  "who is killed anywhere while it does %s loses nothing, and ends it the next time",
  async (what, end) => {
    const folder = temporaryFolder();
    const program = await packingProgram(folder);
    let kills = 0;
    for (let nth = 1; ; nth += 1) {
      const home = join(folder, `${nth}`);
      const path = join(home, NAME);
      mkdirSync(home);
      writeFileSync(path, LINES);
      if (what === "unpack") await packFile(path, () => 0);
      const { signal, status, stderr } = spawnSync(process.execPath, [program, what, path, `${nth}`]);
      expect([status, stderr.toString()]).toEqual([signal === null ? 0 : null, ""]);
      expect(await linesIn(home)).toBe(true);
      if (signal === null) break;
      kills += 1;
      await work[what](path);
      expect(readdirSync(home)).toEqual([end]);
      expect(await linesIn(home)).toBe(true);
      rmSync(home, { recursive: true });
    }
    expect(kills).toBeGreaterThan(8);
  },
  60_000,
);

/** Whether the effective file is complete: the unpacked one if it exists. */
async function linesIn(home: string): Promise<boolean> {
  const names = readdirSync(home);
  if (names.includes(NAME)) return readFileSync(join(home, NAME), "utf8") === LINES;
  const copy = join(temporaryFolder(), NAME);
  await unpackFile(join(home, `${NAME}.zst`), copy, () => 0);
  return readFileSync(copy, "utf8") === LINES;
}
