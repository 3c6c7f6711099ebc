/** Reads the arguments of `heddle schedule`: the time, the target and the text. */
import { resolve } from "node:path";
import type {
  SandboxMode,
  ScheduleCreateParams,
  ScheduleUpdateParams,
  UserInput,
} from "../../protocol/generated/types.ts";
import { type OptionSpec, type ParsedArguments, UsageError } from "../command-line/command.ts";
import { assertNotArchived, findStoredThread } from "../home/find-stored-thread.ts";
import { withHome } from "../home/open-home.ts";
import { parseNotBefore } from "../queue/compose-row.ts";

const SANDBOXES = ["read-only", "workspace-write", "danger-full-access"] as const satisfies SandboxMode[];

export const planOptions: readonly OptionSpec[] = [
  { name: "cron", value: "LINE", help: "Minute, hour, day of month, month and day of week: '30 2 * * 1-5'" },
  { name: "zone", value: "ZONE", help: "Time zone of the cron line (default: that of this machine)" },
  {
    name: "at",
    value: "TIME",
    help: "Run once: 23:30, 2026-11-17T09:00, or +30s, +10m, +2h, +1d from now",
    validate: (text) => (parseNotBefore(text, Date.now()) === null ? "not a time and not a span" : null),
  },
  {
    name: "thread",
    value: "THREAD",
    help: "Run in this thread: its id, the beginning of its id, or its name",
  },
  { name: "new", help: "Run in a new thread each time" },
  { name: "cwd", value: "DIR", help: "The folder of new threads (default: this one)" },
  { name: "model", short: "m", value: "MODEL", help: "The model of new threads" },
  { name: "sandbox", short: "s", value: "MODE", help: "The sandbox of new threads", choices: SANDBOXES },
  { name: "name", value: "NAME", help: "Name the schedule" },
  {
    name: "missed",
    value: "POLICY",
    help: "What happens with runs while no server was there (default once)",
    choices: ["skip", "once", "all"],
  },
];

type Plan = Pick<ScheduleCreateParams, "schedule" | "target" | "input" | "name" | "missedRuns">;

/** The parts of a schedule that were given. */
export async function readParts(
  args: ParsedArguments,
  text: readonly string[],
  chain: readonly ParsedArguments[],
): Promise<Partial<Plan> & Omit<ScheduleUpdateParams, "scheduleId">> {
  const schedule = readTime(args);
  const target = await readTarget(args, chain);
  const [name, missed] = [args.value("name"), args.value("missed")];
  const said = text.join(" ");
  const input: UserInput[] = said.trim() === "" ? [] : [{ type: "text", text: said }];
  return {
    ...(schedule !== null && { schedule }),
    ...(target !== null && { target }),
    ...(input.length > 0 && { input }),
    ...(name !== undefined && { name }),
    ...(missed !== undefined && { missedRuns: missed as NonNullable<Plan["missedRuns"]> }),
  };
}

/** Everything that a new schedule needs. */
export async function readNewSchedule(
  args: ParsedArguments,
  chain: readonly ParsedArguments[],
): Promise<Plan> {
  const { schedule, target, input, ...others } = await readParts(args, args.operands, chain);
  if (schedule === undefined) throw new UsageError("one of '--cron' and '--at' is needed");
  if (target === undefined) throw new UsageError("one of '--thread' and '--new' is needed");
  if (input === undefined) throw new UsageError("there is nothing to say: the text is empty");
  return { ...others, schedule, target, input };
}

function readTime(args: ParsedArguments): Plan["schedule"] | null {
  const [expression, zone, at] = [args.value("cron"), args.value("zone"), args.value("at")];
  if (expression !== undefined && at !== undefined)
    throw new UsageError("the argument '--cron' cannot be used with '--at'");
  if (zone !== undefined && expression === undefined)
    throw new UsageError("the argument '--zone' needs '--cron'");
  if (at !== undefined) return { type: "once", at: Math.ceil((parseNotBefore(at, Date.now()) ?? 0) / 1000) };
  if (expression === undefined) return null;
  const timeZone = zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { type: "cron", expression, timeZone };
}

async function readTarget(
  args: ParsedArguments,
  chain: readonly ParsedArguments[],
): Promise<Plan["target"] | null> {
  const word = args.value("thread");
  const isNew = args.flag("new");
  if (word !== undefined && isNew)
    throw new UsageError("the argument '--thread' cannot be used with '--new'");
  const [model, sandbox, cwd] = [args.value("model"), args.value("sandbox"), args.value("cwd")];
  if (!isNew && [model, sandbox, cwd].some((value) => value !== undefined))
    throw new UsageError("the arguments '--cwd', '--model' and '--sandbox' need '--new'");
  if (word !== undefined) return { type: "thread", threadId: await findThread(word, chain) };
  if (!isNew) return null;
  return {
    type: "newThread",
    threadStartParams: {
      cwd: resolve(process.cwd(), cwd ?? "."),
      ...(model !== undefined && { model }),
      ...(sandbox !== undefined && { sandbox: sandbox as SandboxMode }),
    },
  };
}

async function findThread(word: string, chain: readonly ParsedArguments[]): Promise<string> {
  return withHome(chain, async ({ store }) => {
    const found = await findStoredThread(store.threads, word, () => store.queue.threads());
    assertNotArchived(found);
    return found.threadId;
  });
}
