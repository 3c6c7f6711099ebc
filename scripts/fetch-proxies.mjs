// Fetches nginx and Caddy for the tests that run the configuration of docs/operating.md, where they are not installed:
// the packages of Debian, unpacked below .cache. Nothing is installed, and no service is started.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const STEP_MS = 120_000;
const QUICK = ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=15"];
const folder = join(fileURLToPath(import.meta.url), "..", "..", ".cache", "proxies");
const places = [
  ...(process.env.PATH ?? "").split(delimiter),
  "/usr/sbin",
  join(folder, "usr/sbin"),
  join(folder, "usr/bin"),
];

const missing = ["nginx", "caddy"].filter((name) => !places.some((place) => existsSync(join(place, name))));
if (missing.length > 0) {
  mkdirSync(folder, { recursive: true });
  if (process.getuid?.() === 0) run("apt-get", ["update", "-qq", ...QUICK]);
  run("apt-get", ["download", "-qq", ...QUICK, ...missing]);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".deb"))) {
    run("dpkg-deb", ["-x", file, "."]);
  }
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: folder, stdio: "inherit", timeout: STEP_MS });
  if (status === 0) return;
  process.stderr.write(`${command} ${args[0]} failed${error === undefined ? "" : `: ${error.message}`}\n`);
  process.exit(1);
}
