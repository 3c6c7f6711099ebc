/** `heddle lifecycle install` and `uninstallCommand`: a plan, its difference, a question, the change, and a last look at it. */
import { randomUUID } from "node:crypto";
import { existsSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";
import { printableLines } from "../../base/printable.ts";
import { readRegularFileSync } from "../../base/read-regular-file.ts";
import { replaceFile, resolveWriteTarget } from "../../config/config-file.ts";
import { prepareHome, resolveHome } from "../../config/home.ts";
import { type AdapterId, EVENT_NAMES, findAdapter, isEventName } from "../../lifecycle/index.ts";
import { unifiedDiff } from "../../tools/diff/unified-diff.ts";
import { type OptionSpec, type ParsedArguments, UsageError } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { yesOption } from "../command-line/options.ts";
import { type Paint, paintFor } from "../command-line/paint.ts";
import { HARNESS_HOOKS, hooksOf, INSTALL_SCOPES, type InstallScope, usualEvents } from "./harness-hooks.ts";
import { openInstallationFile } from "./installation-file.ts";
import type { LifecycleCommand } from "./lifecycle-command.ts";
import { type Plan, type PlanOutcome, planInstall, planUninstall, remember } from "./plan-install.ts";

const shared: readonly OptionSpec[] = [
  {
    name: "command",
    value: "COMMAND",
    help: "The program that the harness shall run, as its shell takes it",
  },
  {
    name: "scope",
    value: "SCOPE",
    help: "Whose sessions are meant: those of this folder (project), or all of yours (user; default project)",
    choices: INSTALL_SCOPES,
  },
  { name: "dry-run", help: "Print the difference, and change nothing" },
  yesOption,
];

export const installCommand: LifecycleCommand = {
  name: "install",
  summary: "Put a program into the hooks of a harness",
  details:
    "It goes into the harness's own file, behind what is there, in the manner in which the file is written. No other entry is touched.",
  operands: "<ADAPTER>",
  options: [
    ...shared.slice(0, 1),
    {
      name: "event",
      value: "EVENT",
      repeat: true,
      help: "A neutral event to be told of (default: all of the lifecycle that the harness has)",
      validate: (text) => (isEventName(text) ? null : `expected one of ${EVENT_NAMES.join(", ")}`),
    },
    ...shared.slice(1),
  ],
  examples: [
    {
      command: "heddle lifecycle install claude --command 'node ~/notes/attach.mjs'",
      description: "Tell the program of the sessions of Claude Code in this folder",
    },
    {
      command:
        "heddle lifecycle install codex --scope user --event frame.ending --command ./check.sh --dry-run",
      description: "Show what would change in the hooks of Codex",
    },
  ],
  run: runInstall,
};

export const uninstallCommand: LifecycleCommand = {
  name: "uninstall",
  summary: "Take a program out of the hooks of a harness",
  details: "A file that nobody has changed since is again what it was, byte for byte.",
  operands: "<ADAPTER>",
  options: shared,
  examples: [
    {
      command: "heddle lifecycle uninstall claude --command 'node ~/notes/attach.mjs'",
      description: "The same command as it was installed with",
    },
  ],
  run: runUninstall,
};

/** Larger files are not settings. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const CONTEXT_LINES = 3;

interface Target {
  readonly id: AdapterId;
  readonly name: string;
  readonly command: string;
  readonly file: string;
  /** Where the file really is: people keep their settings elsewhere, behind links. */
  readonly place: string;
}

async function runInstall(args: ParsedArguments): Promise<number> {
  const target = await targetOf(args);
  const named = args.values("event").filter(isEventName);
  const { hooks, untold } = hooksOf(target.id, named.length > 0 ? named : usualEvents(target.id));
  if (untold.length > 0) throw new UsageError(`${target.name} has no hook for ${untold.join(", ")}`);
  const before = readText(target.file);
  const plan = accepted(target, planInstall(HARNESS_HOOKS[target.id], target.command, hooks, before));
  if (plan.hooks.length === 0) return done(`${target.command} is in ${target.file} already`);
  if (!(await isWanted(args, target, plan))) return args.flag("dry-run") ? 0 : 1;
  const records = openRecords();
  // Known before it is done: what is done and not known could only be taken back by what it says.
  await records.keep(keyOf(target), remember(plan, records.find(keyOf(target))));
  await write(target, plan);
  const again = accepted(
    target,
    planInstall(HARNESS_HOOKS[target.id], target.command, hooks, readText(target.file)),
  );
  if (again.hooks.length > 0) throw new Error(`${target.file} was changed by somebody else: look at it`);
  const { next } = HARNESS_HOOKS[target.id];
  return done(`added to ${target.file}: ${plan.hooks.join(", ")}${next === null ? "" : `\n${next}`}`);
}

