/** The peer: one pinned release of the Codex app-server, fetched into the cache, and the schemas it generates. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Program } from "../support/start-server.ts";

export const PEER_VERSION = "0.166.0";

const run = promisify(execFile);

export type Peer = { readonly program: Program; readonly schemas: string };

export async function ensurePeer(cache: string, say: (text: string) => void): Promise<Peer> {
  const folder = join(cache, "peer", PEER_VERSION);
  let binary = await findBinary(folder);
  if (binary === undefined) {
    say(`fetching @openai/codex@${PEER_VERSION} into ${folder} (about 450 MB)`);
    await mkdir(folder, { recursive: true });
    const args = ["--prefix", folder, "--no-save", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...args, `@openai/codex@${PEER_VERSION}`]);
    binary = await findBinary(folder);
  }
  if (binary === undefined)
    throw new Error(`no native binary of the peer for ${process.platform} ${process.arch}`);
  return { program: { command: binary, args: [] }, schemas: await ensureSchemas(folder, binary, say) };
}

async function findBinary(folder: string): Promise<string | undefined> {
  const vendor = join(
    folder,
    "node_modules",
    "@openai",
    `codex-${process.platform}-${process.arch}`,
    "vendor",
  );
  if (!existsSync(vendor)) return undefined;
  for (const target of await readdir(vendor)) {
    const binary = join(vendor, target, "bin", process.platform === "win32" ? "codex.exe" : "codex");
    if (existsSync(binary)) return binary;
  }
  return undefined;
}

async function ensureSchemas(folder: string, binary: string, say: (text: string) => void): Promise<string> {
  const schemas = join(folder, "schema");
  if (existsSync(schemas)) return schemas;
  say("generating the peer's schemas");
  const unfinished = `${schemas}.part`;
  await rm(unfinished, { recursive: true, force: true });
  const home = join(folder, "home");
  await mkdir(home, { recursive: true });
  const args = ["app-server", "generate-json-schema", "--experimental", "--out", unfinished];
  await run(binary, args, { env: { ...process.env, CODEX_HOME: home } });
  await rename(unfinished, schemas);
  return schemas;
}
