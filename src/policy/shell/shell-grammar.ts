/** The bash grammar: a WebAssembly parser that is loaded on first use. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Node } from "web-tree-sitter";
import { once } from "../../base/tasks.ts";

/** Parses shell scripts with the bash grammar. Loading it takes tens of milliseconds, so it is opened on first use. */
export interface ShellGrammar {
  /**
   * Calls the reader with the root of the syntax tree, which is freed after the call. Null for a script that exceeds the
   * timeout, because parsing blocks the event loop.
   */
  read<T>(script: string, reader: (root: Node) => T): T | null;
}

const PARSE_TIMEOUT_MS = 100;

export async function openShellGrammar(now: () => number = cpuTimeMs): Promise<ShellGrammar> {
  const parser = await bashParser.get();
  return {
    read(script, reader) {
      const start = now();
      const tree = parser.parse(script, null, { progressCallback: () => now() - start > PARSE_TIMEOUT_MS });
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

/** Loaded once: the library has one engine per process, and two concurrent loads would share memory. */
const bashParser = once(async () => {
  const { Language, Parser } = await import("web-tree-sitter");
  const files = findGrammarFiles();
  const [engine, bash] = await Promise.all([readFile(files.engine), readFile(files.bash)]);
  return withoutWasmOptimization(async () => {
    await Parser.init({ wasmBinary: engine });
    return new Parser().setLanguage(await Language.load(bash));
  });
});

/** CPU time instead of wall-clock time, so that load on the machine does not affect decisions. */
function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Background optimization of the WebAssembly code would use the CPU for most of a second, delay the exit of the process,
 * and make parsing no faster.
 */
async function withoutWasmOptimization<T>(load: () => Promise<T>): Promise<T> {
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

/** Beside the bundle, or in their packages when running from source. */
export function findGrammarFiles(): GrammarFiles {
  const here = dirname(fileURLToPath(import.meta.url));
  for (const folder of [join(here, "grammar"), join(here, "..", "grammar")]) {
    const files = { engine: join(folder, ENGINE), bash: join(folder, BASH) };
    if (existsSync(files.engine) && existsSync(files.bash)) return files;
  }
  const { resolve } = createRequire(import.meta.url);
  return { engine: resolve(`web-tree-sitter/${ENGINE}`), bash: resolve(`tree-sitter-bash/${BASH}`) };
}
