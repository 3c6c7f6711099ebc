/** The grammar of bash, as a parser in WebAssembly that is loaded when the first script is read. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Node } from "web-tree-sitter";
import { once } from "../../base/tasks.ts";

/** Reads shell scripts with the grammar of bash. Loading it takes tens of milliseconds, so it is opened on first use. */
export interface ShellGrammar {
  /**
   * Gives the reader the root of the script's syntax tree, which lives no longer than the call. Null for a script
   * that takes too long, because nothing else is done meanwhile.
   */
  read<T>(script: string, reader: (root: Node) => T): T | null;
}

const MAX_MS = 100;

export async function openShellGrammar(now: () => number = processorTime): Promise<ShellGrammar> {
  const parser = await bashParser.get();
  return {
    read(script, reader) {
      const start = now();
      const tree = parser.parse(script, null, { progressCallback: () => now() - start > MAX_MS });
      if (tree === null) {
        parser.reset();
        return null;
      }
      try {
        return reader(tree.rootNode);
      } finally {
        tree.delete();
      }
    },
  };
}

/** The library has one engine for the process: of two that load at once, one would get the memory of the other. */
const bashParser = once(async () => {
  const { Language, Parser } = await import("web-tree-sitter");
  const files = findGrammarFiles();
  const [engine, bash] = await Promise.all([readFile(files.engine), readFile(files.bash)]);
  return withoutOptimizing(async () => {
    await Parser.init({ wasmBinary: engine });
    return new Parser().setLanguage(await Language.load(bash));
  });
});

/** In milliseconds. That others keep the machine busy makes no script suspicious. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Optimizing the grammar in the background would take the processor for most of a second, which the end of the
 * process would wait for, and make no script faster to read.
 */
async function withoutOptimizing<T>(load: () => Promise<T>): Promise<T> {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  setFlagsFromString("--liftoff-only");
  try {
    return await load();
  } finally {
    setFlagsFromString("--no-liftoff-only");
  }
}

/** The two WebAssembly files. */
export interface GrammarFiles {
  /** The parser engine. */
  readonly engine: string;
  /** The grammar of bash. */
  readonly bash: string;
}

const ENGINE = "web-tree-sitter.wasm";
const BASH = "tree-sitter-bash.wasm";

/** Beside the built program, or in the packages that they come from when the program runs from its source. */
export function findGrammarFiles(): GrammarFiles {
  const here = dirname(fileURLToPath(import.meta.url));
  for (const folder of [join(here, "grammar"), join(here, "..", "grammar")]) {
    const files = { engine: join(folder, ENGINE), bash: join(folder, BASH) };
    if (existsSync(files.engine) && existsSync(files.bash)) return files;
  }
  const { resolve } = createRequire(import.meta.url);
  return { engine: resolve(`web-tree-sitter/${ENGINE}`), bash: resolve(`tree-sitter-bash/${BASH}`) };
}
