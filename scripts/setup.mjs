// Makes a fresh clone ready: installs the dependencies and builds, each only when something changed.
// `--test` also installs the system programs that some tests use, where that is possible.
// Uses nothing but Node, because nothing else is there yet.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = join(fileURLToPath(import.meta.url), "..", "..");
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Heddle needs Node 20.19 or newer; this is ${process.version}. Install a newer Node and try again.`);
}

installDependencies();
build();
if (process.argv.includes("--test")) installSystemPrograms();

function installDependencies() {
  const wanted = hash(["package-lock.json"]);
  const stamp = join(root, "node_modules", ".heddle-installed");
  if (read(stamp) === wanted) return;
  say("Installing dependencies (the first time takes two to three minutes: SQLite is compiled)...");
  // Not `npm ci`: it refuses where the registry lacks the binaries of some other platform.
  run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(stamp, wanted);
}

function build() {
  const wanted = hash([
    "package.json",
    "package-lock.json",
    "tsconfig.build.json",
    "scripts",
    "src",
    "schema",
  ]);
  const stamp = join(root, "dist", ".built-from");
  if (read(stamp) === wanted) return;
  say("Building...");
  run(process.execPath, ["scripts/build.mjs"]);
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(stamp, wanted);
}

function installSystemPrograms() {
  const programs = JSON.parse(readFileSync(join(root, "test", "support", "system-programs.json"), "utf8"));
  const missing = programs.filter(
    ({ program, or = [], versionsIn }) =>
      ![program, ...or].some(isInstalled) && !isInVersions(program, versionsIn),
  );
  const canInstall = process.platform === "linux" && process.getuid?.() === 0 && isInstalled("apt-get");
  if (missing.length === 0 || !canInstall) return;
  say(`Installing ${missing.map(({ program }) => program).join(", ")}...`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  // Where there is no network, it is given up.
  const quiet = { env, stdio: ["ignore", "ignore", "inherit"], timeout: 300_000 };
  spawnSync("apt-get", ["update", "-qq"], quiet);
  // One call each: a package that this system lacks keeps no other from being installed.
  for (const { debian } of missing)
    spawnSync("apt-get", ["install", "-qq", "-y", "--no-install-recommends", debian], quiet);
}

function isInstalled(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** Debian keeps programs of several versions out of the PATH. */
function isInVersions(program, parent) {
  if (parent === undefined || !existsSync(parent)) return false;
  return readdirSync(parent).some((version) => existsSync(join(parent, version, "bin", program)));
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0)
    fail(`${command} ${args.join(" ")} failed${error === undefined ? "" : `: ${error.message}`}`);
}

function hash(names) {
  const digest = createHash("sha256").update(process.version);
  for (const name of names) {
    for (const file of filesOf(join(root, name)))
      digest.update(file.slice(root.length)).update(readFileSync(file));
  }
  return digest.digest("hex");
}

function filesOf(path) {
  if (!existsSync(path)) return [];
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch {
    return [path];
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesOf(join(path, entry.name)) : [join(path, entry.name)]));
}

function read(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
