/**
 * The attack program: plays the catalogue of attacks, in variants drawn at random, against a built server. Options:
 * --rounds N (2), --only TEXT (a part of the name), --seed S, --program PATH, --list.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { HEDDLE, isBuilt } from "../support/start-server.ts";
import { catalogue } from "./catalogue.ts";
import { playAttacks } from "./play-attacks.ts";

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "2" },
      only: { type: "string", default: "" },
      seed: { type: "string" },
      program: { type: "string" },
      list: { type: "boolean", default: false },
    },
  });
  const attacks = catalogue.filter(({ name }) => name.includes(values.only));
  if (attacks.length === 0) throw new Error(`no attack is called "${values.only}": --list names them`);
  if (values.list) {
    for (const { name, promise } of attacks) say(`${name}: ${promise}`);
    return 0;
  }
  const program =
    values.program === undefined ? HEDDLE : { command: process.execPath, args: [resolve(values.program)] };
  if (!isBuilt(program)) throw new Error(`${program.args.join(" ")} does not exist: run npm run build first`);
  const first = Number(values.seed ?? Date.now() % 1_000_000);
  const seeds = Array.from({ length: Number(values.rounds) }, (_, round) => first + round);
  const outcomes = await playAttacks({
    attacks,
    program,
    seeds,
    onPlayed({ name, seed, milliseconds, breach }) {
      say(`${breach === null ? "held  " : "BREACH"} ${name} (seed ${seed}, ${milliseconds} ms)`);
      if (breach !== null) say(`  ${breach.message}\n  ${JSON.stringify(breach.evidence, null, 2)}`);
    },
  });
  const breaches = outcomes.filter(({ breach }) => breach !== null).length;
  say(`${outcomes.length - breaches} of ${outcomes.length} attacks held (first seed ${first})`);
  return breaches === 0 ? 0 : 1;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  process.exitCode = await main();
} catch (error) {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 2;
}
