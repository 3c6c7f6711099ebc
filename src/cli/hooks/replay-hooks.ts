/** `heddle hooks replay` compares the decisions of the current hooks with those that a thread has recorded. */
import { printable } from "../../base/printable.ts";
import { type HookDecision, hookEventOf } from "../../hooks/events/index.ts";
import { differencesOf } from "../../hooks/workbench/recorded-differences.ts";
import { NOT_REBUILT, type RecordedEvent, rebuildEvents } from "../../hooks/workbench/recorded-events.ts";
import { type EventReport, tryEvent } from "../../hooks/workbench/try-event.ts";
import { openConfigSource } from "../../runtime/configuration/config-source.ts";
import type { ParsedArguments } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { globalOptions, jsonOption, yesOption } from "../command-line/options.ts";
import type { Paint } from "../command-line/paint.ts";
import type { Workbench } from "./open-workbench.ts";
import { readRecorded } from "./read-recorded.ts";
import {
  type HookCall,
  type HookSubcommand,
  inputOf,
  openWorkbenchFor,
  warnOfUntrusted,
} from "./test-hooks.ts";

export const replayHooksCommand: HookSubcommand = {
  name: "replay",
  summary: "Run the configured hooks over a stored thread, and print what would be decided otherwise",
  details: "The programs of hooks really run; the thread is not touched.",
  operands: "<THREAD>",
  options: [
    { name: "turn", value: "ID", help: "Only this turn" },
    { name: "cwd", value: "DIR", help: "The folder whose hooks are meant (default: that of the thread)" },
    { name: "untrusted", help: "Run also hooks that are not trusted" },
    yesOption,
    jsonOption,
    ...globalOptions,
  ],
  examples: [
    { command: "heddle hooks replay THREAD", description: "What would be different today" },
    {
      command: "heddle hooks replay THREAD --turn TURN --yes --json",
      description: "One turn of it, for programs",
    },
  ],
  run: runReplay,
};

interface Replayed {
  readonly moment: RecordedEvent;
  readonly report: EventReport;
  readonly differences: readonly string[];
}

async function runReplay({ args, settings, paint }: HookCall): Promise<number> {
  const [threadId = ""] = args.operands;
  const { home } = await openConfigSource(settings);
  const recorded = await readRecorded(home, threadId);
  const workbench = await openWorkbenchFor(args, {
    ...settings,
    cwd: args.value("cwd") === undefined ? recorded.cwd : settings.cwd,
  });
  try {
    const wanted = args.value("turn");
    const moments = rebuildEvents(recorded.turns, recorded).filter(
      ({ turnId }) => wanted === undefined || turnId === wanted,
    );
    if (moments.length === 0)
      throw new Error(`thread ${threadId} has no ${wanted === undefined ? "turns" : `turn ${wanted}`}`);
    const question = `Run the programs of hooks at ${moments.length} moments of this thread?`;
    if (!(await confirm(args, question, "nothing was run"))) return 1;
    warnOfUntrusted(workbench, args);
    const replayed = await replay(workbench, moments, { threadId, ...recorded }, args);
    if (args.flag("json")) process.stdout.write(`${JSON.stringify(toJson(threadId, replayed), null, 2)}\n`);
    else process.stdout.write(render(replayed, paint));
    return 0;
  } finally {
    await workbench.close();
  }
}

async function replay(
  workbench: Workbench,
  moments: readonly RecordedEvent[],
  { threadId, transcriptPath }: { readonly threadId: string; readonly transcriptPath: string | null },
  args: ParsedArguments,
): Promise<Replayed[]> {
  const { set, ports, place } = workbench;
  const progress = createProgress(moments.length, args);
  const replayed: Replayed[] = [];
  for (const moment of moments) {
    const { event, aliases, members, turnId, settings: then } = moment;
    const known = { threadId, turnId, transcriptPath, ...then };
    const input = inputOf(workbench, event, members, known);
    const tried = { event, input, aliases, cwd: place.cwd, runsUntrusted: args.flag("untrusted") };
    const report = await tryEvent(set, tried, ports);
    replayed.push({ moment, report, differences: compare(moment, report) });
    progress.show(replayed.length);
  }
  progress.end();
  return replayed;
}

