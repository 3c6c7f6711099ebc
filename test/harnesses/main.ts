/** Runs the real programs against hooks that Heddle has installed. See `USAGE`. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Outcome, Result } from "../clients/client.ts";
import { renderReport } from "../clients/report.ts";
import { isIsolated, openRefusingResolver, runIsolated } from "../conformance/isolation.ts";
import { fetchPackages } from "../support/fetch-packages.ts";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { HEDDLE, isBuilt } from "../support/start-server.ts";
import type { Control, Harness } from "./harness.ts";
import { harnesses } from "./programs.ts";
import { runControl } from "./run-control.ts";

const CACHE = join(process.cwd(), ".cache");

const USAGE = `npm run harnesses -- [options]

  --only NAME      only the programs whose name contains this; may be repeated
  --control TEXT   only the controls whose name contains this
  --strict         a program that cannot be fetched or run is a failure
  --list           list the controls and play none
  --help           this text

Fetches the programs into .cache once, and runs each of them without a network against a scripted model.`;

const OPTIONS = {
  only: { type: "string", multiple: true },
  control: { type: "string" },
  strict: { type: "boolean" },
  list: { type: "boolean" },
  help: { type: "boolean" },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) return say(USAGE);
  const chosen = choose(values.only ?? [""], values.control ?? "");
  if (chosen.length === 0) throw new Error("no program has such a name or control; --list shows all");
  if (values.list)
    return say(
      chosen.flatMap(({ program, controls }) => controls.map(({ name }) => `${program}  ${name}`)).join("\n"),
    );
  if (!isBuilt(HEDDLE)) throw new Error("dist/cli.js does not exist: run npm run build first");
  if (!isIsolated()) {
    await fetchAll(chosen);
    const code = await runIsolated(CACHE);
    if (code !== undefined) return code;
  }
  const results = isIsolated() ? await playAll(chosen) : skipAll(chosen, NO_ISOLATION);
  const { text, isGreen } = renderReport(results, { isStrict: values.strict ?? false });
  say(text);
  return isGreen ? 0 : 1;
}

/** They are programs of others, and some of them call home. */
const NO_ISOLATION = "this machine allows no network of its own, without which the program is not started";

async function playAll(chosen: readonly Harness[]): Promise<Result[]> {
  const resolver = await openRefusingResolver();
  const homes = await makeHomesFolder();
  const results: Result[] = [];
  try {
    for (const harness of chosen)
      for (const control of harness.controls) {
        const outcome = await play(harness, control, homes);
        results.push(resultOf(harness, control, outcome));
        const reason = outcome.kind === "ok" ? "" : `: ${outcome.reason}`;
        progress(`${harness.program}, ${control.name}: ${outcome.kind}${reason}`);
      }
    return results;
  } finally {
    resolver.close();
    await rm(homes, { recursive: true, force: true, maxRetries: 12, retryDelay: 100 });
  }
}

async function play(harness: Harness, control: Control, homes: string): Promise<Outcome> {
  const folder = folderOf(harness);
  if (!existsSync(folder)) return { kind: "skipped", reason: "it could not be fetched" };
  const start = performance.now();
  try {
    await runControl(harness, control, folder, homes);
    return { kind: "ok", milliseconds: performance.now() - start };
  } catch (error) {
    return { kind: "failed", reason: textOf(error).replaceAll(/\s+/gu, " ").trim().slice(0, 500) };
  }
}

function skipAll(chosen: readonly Harness[], reason: string): Result[] {
  return chosen.flatMap((harness) =>
    harness.controls.map((control) => resultOf(harness, control, { kind: "skipped", reason })),
  );
}

function resultOf({ program, version }: Harness, { name }: Control, outcome: Outcome): Result {
  return { client: `${program}@${version}`, check: name, side: "heddle", outcome };
}

function choose(names: readonly string[], part: string): Harness[] {
  return harnesses
    .filter(({ program }) => names.some((wanted) => program.includes(wanted)))
    .map((harness) => ({ ...harness, controls: harness.controls.filter(({ name }) => name.includes(part)) }))
    .filter(({ controls }) => controls.length > 0);
}

async function fetchAll(chosen: readonly Harness[]): Promise<void> {
  for (const harness of chosen) {
    const { program, packages } = harness;
    try {
      await fetchPackages({ folder: folderOf(harness), packages, isComplete: true, say: progress });
    } catch (error) {
      process.stderr.write(`${program} could not be fetched: ${textOf(error)}\n`);
    }
  }
}

function folderOf({ adapter, version }: Harness): string {
  return join(CACHE, "harnesses", `${adapter}-${version}`);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
  process.exit(await main());
} catch (error) {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(2);
}
