/** `heddle lifecycle install` and `uninstall`: plan the change, show the diff, ask, write the file, and verify it. */
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
import { defaultEvents, HARNESS_HOOKS, hooksOf, INSTALL_SCOPES, type InstallScope } from "./harness-hooks.ts";
import { openInstallationFile } from "./installation-file.ts";
import type { LifecycleCommand } from "./lifecycle-command.ts";
import { type Plan, type PlanOutcome, planInstall, planUninstall, remember } from "./plan-install.ts";

const shared: readonly OptionSpec[] = [
  {
    name: "command",
    value: "COMMAND",
    help: "The shell command that the harness runs",
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
  details: "The entry is appended to the harness's own file, in its formatting. No other entry is changed.",
  operands: "<ADAPTER>",
  options: [
    ...shared.slice(0, 1),
    {
      name: "event",
      value: "EVENT",
      repeat: true,
      help: "A neutral event to send to the program (default: all lifecycle events of the harness)",
      validate: (text) => (isEventName(text) ? null : `expected one of ${EVENT_NAMES.join(", ")}`),
    },
    ...shared.slice(1),
  ],
  examples: [
    {
      command: "heddle lifecycle install claude --command 'node ~/notes/attach.mjs'",
      description: "Send the sessions of Claude Code in this folder to the program",
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
  details: "A file that was not changed since is restored byte for byte.",
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

/** Larger files are not settings files. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const CONTEXT_LINES = 3;

interface Target {
  readonly id: AdapterId;
  readonly name: string;
  readonly command: string;
  readonly file: string;
  /** The path with links resolved, because users keep settings files behind links. */
  readonly place: string;
}

async function runInstall(args: ParsedArguments): Promise<number> {
  const target = await targetOf(args);
  const named = args.values("event").filter(isEventName);
  const { hooks, unsupported } = hooksOf(target.id, named.length > 0 ? named : defaultEvents(target.id));
  if (unsupported.length > 0)
    throw new UsageError(`${target.name} has no hook for ${unsupported.join(", ")}`);
  const before = readText(target.file);
  const plan = accepted(target, planInstall(HARNESS_HOOKS[target.id], target.command, hooks, before));
  if (plan.hooks.length === 0) return done(`${target.command} is in ${target.file} already`);
  if (!(await isWanted(args, target, plan))) return args.flag("dry-run") ? 0 : 1;
  const records = openRecords();
  // Recorded before the write: without a record, a file cannot be restored byte for byte.
  await records.store(keyOf(target), remember(plan, records.find(keyOf(target))));
  await write(target, plan);
  const again = accepted(
    target,
    planInstall(HARNESS_HOOKS[target.id], target.command, hooks, readText(target.file)),
  );
  if (again.hooks.length > 0) throw new Error(`${target.file} was changed by another program: check it`);
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
    const hint = isNamed ? "; a modified entry contains it: remove that by hand" : "";
    return done(`${target.command} is not in ${target.file}${hint}`);
  }
  if (!(await isWanted(args, target, plan))) return args.flag("dry-run") ? 0 : 1;
  await write(target, plan);
  await records.store(keyOf(target), null);
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
    throw new UsageError("the argument '--command' is needed: the program to run");
  const scope = (args.value("scope") ?? "project") as InstallScope;
  const folders = { env: process.env, userHome: homedir(), project: process.cwd() };
  const file = resolve(HARNESS_HOOKS[adapter.id].file(scope, folders));
  const place = await resolvePlace(file, scope);
  return { id: adapter.id, name: adapter.displayName, command, file, place };
}

/** A project is untrusted: a link in it must not redirect the change outside of its folder. */
async function resolvePlace(file: string, scope: InstallScope): Promise<string> {
  const target = await resolveWriteTarget(file);
  const place = join(realOf(dirname(target)), basename(target));
  if (scope === "project" && !place.startsWith(realOf(process.cwd()) + sep))
    throw new Error(`${file} was left as it is: it leads out of this folder, to ${place}`);
  return place;
}

/** Resolves links of a folder that may not exist yet. */
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

/** Null where there is no file. */
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
