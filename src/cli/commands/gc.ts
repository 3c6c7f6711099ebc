import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { configuredStore } from "../../runtime/configuration/store-address.ts";
import { collectHome, type RetentionLimits } from "../../store/open/collect-home.ts";
import type { Command, ParsedArguments } from "../command-line/command.ts";
import { globalOptions, jsonOption } from "../command-line/options.ts";
import { paintFor } from "../command-line/paint.ts";
import { openProgress } from "../command-line/progress.ts";
import { collectionToJson, renderCollection } from "../gc/render-collection.ts";
import { readHome } from "../home/open-home.ts";

const DAY_MS = 86_400_000;
/** Shorter work needs no progress. */
const QUIET_MS = 2000;

export const gc: Command = {
  details:
    "Prints what would be done, and does it with --yes. Archived threads are packed, and are listed, read, searched and unarchived as before. Threads that are loaded, named, forked from, queued for or at work on a goal stay as they are; those that a thread has spawned go with it. The limits are those of [retention] in config.toml, or the options.",
  options: [
    { name: "yes", short: "y", help: "Do it", aliases: ["apply"] },
    {
      name: "max-age-days",
      value: "N",
      help: "Archive what has rested for so many days, and delete what has been archived for as long",
      validate: (text) => (/^[1-9]\d{0,8}$/.test(text) ? null : "not a number of days"),
    },
    {
      name: "max-bytes",
      value: "SIZE",
      help: "Bytes that all threads may take up, such as 500M or 20G; the oldest go first",
      validate: (text) => (parseSize(text) === null ? "not a size such as 1000000, 500M or 20G" : null),
    },
    { name: "named", help: "Also collect threads with a name" },
    jsonOption,
    ...globalOptions,
  ],
  examples: [
    { command: "heddle gc", description: "What would be done, by the limits of config.toml" },
    { command: "heddle gc --max-age-days 90 --max-bytes 20G", description: "And by others" },
    { command: "heddle gc --max-age-days 90 --yes", description: "Do it" },
    {
      command: "heddle gc --json | jq '.threads[] | select(.action == \"delete\")'",
      description: "For programs",
    },
  ],
  async run(args, chain) {
    const { home, values, createId } = await readHome(chain);
    const { retention, durability } = values;
    const startedMs = Date.now();
    const progress = openProgress(process.stderr, () => Date.now());
    const isDone = args.flag("yes");
    const limits = limitsOf(args, retention);
    const collection = await collectHome({
      where: configuredStore(values, home),
      limits,
      keepNamed: retention.keep_named && !args.flag("named"),
      apply: isDone,
      clock: systemClock,
      log: silentLogger,
      createId,
      durability,
      onStep: (done, total, label) => {
        if (Date.now() - startedMs > QUIET_MS) progress.show(done, total, label);
      },
    });
    progress.end();
    if (args.flag("json"))
      process.stdout.write(`${JSON.stringify(collectionToJson(collection, isDone), null, 2)}\n`);
    else {
      const layout = { nowMs: Date.now(), columns: process.stdout.columns, paint: paintFor(process.stdout) };
      process.stdout.write(renderCollection(collection, isDone, layout));
      const hasLimit = limits.maxAgeMs !== null || limits.maxBytes !== null;
      if (!isDone) process.stderr.write(hasLimit ? UNCHANGED : NO_LIMIT + UNCHANGED);
    }
    return collection.applied.some(({ hasFailed }) => hasFailed) ? 1 : 0;
  },
};

const UNCHANGED = "nothing was changed: use --yes to do it\n";
const NO_LIMIT =
  "no limit is set, so that no thread is too old: use --max-age-days or --max-bytes, or [retention] in config.toml\n";

interface Configured {
  readonly max_age_days: number | null;
  readonly max_bytes: number | null;
}

function limitsOf(args: ParsedArguments, { max_age_days, max_bytes }: Configured): RetentionLimits {
  const days = args.value("max-age-days");
  const size = args.value("max-bytes");
  const maxDays = days === undefined ? max_age_days : Number(days);
  return {
    maxAgeMs: maxDays === null ? null : maxDays * DAY_MS,
    maxBytes: size === undefined ? max_bytes : parseSize(size),
  };
}

const SCALES = { "": 0, K: 1, M: 2, G: 3, T: 4 } as const;

function parseSize(text: string): number | null {
  const match = /^(\d{1,15})([KMGT]?)(?:i?B)?$/i.exec(text);
  if (match === null) return null;
  const scale = SCALES[(match[2] ?? "").toUpperCase() as keyof typeof SCALES];
  return Number(match[1]) * 1024 ** scale;
}
