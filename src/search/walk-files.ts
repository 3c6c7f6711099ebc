/**
 * Finds the files and folders below a root, the shallow ones first. Hidden ones are found, links are followed, and
 * what git would ignore is left out: the rules of `.gitignore` within a repository, those of `.ignore` everywhere.
 */
import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFifo } from "../base/lanes.ts";
import { readTextSync } from "../base/read-regular-file.ts";
import { type IgnoreRules, parseIgnoreRules } from "./ignore-rules.ts";

export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  readonly isFolder: boolean;
}

interface PlacedRules {
  readonly folder: string;
  readonly rules: IgnoreRules;
}

/** The rules that hold in a folder, the closest first. */
interface IgnoreContext {
  readonly ignore: readonly PlacedRules[];
  readonly git: readonly PlacedRules[];
  readonly exclude: readonly PlacedRules[];
  readonly isInGit: boolean;
}

interface Folder {
  readonly path: string;
  readonly real: string;
  readonly parent: Folder | null;
  readonly context: IgnoreContext;
}

export interface WalkOptions {
  /** The user's own ignore file, which holds in every repository; null for none. */
  readonly userIgnoreFile: string | null;
}

/** A longer file of rules hides nothing. */
const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

/** Yields once for every folder, with all that is in it. */
export function* walkFiles(root: string, { userIgnoreFile }: WalkOptions): Generator<FoundFile[]> {
  const real = attempt(() => realpathSync(root));
  if (real === null) return;
  const user = userIgnoreFile === null ? [] : readRules(userIgnoreFile, root);
  const nothing: IgnoreContext = { ignore: [], git: [], exclude: [], isInGit: false };
  const above = ancestorsOf(root).reduce((context, folder) => enter(context, folder, null), nothing);
  const folders = createFifo<Folder>();
  folders.push({ path: root, real, parent: null, context: above });
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const { path } = folder;
    const entries = attempt(() => readdirSync(path, { withFileTypes: true })) ?? [];
    const context = enter(folder.context, path, entries);
    const found: FoundFile[] = [];
    for (const entry of entries) {
      const one = look(entry, folder);
      if (one === null || isHidden(one, context, user)) continue;
      found.push(one);
      if (one.isFolder) folders.push({ path: one.path, real: one.real, parent: folder, context });
    }
    yield found;
  }
}

/** What an entry is, through links; null for one that leads nowhere or back to where we came from. */
function look(entry: Dirent, folder: Folder): (FoundFile & { readonly real: string }) | null {
  const path = below(folder.path, entry.name);
  if (!entry.isSymbolicLink()) {
    const isFolder = entry.isDirectory();
    return { path, real: isFolder ? below(folder.real, entry.name) : path, isFolder };
  }
  const about = attempt(() => statSync(path));
  if (about === null) return null;
  const real = attempt(() => realpathSync(path)) ?? path;
  if (about.isDirectory() && leadsBack(real, folder)) return null;
  return { path, real, isFolder: about.isDirectory() };
}

/** What `join` does for a plain name, at a fraction of its price. */
function below(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

function leadsBack(real: string, folder: Folder): boolean {
  for (let at: Folder | null = folder; at !== null; at = at.parent) if (at.real === real) return true;
  return false;
}

function ancestorsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...ancestorsOf(parent), parent];
}

/** Adds what a folder says itself; without its entries, files are looked for. */
function enter(context: IgnoreContext, folder: string, entries: readonly Dirent[] | null): IgnoreContext {
  const has = (name: string): boolean =>
    entries === null ? existsSync(join(folder, name)) : entries.some((entry) => entry.name === name);
  const read = (name: string): PlacedRules[] => (has(name) ? readRules(join(folder, name), folder) : []);
  const ignore = [...read(".ignore"), ...context.ignore];
  if (has(".git")) {
    const exclude = readRules(join(folder, ".git/info/exclude"), folder);
    return { ignore, git: read(".gitignore"), exclude, isInGit: true };
  }
  return { ...context, ignore, git: context.isInGit ? [...read(".gitignore"), ...context.git] : [] };
}

function readRules(file: string, folder: string): PlacedRules[] {
  const text = readTextSync(file, MAX_IGNORE_FILE_BYTES);
  return text === null ? [] : [{ folder, rules: parseIgnoreRules(text) }];
}

function isHidden(file: FoundFile, context: IgnoreContext, user: readonly PlacedRules[]): boolean {
  const byIgnore = decide(file, context.ignore);
  if (byIgnore !== null || !context.isInGit) return byIgnore ?? false;
  return decide(file, context.git) ?? decide(file, context.exclude) ?? decide(file, user) ?? false;
}

function decide({ path, isFolder }: FoundFile, all: readonly PlacedRules[]): boolean | null {
  for (const { folder, rules } of all) {
    const decision = rules.decide(path.slice(folder === "/" ? 1 : folder.length + 1), isFolder);
    if (decision !== null) return decision;
  }
  return null;
}

/** A folder that cannot be read is as good as empty. */
function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}
