/**
 * A persistent record of all paths that sandboxed commands could ever write, kept in the home: files there may have been
 * written by such a command, and are neither executed nor trusted outside of a sandbox. Servers of one home share it.
 */
import { lstatSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { isExecutable, isFile, realPath } from "../base/file-system.ts";
import { isObject } from "../base/json-object.ts";
import { appendSync } from "../base/open-regular-file.ts";
import { readTextSync } from "../base/read-regular-file.ts";
import { oncePerTick } from "../base/tasks.ts";
import type { Bounds } from "./bounds.ts";
import { findLink, isInside } from "./inside.ts";

export interface SandboxWritablePaths {
  /** Records the bounds of a command; must be called before it starts. */
  note(bounds: Pick<Bounds, "roots" | "protectedPaths">): void;
  /** Whether a sandboxed command could have written the file, or changed a symlink in its path. */
  contains(path: string): boolean;
  /** All recorded roots. */
  list(): readonly string[];
  /** A version string that changes when roots are added. */
  version(): string;
}

interface Entry {
  readonly roots: readonly string[];
  readonly kept: readonly string[];
}

const MAX_ENTRIES = 256;
const MAX_BYTES = 4 << 20;
/** Replaces unreadable entries, failing closed: anything may have been written. */
const EVERYTHING: Entry = { roots: ["/"], kept: [] };

export function openSandboxWritablePaths(
  folder: string,
  user = process.getuid?.() ?? 0,
): SandboxWritablePaths {
  const path = join(folder, "writable-places.jsonl");
  let entries: readonly Entry[] = [];
  let fileVersion = "";

  /** Other servers append to the file, so it is checked on each access and reloaded when it has changed. */
  const file = oncePerTick(() => statSync(path, { throwIfNoEntry: false }));
  function reload(stats = file.get()): void {
    const version = stats === undefined ? "" : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
    if (version === fileVersion) return;
    entries = stats === undefined ? [] : readEntries(path);
    fileVersion = version;
  }

  return {
    note({ roots, protectedPaths }) {
      if (roots.length === 0) return;
      const entry = { roots: [...roots].sort(), kept: [...protectedPaths].sort() };
      reload(file.refresh());
      if (entries.some((each) => isSame(each, entry))) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (entries.length < MAX_ENTRIES) appendSync(path, `${JSON.stringify(entry)}\n`, 0o600);
      else replaceFile(path, [merge([...entries, entry])]);
      reload(file.refresh());
    },
    list() {
      reload();
      return [...new Set(entries.flatMap(({ roots }) => roots))];
    },
    version() {
      reload();
      return fileVersion;
    },
    contains(candidate) {
      reload();
      if (entries.length === 0) return false;
      const real = realPath(candidate);
      if (isRootOnly(real, user)) return false;
      return entries.some(({ roots, kept }) => {
        const isWritable = (each: string) =>
          roots.some((root) => isInside(each, root)) && !kept.some((one) => isInside(each, one));
        if (isWritable(real)) return true;
        const link = findLink(candidate, roots);
        return link !== null && isWritable(link);
      });
    },
  };
}

/**
 * Whether only root can change a file, even if it is mounted writable: with `/` as workspace, a normal user still cannot
 * write to the system's programs. A server that runs as root can, and so can its commands.
 */
function isRootOnly(path: string, user: number): boolean {
  if (user === 0) return false;
  for (let current = path; ; current = dirname(current)) {
    const stats = lstatSync(current, { throwIfNoEntry: false });
    if (stats === undefined || stats.uid !== 0 || (stats.mode & 0o022) !== 0) return false;
    if (current === dirname(current)) return true;
  }
}

function readEntries(file: string): Entry[] {
  const text = readTextSync(file, MAX_BYTES);
  if (text === null) return [EVERYTHING];
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map(parseEntry);
}

function parseEntry(line: string): Entry {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value) && isPaths(value["roots"]) && isPaths(value["kept"]))
      return { roots: value["roots"], kept: value["kept"] };
  } catch {
    // A torn line, for example after a full disk.
  }
  return EVERYTHING;
}

function isPaths(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isSame(one: Entry, other: Entry): boolean {
  return JSON.stringify([one.roots, one.kept]) === JSON.stringify([other.roots, other.kept]);
}

/** Merges entries into one that covers at least the same paths, and possibly more. */
function merge(entries: readonly Entry[]): Entry {
  let roots = outermost(entries.flatMap((entry) => entry.roots));
  while (roots.length > MAX_ENTRIES / 2) roots = outermost(roots.map((root) => dirname(root)));
  return { roots, kept: [] };
}

function outermost(paths: readonly string[]): string[] {
  const all = [...new Set(paths)].sort((one, other) => one.length - other.length);
  const kept: string[] = [];
  for (const path of all) if (!kept.some((each) => isInside(path, each))) kept.push(path);
  return kept;
}

function replaceFile(file: string, entries: readonly Entry[]): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""), { mode: 0o600 });
  renameSync(draft, file);
}

/** How the program of an unsandboxed command line is looked up. */
export interface ProgramLookup {
  readonly cwd: string;
  readonly path: string | undefined;
  /** Whether a sandboxed command may have written a file. */
  readonly isSandboxWritable: (path: string) => boolean;
}

/**
 * The first file in a command line, its program or a script argument, that a sandboxed command could have written; null
 * for none. Files that the program reads by itself are not checked.
 */
export function findSandboxWritableFile(
  [program = "", ...args]: readonly string[],
  lookup: ProgramLookup,
): string | null {
  const { cwd, isSandboxWritable } = lookup;
  const files = [
    locateProgram(program, lookup),
    // An option may be followed by an equals sign and its file.
    ...args.flatMap((arg) => [arg, arg.slice(arg.indexOf("=") + 1)]).map((arg) => resolve(cwd, arg)),
  ];
  return files.find((file) => file !== null && isFile(file) && isSandboxWritable(file)) ?? null;
}

/** The error message for such a file, with the two ways to resolve it. */
export function sandboxWritableReason(file: string): string {
  return `${file} lies where sandboxed commands can write, so one of them may have written it: move it elsewhere, or set workspace_programs = "run"`;
}

/** Looks up a program in PATH, skipping files that a sandboxed command could have written. */
export function findTrustedProgram(
  name: string,
  { path, isSandboxWritable }: Omit<ProgramLookup, "cwd">,
): string | null {
  const files = (path ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
  return files.find((file) => isExecutable(file) && !isSandboxWritable(file)) ?? null;
}

function locateProgram(program: string, { cwd, path }: ProgramLookup): string | null {
  if (program.includes("/")) return resolve(cwd, program);
  const files = (path ?? "").split(delimiter).map((folder) => resolve(cwd, folder, program));
  return files.find(isExecutable) ?? null;
}
