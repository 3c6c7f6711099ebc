/** `heddle hooks replay` compares the decisions of the current hooks with those that a thread has recorded. */
import { printable } from "../../base/printable.ts";
import { NOT_REBUILT } from "../../hooks/workbench/recorded-events.ts";
import { openConfigSource } from "../../runtime/configuration/config-source.ts";
import { findStoreAddress } from "../../runtime/configuration/store-address.ts";
import { momentsOf, type Replayed, replayHooks } from "../../runtime/workbench/replay-hooks.ts";
import type { ParsedArguments } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { globalOptions, jsonOption, yesOption } from "../command-line/options.ts";
import type { Paint } from "../command-line/paint.ts";
import { readRecordedIn } from "./local-workbench.ts";
import { type HookCall, type HookSubcommand, openWorkbenchFor, warnOfUntrusted } from "./test-hooks.ts";

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

async function runReplay({ args, settings, paint }: HookCall): Promise<number> {
  const [threadId = ""] = args.operands;
  const where = await findStoreAddress(await openConfigSource(settings));
  const recorded = await readRecordedIn(where, threadId);
  const workbench = await openWorkbenchFor(args, {
    ...settings,
    cwd: args.value("cwd") === undefined ? recorded.cwd : settings.cwd,
  });
  try {
    const wanted = args.value("turn");
    const moments = momentsOf(recorded, wanted ?? null);
    if (moments.length === 0)
      throw new Error(`thread ${threadId} has no ${wanted === undefined ? "turns" : `turn ${wanted}`}`);
    const question = `Run the programs of hooks at ${moments.length} moments of this thread?`;
    if (!(await confirm(args, question, "nothing was run"))) return 1;
    warnOfUntrusted(workbench, args);
    const progress = createProgress(moments.length, args);
    const replayed = await replayHooks(workbench, moments, {
      threadId,
      transcriptPath: recorded.transcriptPath,
      runsUntrusted: args.flag("untrusted"),
      onReplayed: progress.show,
    });
    progress.end();
    if (args.flag("json")) process.stdout.write(`${JSON.stringify(toJson(threadId, replayed), null, 2)}\n`);
    else process.stdout.write(render(replayed, paint));
    return 0;
  } finally {
    await workbench.close();
  }
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
