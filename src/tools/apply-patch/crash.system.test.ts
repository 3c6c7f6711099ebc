import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPatchFolder, type PatchFolder } from "./patch-folder.fixture.ts";

const LINES = 500;
const FILES = ["a.txt", "b.txt", "c.txt"];
const content = (word: string) => `${word}\n`.repeat(LINES);

/**
 * Turns three files from one word to the other and back. Prints a line after each round; kills itself before the
 * given file system operation, if any.
 */
const CHILD = `
import { commitEdits } from "./commit-edits.ts";
import { nodeFileSystem } from "./patch-file-system.ts";
import { planEdits } from "./plan-edits.ts";
const [, , folder, lastStep] = process.argv;
let steps = 0;
const fs = new Proxy({}, {
  get: (_, name) => (...args) => {
    steps += 1;
    if (steps === Number(lastStep)) process.kill(process.pid, "SIGKILL");
    return nodeFileSystem[name](...args);
  },
});
const words = ["old", "new"];
for (let round = 0; ; round += 1) {
  const [from, to] = round % 2 === 0 ? words : words.toReversed();
  const lines = [];
  for (let line = 0; line < ${LINES}; line += 1) lines.push({ kind: "removed", text: from });
  for (let line = 0; line < ${LINES}; line += 1) lines.push({ kind: "added", text: to });
  const chunks = [{ header: undefined, atEnd: false, lines }];
  const hunks = ${JSON.stringify(FILES)}.map((path) => ({ kind: "update", path, moveTo: undefined, chunks }));
  const planned = await planEdits(nodeFileSystem, hunks, folder);
  if (planned.kind === "failed") throw new Error(planned.message);
  await commitEdits(planned.edits, { fs, id: String(round) });
  process.stdout.write("round " + steps + "\\n");
}`;

let folder: PatchFolder;
let script: string;

beforeAll(async () => {
  folder = createPatchFolder();
  script = join(folder.path, "child.mjs");
  await build({
    stdin: { contents: CHILD, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    outfile: script,
  });
});

afterAll(() => rmSync(folder.path, { recursive: true, force: true }));

/** Lets a child work until it is dead, and answers what became of each file. */
async function states(lastStep: number, until: (output: string) => boolean): Promise<string[]> {
  const files = createPatchFolder(Object.fromEntries(FILES.map((name) => [name, content("old")])));
  try {
    const args = [script, files.path, String(lastStep)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    let output = "";
    child.stdout.on("data", (data: Buffer) => {
      output += data.toString();
      if (until(output)) child.kill("SIGKILL");
    });
    expect(await exited).toEqual([null, "SIGKILL"]);
    const left = files.files();
    return FILES.map((name) => ["old", "new"].find((word) => left[name] === content(word)) ?? "broken");
  } finally {
    files.remove();
  }
}

test("a process that dies before any step of a patch leaves whole files", { timeout: 60_000 }, async () => {
  let stepsPerRound = 0;
  await states(0, (output) => {
    stepsPerRound = Number(/round (\d+)/.exec(output)?.[1] ?? 0);
    return stepsPerRound > 0;
  });
  expect(stepsPerRound).toBeGreaterThan(9);
  const seen = new Set<string>();
  for (let step = 1; step <= stepsPerRound; step += 1) {
    for (const state of await states(step, () => false)) seen.add(state);
  }
  expect([...seen].sort()).toEqual(["new", "old"]);
});

test("a process that is killed at any time leaves whole files", { timeout: 60_000 }, async () => {
  for (let rounds = 1; rounds <= 6; rounds += 1) {
    const left = await states(0, (output) => output.split("\n").length > rounds * 5);
    expect(left).not.toContain("broken");
  }
});
