import { printable } from "../../base/printable.ts";
import type { Client } from "../../client/client.ts";
import type { Schedule, ScheduleUpdateParams } from "../../protocol/generated/types.ts";
import {
  type Command,
  type CommandEntry,
  type CommandSpec,
  declareCommand,
  type OptionSpec,
  type ParsedArguments,
  UsageError,
} from "../command-line/command.ts";
import { globalOptions, jsonOption } from "../command-line/options.ts";
import { paintFor } from "../command-line/paint.ts";
import { withClient } from "../home/with-client.ts";
import { planOptions, readNewSchedule, readParts } from "../schedule/read-schedule.ts";
import { renderRun, renderSchedule } from "../schedule/render-schedule.ts";

interface ScheduleCall {
  readonly args: ParsedArguments;
  readonly chain: readonly ParsedArguments[];
  readonly client: Client;
}

/** Declaration of a subcommand. */
interface Subcommand extends Pick<CommandEntry, "name" | "summary">, Pick<CommandSpec, "details"> {
  readonly operands: string;
  readonly options?: readonly OptionSpec[];
  /** Descriptions by command line. */
  readonly examples: Readonly<Record<string, string>>;
  readonly run: (call: ScheduleCall) => Promise<void>;
}

const NAMED = "A schedule is named by its id, the beginning of its id, or its name.";

const subcommands: readonly Subcommand[] = [
  {
    name: "create",
    operands: "<TEXT...>",
    summary: "Create a schedule",
    details:
      "A `heddle serve` on the home runs it: at its time, the text is queued as a turn. A run that no server could start in time is a missed one: `skip` leaves it out, `once` runs once for all of them, `all` runs each of the latest 24.",
    options: [...planOptions, { name: "paused", help: "It waits for a resume" }],
    examples: {
      "heddle schedule create --cron '30 2 * * *' --zone Europe/Berlin --new -- Update the dependencies":
        "Every night, in a new thread in this folder",
      "heddle schedule create --cron '0 9 * * 1-5' --thread nightly --missed skip -- Summarize":
        "On weekdays, in a thread by its name",
      "heddle schedule create --at +2h --thread ID -- Look at the build again": "Once",
    },
    async run({ args, chain, client }) {
      const plan = await readNewSchedule(args, chain);
      const { schedule } = await client.request("schedule/create", { ...plan, paused: args.flag("paused") });
      print(args, schedule);
    },
  },
  {
    name: "list",
    operands: "",
    summary: "Print the schedules of the home, with their last and next runs",
    examples: { "heddle schedule list --json": "For programs" },
    async run({ args, client }) {
      const schedules = await listAll(client);
      if (args.flag("json")) return void process.stdout.write(`${JSON.stringify({ schedules }, null, 2)}\n`);
      if (schedules.length === 0) process.stderr.write("there are no schedules\n");
      for (const schedule of schedules) process.stdout.write(render(schedule));
    },
  },
  {
    name: "update",
    operands: "<SCHEDULE> [TEXT...]",
    summary: "Change a schedule; what is not given stays",
    details: NAMED,
    options: planOptions,
    examples: { "heddle schedule update nightly --cron '0 4 * * *' --zone UTC": "Another time" },
    async run(call) {
      const { args, chain } = call;
      const parts = await readParts(args, args.operands.slice(1), chain);
      if (Object.keys(parts).length === 0) throw new UsageError("there is nothing to change");
      await change(call, parts);
    },
  },
  {
    name: "pause",
    operands: "<SCHEDULE>",
    summary: "Run a schedule no more until it is resumed",
    details: NAMED,
    examples: { "heddle schedule pause nightly": "Turns that it has queued stay" },
    run: (call) => change(call, { paused: true }),
  },
  {
    name: "resume",
    operands: "<SCHEDULE>",
    summary: "Continue a schedule that is paused or disabled",
    details: `${NAMED} Runs of the meantime are not caught up.`,
    examples: { "heddle schedule resume nightly": "It runs at its next time" },
    run: (call) => change(call, { paused: false }),
  },
  {
    name: "run-now",
    operands: "<SCHEDULE>",
    summary: "Queue the turn of a schedule now; its times stay as they are",
    details: NAMED,
    examples: { "heddle schedule run-now nightly": "To see whether it works" },
    async run({ args, client }) {
      const scheduleId = await find(client, args);
      const { run } = await client.request("schedule/runNow", { scheduleId });
      report(args, `run of ${renderRun(run)}\n`, { scheduleId, run });
    },
  },
  {
    name: "delete",
    operands: "<SCHEDULE>",
    summary: "Delete a schedule",
    details: `${NAMED} Turns that it has queued stay.`,
    examples: { "heddle schedule delete 5f1c": "A part of the id is enough" },
    async run({ args, client }) {
      const scheduleId = await find(client, args);
      const { deleted } = await client.request("schedule/delete", { scheduleId });
      report(args, `deleted: ${scheduleId}\n`, { scheduleId, deleted });
    },
  },
];

function toEntry({ options = [], examples, run, ...declared }: Subcommand): CommandEntry {
  return declareCommand({
    ...declared,
    options: [...options, jsonOption, ...globalOptions.filter(({ name }) => !isTaken(name, options))],
    examples: Object.entries(examples).map(([command, description]) => ({ command, description })),
    async run(args, chain) {
      await withClient(chain, (client) => run({ args, chain, client }));
      return 0;
    },
  });
}

const isTaken = (name: string, options: readonly OptionSpec[]): boolean =>
  options.some((option) => option.name === name);

export const scheduleCommand: Command = {
  details: "Works whether or not a server runs; `heddle serve` starts the turns that are due.",
  options: globalOptions,
  subcommands: subcommands.map(toEntry),
  examples: [
    {
      command: "heddle schedule create --cron '30 2 * * *' --zone Europe/Berlin --new -- Run the tests",
      description: "Every night, in a new thread in this folder",
    },
    { command: "heddle schedule list", description: "What runs when, and how it went the last time" },
  ],
};

async function change(
  { args, client }: ScheduleCall,
  parts: Omit<ScheduleUpdateParams, "scheduleId">,
): Promise<void> {
  const scheduleId = await find(client, args);
  const { schedule } = await client.request("schedule/update", { ...parts, scheduleId });
  print(args, schedule);
}

async function listAll(client: Client): Promise<Schedule[]> {
  const all: Schedule[] = [];
  let cursor: string | null = null;
  do {
    const page: { readonly data: Schedule[]; readonly nextCursor: string | null } = await client.request(
      "schedule/list",
      { cursor, limit: 100 },
    );
    all.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}

async function find(client: Client, { operands: [word = ""] }: ParsedArguments): Promise<string> {
  const all = await listAll(client);
  const exact = all.filter(({ id, name }) => id === word || name === word);
  const found = exact.length > 0 ? exact : all.filter(({ id }) => word !== "" && id.startsWith(word));
  const [only, ...others] = found;
  if (only === undefined)
    throw new Error(`there is no schedule '${printable(word)}': heddle schedule list shows them`);
  if (others.length > 0)
    throw new Error(`${found.length} schedules match '${printable(word)}': use the id of one`);
  return only.id;
}

const render = (schedule: Schedule): string => renderSchedule(schedule, paintFor(process.stdout));

function print(args: ParsedArguments, schedule: Schedule): void {
  report(args, render(schedule), { schedule });
}

function report(args: ParsedArguments, text: string, object: object): void {
  process.stdout.write(args.flag("json") ? `${JSON.stringify(object)}\n` : text);
}
