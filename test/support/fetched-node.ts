/** Other versions of Node than the one that runs the tests, from the npm package `node`, fetched once. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const CACHE = join(".cache", "nodes");
const DEADLINE = 120_000;

export type Fetched =
  | { readonly kind: "there"; readonly path: string }
  | { readonly kind: "unreachable"; readonly why: string };

/** The program of this version; unreachable if it is neither cached nor can be fetched. */
export function fetchNode(version: string): Fetched {
  const folder = resolve(CACHE, version);
  const path = join(folder, "node_modules", "node", "bin", "node");
  if (existsSync(path)) return { kind: "there", path };
  const lack = npmInstall(folder, `node@${version}`, []);
  return lack === null && existsSync(path)
    ? { kind: "there", path }
    : { kind: "unreachable", why: `needs node@${version} of npm: ${lack ?? "it has no program"}` };
}

/** Installs into its own folder; returns the reason if that failed. */
export function npmInstall(folder: string, what: string, options: readonly string[]): string | null {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "name": "user", "private": true, "type": "module" }');
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline", "--fetch-retries=0"];
  const { status, stderr } = spawnSync("npm", ["install", ...quiet, ...options, what], {
    cwd: folder,
    encoding: "utf8",
    timeout: DEADLINE,
  });
  if (status === 0) return null;
  return /^npm error code (.+)$/mu.exec(stderr)?.[1] ?? "npm install did not end";
}
