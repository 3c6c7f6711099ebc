/**
 * Walks the files and folders below a root, breadth first. Hidden files are included, symlinks are followed, and ignored
 * files are skipped: by `.gitignore` within a repository, and by `.ignore` everywhere.
 */
import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Fifo } from "../base/lanes.ts";
import { readTextSync } from "../base/read-regular-file.ts";
import { type IgnoreRules, parseIgnoreRules } from "./ignore-rules.ts";

export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  readonly isFolder: boolean;
}

interface ScopedRules {
  readonly folder: string;
  readonly rules: IgnoreRules;
}

/** The ignore rules that apply in a folder, nearest first. */
interface IgnoreContext {
  readonly ignore: readonly ScopedRules[];
  readonly git: readonly ScopedRules[];
  readonly exclude: readonly ScopedRules[];
  readonly isInGit: boolean;
}

interface Folder {
  readonly path: string;
  readonly real: string;
  readonly parent: Folder | null;
  readonly context: IgnoreContext;
}

export interface FileWalkOptions {
  /** The user's global ignore file, which applies in every repository; null for none. */
  readonly userIgnoreFile: string | null;
}

/** A longer ignore file is skipped. */
const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

/** Yields the entries of each folder. */
export function* walkFiles(root: string, { userIgnoreFile }: FileWalkOptions): Generator<FoundFile[]> {
  const real = orNull(() => realpathSync(root));
  if (real === null) return;
  const user = userIgnoreFile === null ? [] : readRules(userIgnoreFile, root);
  const noRules: IgnoreContext = { ignore: [], git: [], exclude: [], isInGit: false };
  const above = ancestorsOf(root).reduce((context, folder) => enter(context, folder, null), noRules);
  const folders = new Fifo<Folder>();
  folders.push({ path: root, real, parent: null, context: above });
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const { path } = folder;
    const entries = orNull(() => readdirSync(path, { withFileTypes: true })) ?? [];
    const context = enter(folder.context, path, entries);
    const found: FoundFile[] = [];
    for (const entry of entries) {
      const one = resolveEntry(entry, folder);
      if (one === null || isHidden(one, context, user)) continue;
      found.push(one);
      if (one.isFolder) folders.push({ path: one.path, real: one.real, parent: folder, context });
    }
    yield found;
  }
}

/** Resolves an entry through symlinks; null for a dangling symlink or a cycle. */
function resolveEntry(entry: Dirent, folder: Folder): (FoundFile & { readonly real: string }) | null {
  const path = joinName(folder.path, entry.name);
  if (!entry.isSymbolicLink()) {
    const isFolder = entry.isDirectory();
    return { path, real: isFolder ? joinName(folder.real, entry.name) : path, isFolder };
  }
  const stats = orNull(() => statSync(path));
  if (stats === null) return null;
  const real = orNull(() => realpathSync(path)) ?? path;
  if (stats.isDirectory() && isCycle(real, folder)) return null;
  return { path, real, isFolder: stats.isDirectory() };
}

/** Like `join` for a plain name, at a fraction of its cost. */
function joinName(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

function isCycle(real: string, folder: Folder): boolean {
  for (let at: Folder | null = folder; at !== null; at = at.parent) if (at.real === real) return true;
  return false;
}

function ancestorsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...ancestorsOf(parent), parent];
}

/** Adds the rules of a folder; without `entries`, the file system is checked. */
function enter(context: IgnoreContext, folder: string, entries: readonly Dirent[] | null): IgnoreContext {
  const has = (name: string): boolean =>
    entries === null ? existsSync(join(folder, name)) : entries.some((entry) => entry.name === name);
  const read = (name: string): ScopedRules[] => (has(name) ? readRules(join(folder, name), folder) : []);
  const ignore = [...read(".ignore"), ...context.ignore];
  if (has(".git")) {
    const exclude = readRules(join(folder, ".git/info/exclude"), folder);
    return { ignore, git: read(".gitignore"), exclude, isInGit: true };
  }
  return { ...context, ignore, git: context.isInGit ? [...read(".gitignore"), ...context.git] : [] };
}

function readRules(file: string, folder: string): ScopedRules[] {
  const text = readTextSync(file, MAX_IGNORE_FILE_BYTES);
  return text === null ? [] : [{ folder, rules: parseIgnoreRules(text) }];
}

function isHidden(file: FoundFile, context: IgnoreContext, user: readonly ScopedRules[]): boolean {
  const byIgnore = decide(file, context.ignore);
  if (byIgnore !== null || !context.isInGit) return byIgnore ?? false;
  return decide(file, context.git) ?? decide(file, context.exclude) ?? decide(file, user) ?? false;
}

function decide({ path, isFolder }: FoundFile, all: readonly ScopedRules[]): boolean | null {
  for (const { folder, rules } of all) {
    const decision = rules.decide(path.slice(folder === "/" ? 1 : folder.length + 1), isFolder);
    if (decision !== null) return decision;
  }
  return null;
}

/** Null on errors, so that an unreadable folder counts as empty. */
function orNull<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
