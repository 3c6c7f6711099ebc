/** Which files a handler runs or reads its code from, as far as its configuration tells. */
import { statSync } from "node:fs";
import { basename, delimiter, isAbsolute, join, resolve } from "node:path";
import { isExecutable, isFile } from "../../base/file-system.ts";
import type { CommandHandler, ConfiguredHook } from "../configured-hook.ts";
import { execForm } from "../exec-form.ts";
import { modulePath } from "../module-path.ts";
import { gitFiles, usesGit } from "./git-files.ts";
import { type CommandText, readCommand } from "./read-command.ts";
import { type CommandPlace, settleVariables } from "./settle-variables.ts";

export interface NamedFiles {
  /** Named for certain, whether they are there or not. */
  readonly files: readonly string[];
  /** Words that may be names of files or anything else. */
  readonly guesses: readonly string[];
  /** Found on the path; they are only of interest where confined commands can write them. */
  readonly programs: readonly string[];
  /** Why it cannot be told which files are run; null where it can. */
  readonly unsettled: string | null;
}

const NOTHING: NamedFiles = { files: [], guesses: [], programs: [], unsettled: null };
const MAX_FOLDERS = 32;

export function namedFiles(
  hook: Pick<ConfiguredHook, "handler" | "source" | "sourcePath" | "env">,
  given: CommandPlace,
): NamedFiles {
  const { handler, env } = hook;
  const place = { ...given, env: { ...given.env, ...env } };
  switch (handler.type) {
    case "module":
      return { ...NOTHING, files: [modulePath(handler.path, hook, place.cwd)] };
    case "command":
      // Within the bounds of the thread it can do no more than any other command.
      return handler.isSandboxed ? NOTHING : commandFiles(commandText(handler, hook), place);
    default:
      return NOTHING;
  }
}

/** For a shell, also where none is used. */
function commandText(handler: CommandHandler, hook: Pick<ConfiguredHook, "env">): string {
  const words = execForm(handler, hook);
  return words?.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ") ?? handler.command;
}

function commandFiles(command: string, place: CommandPlace): NamedFiles {
  const text = readCommand(settleVariables(command, place));
  const reached = foldersOf(text, place.cwd);
  const folders = reached ?? [place.cwd];
  const inFolders = (words: readonly string[]) =>
    words.flatMap((word) => folders.map((folder) => resolve(folder, word)));
  const byPath = text.programs.filter((program) => program.includes("/"));
  const byName = text.programs.filter((program) => !program.includes("/"));
  const callsGit = text.programs.some((program) => usesGit(basename(program)));
  const files = new Set([
    ...inFolders([...byPath, ...text.paths]),
    ...(callsGit ? folders.flatMap((folder) => gitFiles(folder, place)) : []),
  ]);
  const folder = inFolders(text.operands).find(isDirectory);
  return {
    files: [...files],
    guesses: [...new Set(inFolders(text.words))].filter((path) => !files.has(path)),
    programs: byName.flatMap((name) => locate(name, place.env["PATH"])),
    unsettled: text.unsettled ?? unsettledBy(reached, folder),
  };
}

function unsettledBy(reached: readonly string[] | null, folder: string | undefined): string | null {
  if (reached === null) return "it goes to too many folders";
  return folder === undefined ? null : `it runs what is in the folder ${folder}`;
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
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
