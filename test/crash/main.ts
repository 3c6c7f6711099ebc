/**
 * The crash test: kills a working server at random times, restarts it, and checks that everything it had confirmed
 * still holds. Options: --rounds N (1000), --minutes M instead, --seed S, --program PATH; with --queues, the rounds test
 * queued turns instead, with --questions open questions, and with --waiting wake-ups, schedules, limits and webhooks.
 */
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "../support/random.ts";
import { HEDDLE, isBuilt } from "../support/start-server.ts";
import { Violation } from "../support/violation.ts";
import { type Played, type PlayOptions, playRounds } from "./play-rounds.ts";
import { playQuestionRounds } from "./question-rounds.ts";
import { playQueueRounds } from "./queue-rounds.ts";
import { playWaitingRounds } from "./waiting-rounds.ts";

const MINUTE_MS = 60_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "1000" },
      minutes: { type: "string" },
      seed: { type: "string" },
      program: { type: "string" },
      queues: { type: "boolean", default: false },
      questions: { type: "boolean", default: false },
      waiting: { type: "boolean", default: false },
    },
  });
  const program =
    values.program === undefined ? HEDDLE : { command: process.execPath, args: [resolve(values.program)] };
  if (!isBuilt(program)) throw new Error(`${program.args.join(" ")} does not exist: run npm run build first`);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const endsAt = values.minutes === undefined ? undefined : Date.now() + Number(values.minutes) * MINUTE_MS;
  const start = performance.now();
  const options = {
    seed,
    program,
    isEnough: (rounds: number) =>
      endsAt === undefined ? rounds >= Number(values.rounds) : Date.now() >= endsAt,
    onRound(rounds: number) {
      if (rounds % 10 !== 0) return;
      const each = Math.round((performance.now() - start) / rounds);
      process.stderr.write(`\r${rounds} rounds, ${each} ms each (seed ${seed}) `);
    },
  };
  const played = await playerOf(values)(options);
  process.stderr.write("\n");
  if (played.failure === null) {
    say(`${played.rounds} kills, every promise kept (seed ${seed})`);
    return 0;
  }
  const { message, evidence, home } = played.failure;
  const file = join(home, "evidence.json");
  await writeFile(file, JSON.stringify(evidence, toPlain, 2));
  say(`seed ${seed}, round ${played.rounds}: ${message}\nevidence: ${file}`);
  return 1;
}

function playerOf(values: { readonly [mode in "queues" | "questions" | "waiting"]: boolean }) {
  if (values.waiting) return playWaiting;
  if (values.questions) return playQuestions;
  return values.queues ? playQueues : playRounds;
}

/** As many rows and threads as a busy server has. */
async function playQueues({ seed, program, isEnough, onRound }: PlayOptions): Promise<Played> {
  const report = await playQueueRounds({
    random: createRandom(seed),
    program,
    isEnough,
    threads: 50,
    rowsEach: 60,
    ...(onRound !== undefined && { onRound }),
  });
  const { accepted, started, failed } = report;
  say(
    `${accepted} turns were accepted: ${started} have started, ${failed} came back as failed, none is lost`,
  );
  return { rounds: report.rounds, failure: null };
}

async function playQuestions({ seed, program, isEnough, onRound }: PlayOptions): Promise<Played> {
  const options = {
    random: createRandom(seed),
    program,
    isEnough,
    ...(onRound !== undefined && { onRound }),
  };
  const { rounds, kills, seen, ran, cutOff } = await playQuestionRounds(options);
  say(
    `${kills} kills: ${seen} questions were seen, none is lost; ${ran} calls ran once, ${cutOff} were cut off`,
  );
  return { rounds, failure: null };
}

async function playWaiting({ seed, program, isEnough, onRound }: PlayOptions): Promise<Played> {
  const options = {
    random: createRandom(seed),
    program,
    isEnough,
    ...(onRound !== undefined && { onRound }),
  };
  const { rounds, woken, scheduled, suspended, announced } = await playWaitingRounds(options);
  say(
    `${woken} events and ${scheduled} schedules started one turn each; ${suspended} waits outlived a kill; ${announced} ends of turns were announced`,
  );
  return { rounds, failure: null };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function toPlain(_key: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(value);
  return value instanceof Set ? [...value] : value;
}

try {
  process.exitCode = await main();
} catch (error) {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  if (error instanceof Violation) say(JSON.stringify(error.evidence, toPlain, 2));
  process.exitCode = 2;
}
