/** Collects the files and programs that a command's text names, word by word and within limits. */
import { EXPANSION } from "../../policy/shell/scan.ts";
import type { GitUse } from "./git-command.ts";

export interface CommandText {
  /** Programs that are called by path, or may be. */
  readonly programs: readonly string[];
  /** Words that certainly name a file, whether it exists or not. */
  readonly paths: readonly string[];
  /** Words that name a file only if one exists. */
  readonly words: readonly string[];
  /** Directories that the command changes to; relative names are also resolved against them. */
  readonly folders: readonly string[];
  /** Operands of interpreters; a directory would run what it contains. */
  readonly operands: readonly string[];
  /** Paths inside inline code, which the code may run. */
  readonly codePaths: readonly string[];
  /** Programs that are not known to run only what their arguments name. */
  readonly unknown: readonly string[];
  /** How git is used; null where it is not called. */
  readonly git: Exclude<GitUse["kind"], "open"> | null;
  /** Why the text does not determine which files run; null where it does. */
  readonly unpinnable: string | null;
}

export interface CommandFindings {
  addProgram(word: string): void;
  addUnknown(program: string): void;
  addPath(word: string): void;
  addWord(word: string): void;
  addArgument(word: string): void;
  addCodeWord(word: string): void;
  addOperand(word: string): void;
  addFolder(word: string): void;
  addGit(use: Exclude<GitUse["kind"], "open">): void;
  leaveOpen(reason: string): void;
  named(): string[];
  text(): CommandText;
}

const MAX_WORDS = 512;

/** Whether a word is known only at run time. Globs count whether they are quoted or not. */
export function isOpen(word: string): boolean {
  if (word === "[" || word === "[[") return false;
  return word.includes(EXPANSION) || /[*?[]/.test(word) || word.startsWith("~");
}

export function createFindings(): CommandFindings {
  const sets = {
    programs: new Set<string>(),
    paths: new Set<string>(),
    words: new Set<string>(),
    folders: new Set<string>(),
    operands: new Set<string>(),
    codePaths: new Set<string>(),
    unknown: new Set<string>(),
  };
  let git: CommandText["git"] = null;
  let unpinnable: string | null = null;
  let count = 0;

  function leaveOpen(reason: string): void {
    unpinnable ??= reason;
  }

  function add(to: Set<string>, word: string): void {
    if (word === "" || word.includes("\0") || to.has(word)) return;
    count += 1;
    if (count > MAX_WORDS) leaveOpen("it names too many files");
    else to.add(word);
  }

  const isPath = (word: string) =>
    /^\.{0,2}\/|\/|\.[A-Za-z]\w{0,7}$/.test(word) && !/^[a-z][a-z+.-]*:\/\//.test(word);
  const addNamed = (word: string) => add(isPath(word) ? sets.paths : sets.words, word);

  return {
    addProgram: (word) => add(sets.programs, word),
    addUnknown: (program) => add(sets.unknown, program),
    addPath: (word) => add(sets.paths, word),
    addWord: addNamed,
    addArgument(word) {
      if (isOpen(word)) return;
      if (!word.startsWith("-")) return addNamed(word);
      // A value may be joined to its option, with an equals sign or without.
      if (word.includes("=")) addNamed(word.slice(word.indexOf("=") + 1));
      else if (!word.startsWith("--")) add(sets.words, word.slice(2));
    },
    addCodeWord(word) {
      const isFile = /^\.{0,2}\//.test(word);
      add(isFile ? sets.paths : sets.words, word);
      if (isFile) add(sets.codePaths, word);
    },
    addOperand(word) {
      if (isOpen(word)) return;
      add(sets.operands, word);
      add(sets.paths, word);
    },
    addFolder: (word) => add(sets.folders, word),
    addGit(use) {
      git = git === "runsHooks" ? git : use;
    },
    leaveOpen,
    named: () => [...sets.programs, ...sets.paths, ...sets.words],
    text: () => ({
      programs: [...sets.programs],
      paths: [...sets.paths],
      words: [...sets.words],
      folders: [...sets.folders],
      operands: [...sets.operands],
      codePaths: [...sets.codePaths],
      unknown: [...sets.unknown],
      git,
      unpinnable,
    }),
  };
}
