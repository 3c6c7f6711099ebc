/** Fetches a client into the cache, once for each version, from wherever npm and pip are configured to fetch. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ensurePeer } from "../conformance/peer.ts";
import type { Client, Source } from "./client.ts";

const run = promisify(execFile);

const FETCH_DEADLINE = 600_000;

/** The module in a client's folder that exports what its checks use. */
export const ENTRY = "entry.mjs";

/** The folder that holds the client. */
export async function fetchClient(
  { name, version, source }: Client,
  cache: string,
  say: (text: string) => void,
): Promise<string> {
  const folder = join(cache, "clients", `${name.replace("@", "").replace("/", "-")}-${version}`);
  if (existsSync(folder)) return folder;
  if (source.kind === "peer") {
    await ensurePeer(cache, say);
    return folder;
  }
  say(`fetching ${name} ${version}`);
  // A folder that exists is complete: it gets its name last.
  const unfinished = `${folder}.part`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  await install(source, unfinished);
  await rename(unfinished, folder);
  return folder;
}

async function install(source: Exclude<Source, { kind: "peer" }>, folder: string): Promise<void> {
  const limits = { timeout: FETCH_DEADLINE, maxBuffer: 16 * 1024 * 1024 };
  if (source.kind === "npm") {
    // Optional packages are the executables that Heddle stands in for, of several hundred megabytes.
    const flags = ["--prefix", folder, "--omit=optional", "--ignore-scripts", "--no-save", "--no-audit"];
    await run("npm", ["install", ...flags, "--no-fund", ...source.packages], limits);
    return await writeFile(join(folder, ENTRY), source.entry);
  }
  const flags = ["--target", folder, "--no-deps", "--quiet", "--disable-pip-version-check", "--no-input"];
  await run("python3", ["-m", "pip", "install", ...flags, ...source.packages], limits);
}
