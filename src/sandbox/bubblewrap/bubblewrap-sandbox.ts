/** Puts commands into bubblewrap. */
import { accessSync, constants, lstatSync, readdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Bounds } from "../bounds.ts";
import { isInside } from "../inside.ts";
import { planMounts } from "../mount-plan.ts";
import { bubblewrapArguments } from "./arguments.ts";
import type { Launch } from "./find-bubblewrap.ts";
import type { Masks } from "./masks.ts";

export interface BubblewrapParts {
  readonly program: string;
  readonly ownProc: boolean;
  readonly launch: Launch;
  readonly masks: Masks;
  /** Our own files, which no command may change whatever it may write. */
  readonly folder: string;
  /** Files and folders that commands are to know nothing of. */
  readonly hidden: () => readonly string[];
}

export interface Confined {
  readonly argv: string[];
  readonly release: () => void;
}

export interface ConfineOptions {
  readonly newSession: boolean;
  /** Besides what is hidden from every command. */
  readonly hidden: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

export function confine(
  argv: readonly string[],
  bounds: Bounds,
  { newSession, hidden, variables }: ConfineOptions,
  parts: BubblewrapParts,
): Confined {
  const { roots, network } = bounds;
  const { readOnly, masks } = sortKept(bounds.kept, parts.masks);
  if (roots.some((root) => isInside(parts.folder, root))) readOnly.push(parts.folder);
  const mounts = planMounts({
    roots,
    readOnly,
    masks: [...masks.values()].flat(),
    ...sortHidden([...parts.hidden(), ...hidden]),
  });
  const call = (filterDescriptor: number | null) =>
    bubblewrapArguments({ mounts, network, ownProc: parts.ownProc, newSession, filterDescriptor, variables });
  const start = parts.launch(parts.program, call, { network });
  for (const folder of masks.keys()) parts.masks.claim(folder);
  let released = false;
  return {
    argv: [...start, ...argv],
    release() {
      if (released) return;
      released = true;
      for (const [folder, entries] of masks) parts.masks.release(folder, entries);
    },
  };
}

interface SortedKept {
  readonly readOnly: string[];
  /** By the folder that they are missing in. */
  readonly masks: Map<string, string[]>;
}

function sortKept(kept: readonly string[], masks: Masks): SortedKept {
  const sorted: SortedKept = { readOnly: [], masks: new Map() };
  for (const [folder, entries] of groupByFolder(kept)) {
    const missing: string[] = [];
    for (const path of entries) {
      const found = lstatSync(path, { throwIfNoEntry: false });
      const isEmpty = found?.isDirectory() === true && readdirSync(path).length === 0;
      const isGone = found === undefined || (isEmpty && masks.holds(folder));
      (isGone ? missing : sorted.readOnly).push(path);
    }
    if (missing.length > 0 && canCreateIn(folder)) sorted.masks.set(folder, missing);
  }
  return sorted;
}

/** What is not there needs no cover. */
function sortHidden(paths: readonly string[]): { hidden: string[]; hiddenFiles: string[] } {
  const found = paths.flatMap((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ path, isFolder: stat.isDirectory() }];
  });
  return {
    hidden: found.filter(({ isFolder }) => isFolder).map(({ path }) => path),
    hiddenFiles: found.filter(({ isFolder }) => !isFolder).map(({ path }) => path),
  };
}

function groupByFolder(paths: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const folder = dirname(path);
    const group = groups.get(folder);
    if (group === undefined) groups.set(folder, [path]);
    else group.push(path);
  }
  return groups;
}

/**
 * Where a command cannot make an entry, none needs to be kept from it, and bubblewrap could not either. Root is
 * judged by the file's mode: its right to write everywhere does not go into the sandbox.
 */
function canCreateIn(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    return false;
  }
  if (process.getuid?.() !== 0) return true;
  const { uid, gid, mode } = statSync(folder);
  return (mode & 0o002) !== 0 || (uid === 0 && (mode & 0o200) !== 0) || (gid === 0 && (mode & 0o020) !== 0);
}
