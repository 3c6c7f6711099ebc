/** `heddle hooks test` runs the hooks of an event without a thread. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import type { JsonObject } from "../../base/json-object.ts";
import { isObject } from "../../base/json-object.ts";
import { printable, printableLines } from "../../base/printable.ts";
import { findSkipReason } from "../../hooks/config/skip-reason.ts";
import { HOOK_EVENTS, type HookEventName } from "../../hooks/hook-event.ts";
import { lacksTrust } from "../../hooks/workbench/match-hooks.ts";
import type { ConfigOptions } from "../../runtime/configuration/config-source.ts";
import { type HookTest, testHooks, testRecorded } from "../../runtime/workbench/test-hooks.ts";
import type { Command, CommandEntry, OptionSpec, ParsedArguments } from "../command-line/command.ts";
import { globalOptions, jsonOption } from "../command-line/options.ts";
import type { Paint } from "../command-line/paint.ts";
import { type LocalWorkbench, openLocalWorkbench, readRecordedIn } from "./local-workbench.ts";
import { writeWarnings } from "./render-hooks.ts";
import { renderEventReport, reportToJson } from "./render-report.ts";

/** The arguments of a hook subcommand. */
export interface HookCall {
  readonly args: ParsedArguments;
  readonly settings: ConfigOptions;
  readonly paint: Paint;
}

/** The declaration of a hook subcommand. */
export interface HookSubcommand extends Pick<CommandEntry, "name" | "summary">, Omit<Command, "run"> {
  readonly run: (call: HookCall) => Promise<number>;
}

/** Options for the fields of the event. */
export const inputOptions: readonly OptionSpec[] = [
  { name: "prompt", value: "TEXT", help: "The user's prompt" },
  { name: "tool", value: "NAME", help: "The tool, as hooks know it (default Bash)" },
  { name: "input", value: "JSON", help: 'The input of the tool (default {"command":"true"})' },
  { name: "response", value: "JSON", help: "The output of the tool" },
  { name: "source", value: "SOURCE", help: "How the session starts (default startup)" },
  { name: "trigger", value: "TRIGGER", help: "The trigger of the compaction (default manual)" },
  { name: "last-message", value: "TEXT", help: "The last message of the model" },
  { name: "model", value: "MODEL", help: "The name of the model" },
  { name: "from", value: "FILE", help: "The whole input as JSON; - for standard input" },
  { name: "cwd", value: "DIR", help: "The folder whose hooks run (default: this one)" },
  { name: "untrusted", help: "Run also hooks that are not trusted" },
];

export const testHooksCommand: HookSubcommand = {
  name: "test",
  summary: "Run the hooks of an event and print their decision",
  details:
    "The programs of hooks really run; no thread is touched. Ends with code 2 where something would be blocked, and with 1 where a hook could not be run, or lacks the trust to run in a thread.",
  operands: "<EVENT>",
  options: [
    ...inputOptions,
    { name: "thread", value: "ID", help: "Take the input from a stored thread" },
    { name: "turn", value: "ID", help: "Only from this turn of it" },
    jsonOption,
    ...globalOptions,
  ],
  examples: [
    {
      command: `heddle hooks test PreToolUse --input '{"command":"rm -rf build"}'`,
      description: "Whether a command would be let through",
    },
    {
      command: `heddle hooks test UserPromptSubmit --prompt "hello"`,
      description: "What a prompt comes with",
    },
    {
      command: "heddle hooks test Stop --thread ID --json",
      description: "With every end of a turn of a thread",
    },
  ],
  run: runTest,
  // Exit code 2 means here that a hook blocks, so a usage error exits with 1.
  reportUsage({ message, tip }, name) {
    const what = tip === null ? message : `${message}; ${tip}`;
    process.stderr.write(`Error: ${printableLines(what)}\n\nFor more information, try '${name} --help'.\n`);
    return 1;
  },
};

async function runTest({ args, settings, paint }: HookCall): Promise<number> {
  const event = parseEventName(args);
  const fields = await readEventFields(args);
  const workbench = await openWorkbenchFor(args, settings);
  try {
    const test = { event, members: fields, runsUntrusted: args.flag("untrusted") };
    const reports =
      args.value("thread") === undefined
        ? [await testHooks(workbench, test)]
        : await tryRecorded(workbench, test, args);
    if (args.flag("json")) {
      const shown = reports.map(reportToJson);
      const whole = args.value("thread") === undefined ? shown[0] : shown;
      process.stdout.write(`${JSON.stringify(whole, null, 2)}\n`);
    } else for (const report of reports) process.stdout.write(renderEventReport(report, paint));
    if (reports.some(({ would }) => would.isBlocked)) return 2;
    return reports.some(({ notRun, matches }) => notRun.length > 0 || matches.some(lacksTrust)) ? 1 : 0;
  } finally {
    await workbench.close();
  }
}

export function parseEventName({ operands }: ParsedArguments): HookEventName {
  const event = HOOK_EVENTS.find((each) => each === operands[0]);
  if (event === undefined) throw new Error(`name one event: ${HOOK_EVENTS.join(", ")}`);
  return event;
}

export async function openWorkbenchFor(
  args: ParsedArguments,
  settings: ConfigOptions,
): Promise<LocalWorkbench> {
  const cwd = resolve(settings.cwd, args.value("cwd") ?? ".");
  const workbench = await openLocalWorkbench(settings, { cwd, runsUntrusted: args.flag("untrusted") });
  writeWarnings(workbench.set.warnings);
  return workbench;
}

/** For commands whose output does not list the skipped hooks. */
export function warnOfUntrusted({ set }: Pick<LocalWorkbench, "set">, args: ParsedArguments): void {
  if (args.flag("untrusted")) return;
  const { length } = set.hooks.map(findSkipReason).filter((why) => why === "untrusted" || why === "modified");
  if (length === 0) return;
  const which = length === 1 ? "1 hook lacks trust and does" : `${length} hooks lack trust and do`;
  process.stderr.write(`${which} not run: see heddle hooks list, or use --untrusted\n`);
}

/** Reads the fields of the event from the options. */
export async function readEventFields(args: ParsedArguments): Promise<JsonObject> {
  const from = args.value("from");
  const whole = from === undefined ? {} : parse("from", await readWhole(from));
  if (!isObject(whole)) throw new Error("'--from' is not a JSON object");
  const texts = { prompt: "prompt", tool: "tool_name", source: "source", trigger: "trigger", model: "model" };
  const fields: Record<string, unknown> = { ...whole };
  for (const [option, member] of Object.entries(texts)) {
    const value = args.value(option);
    if (value !== undefined) fields[member] = value;
  }
  const last = args.value("last-message");
  if (last !== undefined) fields["last_assistant_message"] = last;
  for (const option of ["input", "response"]) {
    const value = args.value(option);
    if (value !== undefined) fields[`tool_${option}`] = parse(option, value);
  }
  return fields;
}

function readWhole(from: string): Promise<string> {
  return from === "-" ? readAll(process.stdin) : readFile(from, "utf8");
}

function parse(option: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error(`'--${option}' is not JSON: ${printable(text.slice(0, 80))}`);
  }
}

/** Throws where the thread has no such moments. */
async function tryRecorded(workbench: LocalWorkbench, test: HookTest, args: ParsedArguments) {
  const threadId = args.value("thread") ?? "";
  const recorded = await readRecordedIn(workbench.storeAddress, threadId);
  const turnId = args.value("turn") ?? null;
  const reports = await testRecorded(workbench, test, { threadId, turnId, recorded });
  if (reports.length === 0) throw new Error(`the thread has recorded nothing for ${test.event}`);
  return reports;
}
