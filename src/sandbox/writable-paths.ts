/**
 * The memory of what confined commands could write, kept for as long as the home: whatever lies there may be theirs,
 * and is neither run nor believed outside of a sandbox. Servers of one home share it.
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
  /** Remembers that a command gets these bounds; to be called before it starts. */
  note(bounds: Pick<Bounds, "roots" | "protectedPaths">): void;
  /** Whether a confined command could have written the file, or turned a link on the way to it. */
  contains(path: string): boolean;
  /** The folders and files themselves. */
  list(): readonly string[];
  /** Another text once there are more of them. */
  version(): string;
}

interface Entry {
  readonly roots: readonly string[];
  readonly kept: readonly string[];
}

const MAX_ENTRIES = 256;
const MAX_BYTES = 4 << 20;
/** Remembered in place of what cannot be read: anything may have been written. */
const EVERYTHING: Entry = { roots: ["/"], kept: [] };

export function openSandboxWritablePaths(
  folder: string,
  user = process.getuid?.() ?? 0,
): SandboxWritablePaths {
  const path = join(folder, "writable-places.jsonl");
  let entries: readonly Entry[] = [];
  let seen = "";

  /** Others add to the file, so that it is looked at each time and read when it has changed. */
  const file = oncePerTick(() => statSync(path, { throwIfNoEntry: false }));
  function refresh(found = file.get()): void {
    const mark = found === undefined ? "" : `${found.ino}:${found.size}:${found.mtimeMs}`;
    if (mark === seen) return;
    entries = found === undefined ? [] : readEntries(path);
    seen = mark;
  }

  return {
    note({ roots, protectedPaths }) {
      if (roots.length === 0) return;
      const entry = { roots: [...roots].sort(), kept: [...protectedPaths].sort() };
      refresh(file.refresh());
      if (entries.some((each) => isSame(each, entry))) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (entries.length < MAX_ENTRIES) appendSync(path, `${JSON.stringify(entry)}\n`, 0o600);
      else replaceFile(path, [merge([...entries, entry])]);
      refresh(file.refresh());
    },
    list() {
      refresh();
      return [...new Set(entries.flatMap(({ roots }) => roots))];
    },
    version() {
      refresh();
      return seen;
    },
    contains(place) {
      refresh();
      if (entries.length === 0) return false;
      const real = realPath(place);
      if (isOutOfReach(real, user)) return false;
      return entries.some(({ roots, kept }) => {
        const isOpen = (each: string) =>
          roots.some((root) => isInside(each, root)) && !kept.some((one) => isInside(each, one));
        if (isOpen(real)) return true;
        const link = findLink(place, roots);
        return link !== null && isOpen(link);
      });
    },
  };
}

/**
 * Whether only the administrator can change a file, whatever is mounted writable: who works in `/` still has no right
 * to the system's programs. A server of the administrator's has it, and so have its commands.
 */
function isOutOfReach(path: string, user: number): boolean {
  if (user === 0) return false;
  for (let place = path; ; place = dirname(place)) {
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found === undefined || found.uid !== 0 || (found.mode & 0o022) !== 0) return false;
    if (place === dirname(place)) return true;
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
    // A torn line, as of a disk that was full.
  }
  return EVERYTHING;
}

function isPaths(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isSame(one: Entry, other: Entry): boolean {
  return JSON.stringify([one.roots, one.kept]) === JSON.stringify([other.roots, other.kept]);
}

/** One entry for many: it says more than they did, and never less. */
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

/** How a command line that is to run outside of every sandbox is looked up. */
export interface ProgramLookup {
  readonly cwd: string;
  readonly path: string | undefined;
  /** Whether a file may be the work of a confined command. */
  readonly isSandboxWritable: (path: string) => boolean;
}

/**
 * The file in a command line, its program or a script that it is given, that a confined command could have written;
 * null for none. What the program reads by itself is not seen.
 */
export function findSandboxWritableFile(
  [program = "", ...args]: readonly string[],
  place: ProgramLookup,
): string | null {
  const { cwd, isSandboxWritable } = place;
  const files = [
    locateProgram(program, place),
    // An option may have its file behind an equals sign.
    ...args.flatMap((arg) => [arg, arg.slice(arg.indexOf("=") + 1)]).map((arg) => resolve(cwd, arg)),
  ];
  return files.find((file) => file !== null && isFile(file) && isSandboxWritable(file)) ?? null;
}

/** For whoever has to move the file, or to decide that it is run all the same. */
export function sandboxWritableReason(file: string): string {
  return `${file} lies where sandboxed commands can write, so that it may be theirs: move it elsewhere, or set workspace_programs = "run"`;
}

/** The file that a name stands for where it is searched for in folders that no confined command writes to. */
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
