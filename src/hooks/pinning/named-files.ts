/** Which files a handler runs or reads its code from, as far as its configuration tells. */
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { isExecutable, isFile, realPath, statOf } from "../../base/file-system.ts";
import type { CommandHandler, ConfiguredHook } from "../configured-hook.ts";
import { execForm } from "../exec-form.ts";
import { modulePath } from "../module-path.ts";
import type { CommandText } from "./command-text.ts";
import { type ExecEnv, expandVariables } from "./expand-variables.ts";
import { type GitMachine, gitFiles } from "./git-files.ts";
import { isVersionManager } from "./known-programs.ts";
import { readCommand } from "./read-command.ts";

export interface NamedFiles {
  /** Named for certain, whether they are there or not. */
  readonly files: readonly string[];
  /** Words that may be names of files or anything else. */
  readonly guesses: readonly string[];
  /** Found on the path; they are only of interest where confined commands can write them. */
  readonly programs: readonly string[];
  /** Those that are run. */
  readonly scripts: readonly NamedScript[];
  /** Those that code names, which may be run. */
  readonly codePaths: readonly string[];
  /** Why it cannot be told which files are run; null where it can. */
  readonly unpinnable: string | null;
}

export interface NamedScript {
  /** As the command has it. */
  readonly word: string;
  /** What it may mean, by the folders that the command goes to. */
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
  const place = placeOf(hook, given);
  switch (handler.type) {
    case "module": {
      const path = modulePath(handler.path, hook, place.cwd);
      return { ...NOTHING, files: [path], scripts: [{ word: handler.path, paths: [path] }] };
    }
    case "command":
      // Within the bounds of the thread it can do no more than any other command.
      return handler.isSandboxed
        ? NOTHING
        : commandFiles(expandVariables(commandText(handler, hook), place), place, machine);
    default:
      return NOTHING;
  }
}

export function placeOf({ env }: Pick<ConfiguredHook, "env">, given: ExecEnv): ExecEnv {
  return { ...given, env: { ...given.env, ...env } };
}

/** For a shell, also where none is used. */
function commandText(handler: CommandHandler, hook: Pick<ConfiguredHook, "env">): string {
  const words = execForm(handler, hook);
  return words?.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ") ?? handler.command;
}

function commandFiles(command: string, place: ExecEnv, machine: GitMachine): NamedFiles {
  const text = readCommand(command);
  const reached = foldersOf(text, place.cwd);
  const folders = reached ?? [place.cwd];
  const inFolders = (word: string) => folders.map((folder) => resolve(folder, word));
  const byPath = text.programs.filter((program) => program.includes("/"));
  const byName = text.programs.filter((program) => !program.includes("/"));
  const programs = byName.flatMap((name) => locate(name, place.env["PATH"]));
  const { git } = text;
  const repositories = git === null ? [] : folders.map((folder) => gitFiles(folder, git, place, machine));
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
      unknownProgram(text.unknown, inFolders, place.env["PATH"]) ??
      repositories.find(({ unpinnable }) => unpinnable !== null)?.unpinnable ??
      null,
  };
}

/** A folder runs what is in it, and a name without a file may be completed by the interpreter. */
function unpinnableOperand(
  operands: readonly string[],
  inFolders: (word: string) => readonly string[],
  { isSandboxWritable }: GitMachine,
): string | null {
  for (const word of operands) {
    const paths = inFolders(word);
    const folder = paths.find(isDirectory);
    if (folder !== undefined) return `it runs what is in the folder ${folder}`;
    // Pipes and devices are refused by their content.
    if (paths.every((path) => statOf(path) === null) && paths.some(isSandboxWritable))
      return `${word} is not there, and another file may be found in its place`;
  }
  return null;
}

function unpinnableProgram(paths: readonly string[]): string | null {
  const managed = paths.find((path) => isVersionManager([path, realPath(path)]));
  return managed === undefined ? null : `a file of the folder chooses what ${managed} runs`;
}

/** A program that is installed may do anything by the files of its folder; one that only its user calls is theirs. */
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
 * Where relative names may start: the folder that it runs in, and those that it goes to, in whatever order. Null where
 * they are too many.
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

function locate(name: string, path: string | undefined): readonly string[] {
  const files = (path ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
  // Most are not there, and asking for the right to run them would take longer.
  const found = files.find((file) => isFile(file) && isExecutable(file));
  return found === undefined ? [] : [found];
}

function isDirectory(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}