async function runUninstall(args: ParsedArguments): Promise<number> {
  const target = await targetOf(args);
  const records = openRecords();
  const known = records.find(keyOf(target));
  const before = readText(target.file);
  const plan = accepted(target, planUninstall(HARNESS_HOOKS[target.id], target.command, before, known));
  if (plan.after === plan.before) {
    const isNamed = before?.includes(JSON.stringify(target.command)) === true;
    const hint = isNamed ? "; an entry that somebody has changed names it: take that out by hand" : "";
    return done(`${target.command} is not in ${target.file}${hint}`);
  }
  if (!(await isWanted(args, target, plan))) return args.flag("dry-run") ? 0 : 1;
  await write(target, plan);
  await records.keep(keyOf(target), null);
  return done(`taken out of ${target.file}: ${plan.hooks.join(", ")}`);
}

async function targetOf(args: ParsedArguments): Promise<Target> {
  const [word, ...more] = args.operands;
  if (word === undefined || more.length > 0)
    throw new UsageError("name one harness, such as codex or claude");
  const adapter = findAdapter(word);
  if (adapter === undefined)
    throw new UsageError(
      `there is no adapter '${word}': expected one of ${Object.keys(HARNESS_HOOKS).join(", ")}`,
    );
  const command = args.value("command");
  if (command === undefined || command.trim() === "")
    throw new UsageError("say with --command what shall run");
  const scope = (args.value("scope") ?? "project") as InstallScope;
  const places = { env: process.env, userHome: homedir(), project: process.cwd() };
  const file = resolve(HARNESS_HOOKS[adapter.id].file(scope, places));
  const place = await placeOf(file, scope);
  return { id: adapter.id, name: adapter.displayName, command, file, place };
}

/** A project may come from anybody: its links do not lead a change to what is not its own. */
async function placeOf(file: string, scope: InstallScope): Promise<string> {
  const target = await resolveWriteTarget(file);
  const place = join(realOf(dirname(target)), basename(target));
  if (scope === "project" && !place.startsWith(realOf(process.cwd()) + sep))
    throw new Error(`${file} was left as it is: it leads out of this folder, to ${place}`);
  return place;
}

/** Of a folder that need not be there yet. */
function realOf(folder: string): string {
  if (existsSync(folder) || folder === dirname(folder)) return realpathSync(folder);
  return join(realOf(dirname(folder)), basename(folder));
}

function keyOf({ id, file, command }: Target) {
  return { adapter: id, file, command };
}

function openRecords() {
  const prepared = prepareHome(resolveHome(process.env, homedir()));
  if (!prepared.ok) throw new Error(prepared.message);
  return openInstallationFile(prepared.home, randomUUID);
}

function accepted({ file }: Target, planned: PlanOutcome): Plan {
  if (planned.kind === "refused") throw new Error(`${file} was left as it is: ${planned.reason}`);
  return planned;
}

/** Null for no file. */
function readText(file: string): string | null {
  const read = readRegularFileSync(file, { maxBytes: MAX_FILE_BYTES });
  if (read.kind === "refused") {
    if (read.reason === "missing") return null;
    throw new Error(`${file} cannot be read: ${read.message}`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(read.bytes);
  } catch {
    throw new Error(`${file} was left as it is: it is not UTF-8`);
  }
}

async function isWanted(args: ParsedArguments, { place }: Target, plan: Plan): Promise<boolean> {
  const isDry = args.flag("dry-run");
  const out = isDry ? process.stdout : process.stderr;
  out.write(renderPlan(place, plan, paintFor(out)));
  return !isDry && (await confirm(args, `Change ${place}?`, "nothing was changed"));
}

function renderPlan(file: string, { before, after }: Plan, paint: Paint): string {
  const names = [before === null ? "/dev/null" : file, after === null ? "/dev/null" : file];
  const heading = `--- ${names[0]}\n+++ ${names[1]}\n`;
  const lines = (heading + unifiedDiff(before ?? "", after ?? "", CONTEXT_LINES)).split("\n");
  return lines
    .map((line) => printableLines(line))
    .map((line) => (line.startsWith("+") ? paint.good(line) : line.startsWith("-") ? paint.bad(line) : line))
    .join("\n");
}

async function write({ place, file }: Target, { before, after }: Plan): Promise<void> {
  if (after === null) {
    if (readText(place) !== before) throw new Error(`${file} has just been changed: try again`);
    rmSync(place);
    return;
  }
  const from = { target: place, text: before ?? undefined };
  const outcome = await replaceFile(from, after, `.heddle-${randomUUID()}`);
  if (outcome === "changed") throw new Error(`${file} has just been changed: try again`);
}

function done(text: string): number {
  process.stdout.write(`${printableLines(text)}\n`);
  return 0;
}
