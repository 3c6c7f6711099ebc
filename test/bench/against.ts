/** Heddle beside an earlier build of itself: each operation on both, interleaved. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { markdownTable } from "../../src/base/markdown-table.ts";
import type { Program } from "../support/start-server.ts";
import type { Bench } from "./bench.ts";
import { median } from "./median.ts";
import { type Cost, OPERATIONS } from "./operations.ts";

export type Operation = keyof typeof OPERATIONS;

/** Builds a commit in a worktree below the cache, once, and returns the program that its command line is. */
export function buildCommit(cache: string, revision: string): Program {
  const run = (cwd: string, command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  const root = process.cwd();
  const commit = run(root, "git", "rev-parse", "--verify", `${revision}^{commit}`).trim();
  const folder = join(cache, "builds", commit);
  const bundle = join(folder, "dist", "cli.js");
  if (!existsSync(bundle)) {
    console.error(`building ${revision} in ${folder}`);
    rmSync(folder, { recursive: true, force: true });
    run(root, "git", "worktree", "prune");
    run(root, "git", "worktree", "add", "--detach", "--force", folder, commit);
    if (digest(join(folder, "package-lock.json")) === digest(join(root, "package-lock.json"))) {
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    } else {
      run(folder, "npm", "install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error");
    }
    run(folder, process.execPath, "scripts/build.mjs");
  }
  return { command: process.execPath, args: [bundle] };
}

function digest(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

export interface Compared {
  readonly operation: Operation;
  /** For each build, in the order of the sides. */
  readonly costs: readonly Cost[];
}

/** The builds take turns, and the first one changes each round, so that neither has the quieter machine. */
export async function compareBuilds(
  sides: readonly Bench[],
  operations: readonly Operation[],
  rounds: number,
): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const operation of operations) {
    const samples = sides.map((): Cost[] => []);
    for (let round = 0; round < rounds; round += 1) {
      const order = [...sides.keys()];
      for (const index of round % 2 === 0 ? order : order.toReversed())
        samples[index]!.push(await OPERATIONS[operation](sides[index]!));
    }
    compared.push({ operation, costs: samples.map(medianCost) });
    console.error(`${operation}: done`);
  }
  return compared;
}

function medianCost(costs: readonly Cost[]): Cost {
  const of = (member: keyof Cost): number => median(costs.map((cost) => cost[member]));
  return { main: of("main"), other: of("other"), wall: of("wall") };
}

/** One row for each operation: main thread, other threads and wall time of each build, and the change of the last. */
export function comparisonTable(compared: readonly Compared[], names: readonly string[]): string {
  const header = ["operation", ...names, "CPU, last ÷ first"];
  return markdownTable(
    header,
    compared.map(({ operation, costs }) => {
      const cpu = costs.map(({ main, other }) => main + other);
      return [operation, ...costs.map(showCost), (cpu.at(-1)! / cpu[0]!).toFixed(2)];
    }),
  );
}

function showCost({ main, other, wall }: Cost): string {
  const unit = main >= 0.1 ? "ms" : "µs";
  const show = (value: number): string => (unit === "ms" ? value : value * 1000).toPrecision(3);
  return `${show(main)} + ${show(other)} ${unit}, wall ${show(wall)}`;
}
