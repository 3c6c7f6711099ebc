/** Fetches a client into the cache, once for each version, from the configured npm and pip registries. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ensurePeer } from "../conformance/peer.ts";
import { FETCH_DEADLINE, fetchInto, fetchPackages } from "../support/fetch-packages.ts";
import type { Client } from "./client.ts";

const run = promisify(execFile);

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
  switch (source.kind) {
    case "peer":
      await ensurePeer(cache, say);
      break;
    case "npm": {
      const { packages, entry } = source;
      const finish = (unfinished: string) => writeFile(join(unfinished, ENTRY), entry);
      // Optional packages are the executables that Heddle replaces.
      await fetchPackages({ folder, packages, isComplete: false, say, finish });
      break;
    }
    case "pip": {
      say(`fetching ${name} ${version}`);
      const flags = ["--no-deps", "--quiet", "--disable-pip-version-check", "--no-input"];
      await fetchInto(folder, async (unfinished) => {
        const args = ["-m", "pip", "install", "--target", unfinished, ...flags, ...source.packages];
        await run("python3", args, { timeout: FETCH_DEADLINE });
      });
      break;
    }
  }
  return folder;
}
