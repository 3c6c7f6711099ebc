// Runs the unit and system tests that import what has changed, and the architecture tests: those that the working tree's
// changes affect, or everything since a commit (`npm run test:changed -- HEAD~3`). Whole servers are not played.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = join(fileURLToPath(import.meta.url), "..", "..");
const [since = "HEAD"] = process.argv.slice(2);

const changed = [
  ...lines("git", ["diff", "--name-only", since]),
  ...lines("git", ["ls-files", "--others", "--exclude-standard"]),
].filter((file) => /\.(?:ts|mjs|json)$/.test(file) && existsSync(join(root, file)));
if (changed.length === 0) {
  process.stderr.write(`nothing has changed since ${since}\n`);
  process.exit(0);
}
process.stderr.write(`${changed.length} changed files since ${since}; testing what imports them\n`);

const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const projects = ["unit", "system", "promises"].flatMap((name) => ["--project", name]);
const always = ["test/architecture.test.ts"];
const { status } = spawnSync(
  process.execPath,
  [vitest, "related", "--run", ...projects, "--passWithNoTests", ...changed, ...always],
  { cwd: root, stdio: "inherit" },
);
process.exitCode = status ?? 1;

function lines(program, args) {
  const { status: code, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: "utf8" });
  if (code === 0) return stdout.split("\n").filter((line) => line !== "");
  process.stderr.write(stderr);
  process.exit(1);
}
