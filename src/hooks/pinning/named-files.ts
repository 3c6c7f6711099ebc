/** The files that a handler runs or loads code from, as far as its configuration determines them. */
import { basename, delimiter, dirname, isAbsolute, resolve } from "node:path";
import { realPath, statOf } from "../../base/file-system.ts";
import type { CommandHandler, ConfiguredHook } from "../configured-hook.ts";
import { execForm } from "../exec-form.ts";
import { modulePath } from "../module-path.ts";
import type { CommandText } from "./command-text.ts";
import { type ExecEnv, expandVariables } from "./expand-variables.ts";
import { type GitMachine, gitFiles } from "./git-files.ts";
import { isVersionManager } from "./known-programs.ts";
import { createProgramSearch } from "./locate-program.ts";
import { parseHookCommand } from "./read-command.ts";

export interface NamedFiles {
  /** Certainly named, whether they exist or not. */
  readonly files: readonly string[];
  /** Words that may or may not be file names. */
  readonly guesses: readonly string[];
  /** Found on PATH; relevant only where sandboxed commands can write them. */
  readonly programs: readonly string[];
  /** Files that are executed. */
  readonly scripts: readonly NamedScript[];
  /** Paths in inline code, which the code may run. */
  readonly codePaths: readonly string[];
  /** Why the files that run cannot be determined; null where they can. */
  readonly unpinnable: string | null;
}

export interface NamedScript {
  /** As written in the command. */
  readonly word: string;
  /** The candidates, resolved against each folder that the command changes to. */
  readonly paths: readonly string[];
}

export type NamingHook = Pick<ConfiguredHook, "handler" | "source" | "sourcePath" | "env">;

const NOTHING: NamedFiles = {
  files: [],
  guesses: [],
  programs: [],
  scripts: [],
  codePaths: [],
  unpinnable: null,
};
const MAX_FOLDERS = 32;

export function namedFiles(hook: NamingHook, given: ExecEnv, machine: GitMachine): NamedFiles {
  const { handler } = hook;
  const execEnv = execEnvOf(hook, given);
  switch (handler.type) {
    case "module": {
      const path = modulePath(handler.path, hook, execEnv.cwd);
      return { ...NOTHING, files: [path], scripts: [{ word: handler.path, paths: [path] }] };
    }
    case "command":
      // Inside the thread's sandbox it can do no more than any other command.
      return handler.isSandboxed
        ? NOTHING
        : commandFiles(expandVariables(commandText(handler, hook), execEnv), execEnv, machine);
    default:
      return NOTHING;
  }
}

export function execEnvOf({ env }: Pick<ConfiguredHook, "env">, given: ExecEnv): ExecEnv {
  return { ...given, env: { ...given.env, ...env } };
}

/** As shell text, also for a command in exec form. */
function commandText(handler: CommandHandler, hook: Pick<ConfiguredHook, "env">): string {
  const words = execForm(handler, hook);
  return words?.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ") ?? handler.command;
}

function commandFiles(command: string, execEnv: ExecEnv, machine: GitMachine): NamedFiles {
  const text = parseHookCommand(command);
  const reached = foldersOf(text, execEnv.cwd);
  const folders = reached ?? [execEnv.cwd];
  const inFolders = (word: string) => folders.map((folder) => resolve(folder, word));
  const byPath = text.programs.filter((program) => program.includes("/"));
  const byName = text.programs.filter((program) => !program.includes("/"));
  const locate = execEnv.locate ?? createProgramSearch();
  const programs = byName.flatMap((name) => locate(name, execEnv.env["PATH"]) ?? []);
  const { git } = text;
  const repositories = git === null ? [] : folders.map((folder) => gitFiles(folder, git, execEnv, machine));
  const files = new Set([
    ...[...byPath, ...text.paths].flatMap(inFolders),
    ...repositories.flatMap((repository) => repository.files),
  ]);
  const scripts = [...new Set([...byPath, ...text.operands])].map((word) => ({
    word,
    paths: [...new Set(inFolders(word))],
  }));
  return {
    files: [...files],
    guesses: [...new Set(text.words.flatMap(inFolders))].filter((path) => !files.has(path)),
    programs,
    scripts,
    codePaths: text.codePaths.flatMap(inFolders),
    unpinnable:
      text.unpinnable ??
      (reached === null ? "it goes to too many folders" : null) ??
      unpinnableOperand(text.operands, inFolders, machine) ??
      unpinnableProgram([...programs, ...byPath.flatMap(inFolders)]) ??
      unknownProgram(text.unknown, inFolders, execEnv.env["PATH"]) ??
      repositories.find(({ unpinnable }) => unpinnable !== null)?.unpinnable ??
      null,
  };
}

/** An interpreter runs what a folder contains, and may complete a name without a file. */
function unpinnableOperand(
  operands: readonly string[],
  inFolders: (word: string) => readonly string[],
  { isSandboxWritable }: GitMachine,
): string | null {
  for (const word of operands) {
    const paths = inFolders(word);
    const folder = paths.find(isDirectory);
    if (folder !== undefined) return `it runs what is in the folder ${folder}`;
    // Pipes and devices are rejected by their digest.
    if (paths.every((path) => statOf(path) === null) && paths.some(isSandboxWritable))
      return `${word} is not there, and another file may be found in its place`;
  }
  return null;
}

function unpinnableProgram(paths: readonly string[]): string | null {
  const managed = paths.find((path) => isVersionManager([path, realPath(path)]));
  return managed === undefined ? null : `a file of the folder chooses what ${managed} runs`;
}

/**
 * The behaviour of an installed program may depend on files of its folder; a program that the user calls by
 * its own path is the user's.
 */
function unknownProgram(
  unknown: readonly string[],
  inFolders: (word: string) => readonly string[],
  path: string | undefined,
): string | null {
  const installed = new Set((path ?? "").split(delimiter).filter(isAbsolute));
  const isInstalled = (file: string) =>
    installed.has(dirname(file)) || installed.has(dirname(realPath(file)));
  const isUnknown = (word: string) => !word.includes("/") || inFolders(word).some(isInstalled);
  const found = unknown.find(isUnknown);
  return found === undefined ? null : `${basename(found)} may take from the folder what it runs`;
}

/**
 * The folders that relative names may be resolved against: the working folder, and those that the command
 * changes to, in any order. Null for too many.
 */
function foldersOf({ folders, words, paths }: CommandText, cwd: string): readonly string[] | null {
  const known = new Set([cwd]);
  const goTo = (word: string) => {
    const reached = [...known].map((from) => resolve(from, word));
    for (const folder of reached) known.add(folder);
    return known.size <= MAX_FOLDERS;
  };
  const options = [...paths, ...words].filter((word) => isDirectory(resolve(cwd, word)));
  const targets = [...folders.flatMap(() => folders), ...options];
  return targets.every(goTo) ? [...known] : null;
}

function isDirectory(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}
