/** Runs unmodified third-party clients against Heddle. See `USAGE`. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isIsolated, openRefusingResolver, runIsolated } from "../conformance/isolation.ts";
import { ensurePeer } from "../conformance/peer.ts";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { HEDDLE, isBuilt } from "../support/start-server.ts";
import type { Client, Result } from "./client.ts";
import { clients } from "./clients.ts";
import { fetchClient } from "./fetch-client.ts";
import { listChecks, renderReport } from "./report.ts";
import { missingProgram, type RunOptions, runChecks } from "./run-checks.ts";

const CACHE = join(process.cwd(), ".cache");

const USAGE = `npm run clients -- [options]

  --only CLIENT   only the clients whose name contains this; may be repeated
  --check TEXT    only the checks whose name contains this
  --peer          make each check against the peer, too: what fails on both is the client's own
  --strict        a client that cannot run here is a failure
  --list          list the checks and make none
  --help          this text`;

const OPTIONS = {
  only: { type: "string", multiple: true },
  check: { type: "string" },
  peer: { type: "boolean" },
  strict: { type: "boolean" },
  list: { type: "boolean" },
  help: { type: "boolean" },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) return say(USAGE);
  const chosen = choose(values.only ?? [""], values.check ?? "");
  if (chosen.length === 0) throw new Error("no client has such a name or check; --list shows all");
  if (values.list) return say(listChecks(chosen));
  if (!isBuilt(HEDDLE)) throw new Error("dist/cli.js does not exist: run npm run build first");
  const folders = await fetchAll(chosen);
  const needsPeer = values.peer || chosen.some(({ source }) => source.kind === "peer");
  const peer = needsPeer ? (await ensurePeer(CACHE, progress)).program.command : "";
  if (!isIsolated()) {
    const code = await runIsolated(CACHE);
    if (code !== undefined) return code;
    progress("this machine allows no private network: the peer may wait for name look-ups");
  }
  const resolver = isIsolated() ? await openRefusingResolver() : undefined;
  const homes = await makeHomesFolder();
  try {
    const sides = values.peer ? (["heddle", "peer"] as const) : (["heddle"] as const);
    const results = await runChecks(chosen, { sides, homes, peer, folders, done: printResult });
    const { text, isGreen } = renderReport(results, { isStrict: values.strict ?? false });
    say(text);
    return isGreen ? 0 : 1;
  } finally {
    resolver?.close();
    await rm(homes, { recursive: true, force: true, maxRetries: 12, retryDelay: 100 });
  }
}

function choose(names: readonly string[], part: string): Client[] {
  return clients
    .filter(({ name }) => names.some((wanted) => name.includes(wanted)))
    .map((client) => ({ ...client, checks: client.checks.filter(({ name }) => name.includes(part)) }))
    .filter(({ checks }) => checks.length > 0);
}

async function fetchAll(chosen: readonly Client[]): Promise<RunOptions["folders"]> {
  const folders = new Map<string, { folder: string } | { missing: string }>();
  for (const client of chosen) {
    const missing = missingProgram(client);
    folders.set(client.name, missing === null ? await tryToFetch(client) : { missing });
  }
  return folders;
}

async function tryToFetch(client: Client): Promise<{ folder: string } | { missing: string }> {
  try {
    return { folder: await fetchClient(client, CACHE, progress) };
  } catch (error) {
    return { missing: `it could not be fetched: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function printResult({ client, check, side, outcome }: Result): void {
  const reason = outcome.kind === "ok" ? "" : `: ${outcome.reason}`;
  progress(`${client}, ${check} (${side}) ${outcome.kind}${reason}`);
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${text}\n`);
}

function say(text: string): 0 {
  process.stdout.write(`${text}\n`);
  return 0;
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
try {
  // Clients leave timers and processes behind; exit without waiting for them.
  process.exit(await main());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(2);
}
