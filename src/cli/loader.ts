// Starts the bundled program from V8's code cache, which halves the load time. The cache file is stored
// beside the bundle; if it is missing or was made by another Node, the program runs without it.

// Must be the first import.
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
  const temporary = `${cacheFile}.${process.pid}`;
  writeFileSync(temporary, script.createCachedData());
  renameSync(temporary, cacheFile);
}

const cachedData = readCache();
// The bundle is pure ASCII, which decodes fastest as Latin-1, and is already wrapped in a function, so that no copy is made.
const script = new Script(readFileSync(file, "latin1"), {
  filename: file,
  ...(cachedData === undefined ? {} : { cachedData }),
});
const bundle = { exports: {} as { main(argv: readonly string[]): Promise<void>; warmUp(): Promise<void> } };
script.runInThisContext()(bundle.exports, createRequire(file), bundle, file, __dirname);

if (process.argv[2] === "--warm-code-cache") void bundle.exports.warmUp().then(() => writeCache(script));
else void bundle.exports.main(process.argv.slice(2));
