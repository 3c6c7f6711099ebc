/**
 * Where the shell grammar's two WebAssembly files are: beside the built program, in `grammar/`, or in the packages
 * that they come from when the program runs from its source.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface GrammarFiles {
  /** The parser engine. */
  readonly engine: string;
  /** The grammar of bash. */
  readonly bash: string;
}

const ENGINE = "web-tree-sitter.wasm";
const BASH = "tree-sitter-bash.wasm";

export function findGrammarFiles(): GrammarFiles {
  const here = dirname(fileURLToPath(import.meta.url));
  for (const folder of [join(here, "grammar"), join(here, "..", "grammar")]) {
    const files = { engine: join(folder, ENGINE), bash: join(folder, BASH) };
    if (existsSync(files.engine) && existsSync(files.bash)) return files;
  }
  const { resolve } = createRequire(import.meta.url);
  return { engine: resolve(`web-tree-sitter/${ENGINE}`), bash: resolve(`tree-sitter-bash/${BASH}`) };
}
