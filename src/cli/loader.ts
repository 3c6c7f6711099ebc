// Starts the bundled program from V8's code cache, which halves the time to load it. The cache lies
// beside the bundle; where it is missing or does not fit this Node, the program runs without it.

// Before everything else that is imported.
import "./require-node.ts";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";

const file = join(__dirname, "heddle.cjs");
const cacheFile = join(__dirname, `heddle-${process.version}-${process.arch}.cache`);

function readCache(): Buffer | undefined {
  try {
    return readFileSync(cacheFile);
  } catch {
    return undefined;
  }
}

function writeCache(script: Script): void {
  const part = `${cacheFile}.${process.pid}`;
  writeFileSync(part, script.createCachedData());
  renameSync(part, cacheFile);
}

const cachedData = readCache();
// The bundle is pure ASCII, which is read fastest as Latin-1, and a function already: no copy of it has to be made.
const script = new Script(readFileSync(file, "latin1"), {
  filename: file,
  ...(cachedData === undefined ? {} : { cachedData }),
});
const bundle = { exports: {} as { main(argv: readonly string[]): Promise<void>; warmUp(): Promise<void> } };
script.runInThisContext()(bundle.exports, createRequire(file), bundle, file, __dirname);

if (process.argv[2] === "--warm-code-cache") void bundle.exports.warmUp().then(() => writeCache(script));
else void bundle.exports.main(process.argv.slice(2));
