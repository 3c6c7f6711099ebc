/** `heddle hooks bench` measures how long hooks take. */
import { printable } from "../../base/printable.ts";
import { describeHandler } from "../../hooks/config/skipped-hooks.ts";
import { type Timing, timeHooks } from "../../hooks/workbench/time-hooks.ts";
import { inputOf } from "../../runtime/workbench/test-hooks.ts";
import { globalOptions, jsonOption } from "../command-line/options.ts";
import {
  type HookCall,
  type HookSubcommand,
  inputOptions,
  openWorkbenchFor,
  parseEventName,
  readEventFields,
  warnOfUntrusted,
} from "./test-hooks.ts";

const DEFAULT_RUNS = 20;

export const benchHooksCommand: HookSubcommand = {
  name: "bench",
  summary: "Measure how long each hook of an event takes, and all of them at once",
  details: "The programs of hooks really run; no thread is touched.",
  operands: "<EVENT>",
  options: [
    {
      name: "runs",
      value: "N",
      help: `How often each is run (default ${DEFAULT_RUNS})`,
      validate: (text) => (/^[1-9]\d{0,3}$/.test(text) ? null : "not a number from 1 to 9999"),
    },
    ...inputOptions,
    jsonOption,
    ...globalOptions,
  ],
  examples: [
    { command: "heddle hooks bench PreToolUse --tool Bash", description: "The delay of a command" },
    { command: "heddle hooks bench Stop --runs 100 --json", description: "More exactly, for programs" },
  ],
  run: runBench,
};

async function runBench({ args, settings }: HookCall): Promise<number> {
  const event = parseEventName(args);
  const fields = await readEventFields(args);
  const runs = Number(args.value("runs") ?? DEFAULT_RUNS);
  const workbench = await openWorkbenchFor(args, settings);
  try {
    warnOfUntrusted(workbench, args);
    const { set, ports, place } = workbench;
    const input = inputOf(workbench.place, event, fields);
    const tried = { event, input, cwd: place.cwd, runsUntrusted: args.flag("untrusted") };
    const { each, together } = await timeHooks(set, tried, runs, ports);
    const rows = set.hooks.flatMap((hook) => {
      const timing = each.get(hook.key);
      return timing === undefined ? [] : [{ key: hook.key, runs: describeHandler(hook), ...timing }];
    });
    if (args.flag("json")) {
      process.stdout.write(`${JSON.stringify({ event, runs, hooks: rows, together }, null, 2)}\n`);
      return 0;
    }
    if (rows.length === 0) process.stderr.write(`no hook of ${event} would run: see heddle hooks test\n`);
    else {
      const lines = [HEADER, ...rows.map((row) => line(row, row.runs)), line(together, "all at once")];
      process.stdout.write(`${lines.join("\n")}\n`);
    }
    return 0;
  } finally {
    await workbench.close();
  }
}

const WIDTH = 10;
const HEADER = `${["median", "p95", "failures"].map((word) => word.padStart(WIDTH)).join("")}  hook`;

function line({ medianMs, p95Ms, failures }: Timing, hook: string): string {
  const cells = [`${medianMs.toFixed(1)} ms`, `${p95Ms.toFixed(1)} ms`, String(failures)];
  return `${cells.map((cell) => cell.padStart(WIDTH)).join("")}  ${printable(hook)}`;
}
