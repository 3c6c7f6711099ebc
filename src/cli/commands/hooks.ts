import { type HookView, needsTrust } from "../../runtime/workbench/view-hooks.ts";
import {
  type Command,
  type CommandEntry,
  declareCommand,
  type ParsedArguments,
} from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { globalOptions, jsonOption, readGlobalSettings, yesOption } from "../command-line/options.ts";
import { paintFor } from "../command-line/paint.ts";
import { benchHooksCommand } from "../hooks/bench-hooks.ts";
import { chooseViews, switchHooks, trustHooks, untrustHooks } from "../hooks/change-trust.ts";
import { type HookViews, hookToJson, openHookViews, viewSettings } from "../hooks/hook-view.ts";
import { renderContent, renderHook, writeWarnings } from "../hooks/render-hooks.ts";
import { replayHooksCommand } from "../hooks/replay-hooks.ts";
import { type HookCall, type HookSubcommand, testHooksCommand } from "../hooks/test-hooks.ts";

const folder = { name: "cwd", value: "DIR", help: "The folder whose hooks are meant (default: this one)" };
/** Without `enable` and `disable`, because subcommands have options of these names with another meaning. */
const otherOptions = globalOptions.filter(({ name }) => name !== "enable" && name !== "disable");

const list: HookSubcommand = {
  name: "list",
  summary: "Print every hook in its order, and why one does not run",
  details: "Of each: what it is about, what runs, and where it is from.",
  options: [folder, jsonOption, ...globalOptions],
  examples: [
    { command: "heddle hooks list", description: "The hooks that a thread in this folder has" },
    {
      command: "heddle hooks list --cwd ../other --json",
      description: "Those of another folder, for programs",
    },
  ],
  run: printList,
};

const trust: HookSubcommand = {
  name: "trust",
  summary: "Let hooks run",
  details:
    "Shows what they run and the files that belong to it, asks, and keeps the answer in config.toml and hook-pins.json. Without a key: all that lack trust.",
  operands: "[KEY...]",
  options: [
    { name: "all", help: "All hooks that lack trust, as without a key" },
    {
      name: "unpinned",
      help: "Trust a hook although it is unknown which files its command runs, and sandboxed commands may change them",
    },
    { name: "enable", help: "Switch them on as well" },
    yesOption,
    folder,
    jsonOption,
    ...otherOptions,
  ],
  examples: [
    { command: "heddle hooks trust", description: "Look at the hooks that do not run, and trust them" },
    {
      command: "heddle hooks trust hooks.json:stop:0:0",
      description: "One of them; a part of the key is enough",
    },
    { command: "heddle hooks trust --all --yes", description: "Without a question, as in scripts" },
  ],
  run: runTrust,
};

const untrust: HookSubcommand = {
  name: "untrust",
  summary: "Keep hooks from running until they are trusted again",
  details: "Those of the administrator run all the same.",
  operands: "[KEY...]",
  options: [
    { name: "all", help: "All hooks" },
    { name: "disable", help: "Switch them off instead, and keep their trust" },
    yesOption,
    folder,
    jsonOption,
    ...otherOptions,
  ],
  examples: [
    {
      command: "heddle hooks untrust hooks.json:stop:0:0",
      description: "One of them; a part of the key is enough",
    },
  ],
  run: runUntrust,
};

function toEntry({ run, ...declared }: HookSubcommand): CommandEntry {
  return declareCommand({
    ...declared,
    run(args, chain) {
      const values = (name: string) => (isGlobal(declared, name) ? args.values(name) : []);
      const settings = viewSettings(readGlobalSettings(...chain.slice(0, -1), { ...args, values }));
      return run({ args, settings, paint: paintFor(process.stdout) });
    },
  });
}

/** Whether an option is the global one of that name. */
function isGlobal({ options }: Pick<HookSubcommand, "options">, name: string): boolean {
  return globalOptions.some((option) => option.name === name && options.includes(option));
}

export const hooks: Command = {
  options: globalOptions,
  subcommands: [list, trust, untrust, testHooksCommand, replayHooksCommand, benchHooksCommand].map(toEntry),
  examples: [...list.examples, ...trust.examples],
};

function openViews({ args, settings }: HookCall): Promise<HookViews> {
  return openHookViews(settings, args.value("cwd") ?? ".");
}

async function printList(call: HookCall): Promise<number> {
  const { args } = call;
  const found = await openViews(call);
  if (args.flag("json")) {
    const { cwd, views, warnings } = found;
    process.stdout.write(`${JSON.stringify({ cwd, hooks: views.map(hookToJson), warnings }, null, 2)}\n`);
    return 0;
  }
  writeWarnings(found.warnings);
  if (found.views.length === 0) process.stderr.write("no hooks are configured here\n");
  for (const view of found.views) process.stdout.write(renderHook(view, paintFor(process.stdout)));
  return 0;
}

async function runTrust(call: HookCall): Promise<number> {
  const { args } = call;
  const found = await openViews(call);
  writeWarnings(found.warnings);
  const chosen = chooseViews(found.views, args.operands, needsTrust);
  if (chosen.length === 0) {
    const isEmpty = found.views.length === 0;
    return done(
      args,
      chosen,
      isEmpty ? "no hooks are configured here" : "every hook that is switched on is trusted",
    );
  }
  const isUnpinned = args.flag("unpinned");
  show(args, chosen);
  if (!(await isWanted(args, `Trust ${count(chosen)}?`))) return 1;
  await trustHooks(found, chosen, { isUnpinned });
  if (args.flag("enable")) await switchHooks(found, chosen, true);
  const open = chosen.filter(({ content }) => content.unpinnable !== null && content.isSandboxWritable);
  if (open.length > 0 && !isUnpinned) {
    process.stderr.write(
      `${count(open)} will not run where sandboxed commands can write: use sandbox = true, an absolute path, or --unpinned\n`,
    );
  }
  return done(args, chosen, `trusted ${count(chosen)}`);
}

async function runUntrust(call: HookCall): Promise<number> {
  const { args } = call;
  const found = await openViews(call);
  const isAll = args.flag("all");
  const chosen = chooseViews(found.views, args.operands, ({ hook }) => isAll && !hook.isManaged);
  if (chosen.length === 0) {
    process.stderr.write("name a hook by its key, or use --all: heddle hooks list shows their keys\n");
    return 2;
  }
  show(args, chosen);
  const isSwitched = args.flag("disable");
  if (!(await isWanted(args, `${isSwitched ? "Switch off" : "Take the trust from"} ${count(chosen)}?`)))
    return 1;
  if (isSwitched) await switchHooks(found, chosen, false);
  else await untrustHooks(found, chosen);
  return done(args, chosen, `${isSwitched ? "switched off" : "no longer trusted:"} ${count(chosen)}`);
}

/** Written to stderr, so that stdout contains only the output for programs. */
function show(args: ParsedArguments, chosen: readonly HookView[]): void {
  if (args.flag("json")) return;
  const paint = paintFor(process.stderr);
  for (const view of chosen) process.stderr.write(`${renderHook(view, paint)}${renderContent(view, paint)}`);
}

function done(args: ParsedArguments, chosen: readonly HookView[], description: string): number {
  const keys = chosen.map(({ hook }) => hook.key);
  process.stdout.write(args.flag("json") ? `${JSON.stringify({ keys })}\n` : `${description}\n`);
  return 0;
}

function count({ length }: readonly unknown[]): string {
  return length === 1 ? "1 hook" : `${length} hooks`;
}

function isWanted(args: ParsedArguments, question: string): Promise<boolean> {
  return confirm(args, question, "nothing was changed");
}
