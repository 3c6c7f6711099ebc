// Runs the bundled program from V8's code caches, which halves the load time. The program consists of several scripts
// (scripts/bundle-program.mjs), each of which is read when one of its chunks is first imported. The cache of a script is
// stored beside it; if it is missing or was made by another Node, the script runs without it.

// Must be the first import.
import "./require-node.ts";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";

type Exports = Record<string, unknown>;

/** Fills in the exports of a chunk. */
type Chunk = (
  exports: Exports,
  importNow: (chunk: string) => Exports,
  importLater: (chunk: string) => Promise<Exports>,
  importModule: (path: string) => Promise<Exports>,
) => void;

interface ScriptContent {
  /** The same in all scripts of one build. */
  readonly buildId: string;
  readonly chunks: Readonly<Record<string, Chunk>>;
}

interface Program {
  main(argv: readonly string[]): Promise<void>;
  warmUp(): Promise<void>;
}

function openProgram(folder: string): { readonly program: Program; writeCaches(): void } {
  const start = join(folder, "heddle.cjs");
  const scripts = new Map<string, { readonly script: Script; readonly content: ScriptContent }>();
  const modules = new Map<string, Exports>();
  const imports = new Map<string, Promise<Exports>>();

  const fileOf = (name: string) => (name === "start" ? start : join(folder, `heddle-${name}.cjs`));
  const cacheOf = (name: string) => join(folder, `heddle-${name}-${process.version}-${process.arch}.cache`);

  function load(name: string): ScriptContent {
    const filename = fileOf(name);
    const cachedData = readIfPresent(cacheOf(name));
    // A script is pure ASCII, which decodes fastest as Latin-1.
    const script = new Script(readFileSync(filename, "latin1"), {
      filename,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
    const content: ScriptContent = script.runInThisContext()(require, pathToFileURL(start).href);
    const first = scripts.get("start");
    if (first !== undefined && first.content.buildId !== content.buildId)
      throw new Error("Heddle was replaced by another version while it was starting; start it again");
    scripts.set(name, { script, content });
    return content;
  }

  function importNow(chunk: string): Exports {
    const known = modules.get(chunk);
    if (known !== undefined) return known;
    const script = chunk.slice(0, chunk.indexOf("/"));
    const { chunks } = scripts.get(script)?.content ?? load(script);
    const exports: Exports = {};
    chunks[chunk]?.(exports, importNow, importLater, importModule);
    modules.set(chunk, exports);
    return exports;
  }

  /** Requests import a chunk again and again, so its promise is kept; a failed import is tried again. */
  function importLater(chunk: string): Promise<Exports> {
    const known = imports.get(chunk);
    if (known !== undefined) return known;
    const started = Promise.resolve(chunk).then(importNow);
    imports.set(chunk, started);
    started.catch(() => imports.delete(chunk));
    return started;
  }

  function importModule(path: string): Promise<Exports> {
    return Promise.resolve(path).then(require).then(asModule);
  }

  return {
    program: importNow("start/0") as unknown as Program,
    writeCaches() {
      for (const [name, { script }] of scripts) {
        const temporary = `${cacheOf(name)}.${process.pid}`;
        writeFileSync(temporary, script.createCachedData());
        renameSync(temporary, cacheOf(name));
      }
    },
  };
}

function readIfPresent(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** The namespace of a CommonJS module, as `import` returns it. */
function asModule(exports: Exports): Exports {
  return exports["__esModule"] === true ? exports : Object.create(exports, { default: { value: exports } });
}

const { program, writeCaches } = openProgram(__dirname);
if (process.argv[2] === "--warm-code-cache") void program.warmUp().then(writeCaches);
else void program.main(process.argv.slice(2));
