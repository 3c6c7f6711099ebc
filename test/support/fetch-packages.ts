/** Fetches packages into a folder, once, from the configured npm registry. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

export const FETCH_DEADLINE = 600_000;
const MAX_OUTPUT = 16 << 20;

export interface PackageFetch {
  /** A folder that exists is complete. */
  readonly folder: string;
  /** With their exact versions. */
  readonly packages: readonly string[];
  /** With optional packages, which often are executables of several hundred megabytes. */
  readonly isComplete: boolean;
  readonly say: (text: string) => void;
  /** Adds further files to the folder. */
  readonly finish?: (folder: string) => Promise<void>;
}

export async function fetchPackages(wanted: PackageFetch): Promise<void> {
  const { folder, packages, isComplete, say, finish } = wanted;
  await fetchInto(folder, async (unfinished) => {
    say(`fetching ${packages.join(" and ")}`);
    const flags = ["--prefix", unfinished, "--ignore-scripts", "--no-audit", "--no-fund"];
    if (!isComplete) flags.push("--omit=optional", "--no-save");
    await run("npm", ["install", ...flags, ...packages], { timeout: FETCH_DEADLINE, maxBuffer: MAX_OUTPUT });
    await finish?.(unfinished);
  });
}

/** The folder is renamed last, so that an existing one is complete. */
export async function fetchInto(folder: string, fill: (unfinished: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.part`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  await fill(unfinished);
  await rename(unfinished, folder);
}
