// Runs a TypeScript program of this repository: bundles it into .cache/ and starts it with the given arguments.

import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(fileURLToPath(import.meta.url), "..", "..");
const [entry = "", ...args] = process.argv.slice(2);
const name = entry.replace(/[^a-z0-9]+/gi, "-").replace(/-ts$/, "");
const outfile = join(root, ".cache", "programs", `${name || basename(entry)}.mjs`);
await build({
  absWorkingDir: root,
  entryPoints: [entry],
  outfile,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  packages: "external",
  sourcemap: "inline",
  logLevel: "warning",
});
const { status } = spawnSync(process.execPath, ["--enable-source-maps", outfile, ...args], {
  cwd: root,
  stdio: "inherit",
});
process.exit(status ?? 1);
