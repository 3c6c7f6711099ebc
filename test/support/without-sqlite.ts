/** An environment in which Node cannot load any SQLite driver. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const PRELOAD = `
const Module = require("node:module");
const load = Module._load;
Module._load = function (name, ...rest) {
  if (name === "better-sqlite3" || name === "node:sqlite") throw new Error("not built for this machine");
  return load.call(this, name, ...rest);
};
`;

export function withoutSqlite(): { readonly NODE_OPTIONS: string } {
  const folder = mkdtempSync(join(tmpdir(), "heddle-preload-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "without-sqlite.cjs");
  writeFileSync(file, PRELOAD);
  return { NODE_OPTIONS: `--require ${file}` };
}