/** Empty where the result of a hook is unknown. */
function compare(
  { event, recorded, wasAllowed }: RecordedEvent,
  { runs, notRun, decision }: EventReport,
): string[] {
  // Hook runs at the end of a session are not recorded.
  if (hookEventOf(event).endsSession || notRun.length > 0) return [];
  const differences = differencesOf(
    recorded,
    runs.map(({ run }) => run),
  );
  if (event !== "PermissionRequest") return differences;
  const { verdict } = decision as HookDecision<"PermissionRequest">;
  const isAllowed = verdict?.behavior === "allow";
  if (isAllowed && !wasAllowed) differences.push("no hook gave the permission, one would");
  if (wasAllowed && !isAllowed) differences.push("a hook gave the permission, none would");
  return differences;
}

const QUIET_MS = 2000;

/** A progress counter on a terminal, shown after a delay. */
function createProgress(total: number, args: ParsedArguments) {
  const startedAt = performance.now();
  const isShown = () =>
    process.stderr.isTTY && !args.flag("json") && performance.now() - startedAt > QUIET_MS;
  return {
    show: (done: number) => void (isShown() && process.stderr.write(`\r${done} of ${total} moments`)),
    end: () => void (isShown() && process.stderr.write("\r\u001b[K")),
  };
}

const MAX_ABOUT = 60;

function render(replayed: readonly Replayed[], paint: Paint): string {
  const lines: string[] = [];
  let turnId = "";
  for (const { moment, report, differences } of replayed) {
    if (moment.turnId !== turnId) lines.push(`turn ${printable(moment.turnId)}`);
    ({ turnId } = moment);
    const about = printable(moment.about).slice(0, MAX_ABOUT);
    const ran = `${report.runs.length} ran, ${moment.recorded.length} recorded`;
    const verdict = differences.length === 0 ? paint.faint("the same") : paint.bad("differs");
    const outcome = report.notRun.length === 0 ? verdict : paint.bad("not known");
    lines.push(`  ${moment.event.padEnd(16)}  ${about.padEnd(MAX_ABOUT)}  ${ran.padEnd(20)}  ${outcome}`);
    for (const { reason } of report.notRun) lines.push(`      could not be run: ${printable(reason)}`);
    for (const difference of differences) lines.push(`      ${printable(difference)}`);
  }
  const { different, blocked, unknown } = totalsOf(replayed);
  const missing = unknown === 0 ? "" : `, ${unknown} not known`;
  lines.push(`not rebuilt from a record: ${NOT_REBUILT.join("; ")}`);
  lines.push(`${replayed.length} moments: ${different} differ, ${blocked} would be blocked${missing}`);
  return `${lines.join("\n")}\n`;
}

function totalsOf(replayed: readonly Replayed[]) {
  return {
    moments: replayed.length,
    different: replayed.filter(({ differences }) => differences.length > 0).length,
    blocked: replayed.filter(({ report }) => report.would.isBlocked).length,
    unknown: replayed.filter(({ report }) => report.notRun.length > 0).length,
  };
}

function toJson(threadId: string, replayed: readonly Replayed[]) {
  return {
    threadId,
    totals: totalsOf(replayed),
    notRebuilt: NOT_REBUILT,
    moments: replayed.map(({ moment, report, differences }) => ({
      turnId: moment.turnId,
      event: moment.event,
      about: moment.about,
      recorded: moment.recorded,
      runs: report.runs.map(({ run }) => run),
      notRun: report.notRun.map(({ hook, reason }) => ({ key: hook.key, reason })),
      would: report.would.lines,
      isBlocked: report.would.isBlocked,
      differences,
    })),
  };
}
