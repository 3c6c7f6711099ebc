import { existsSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { findGrammarFiles } from "./shell-grammar.ts";

test("both WebAssembly files are found", () => {
  const { engine, bash } = findGrammarFiles();
  expect([basename(engine), basename(bash)]).toEqual(["web-tree-sitter.wasm", "tree-sitter-bash.wasm"]);
  expect([existsSync(engine), existsSync(bash)]).toEqual([true, true]);
});
