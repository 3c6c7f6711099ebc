/** Builds bubblewrap command lines. */
import { accessSync, constants, lstatSync, readdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Bounds } from "../bounds.ts";
import { isInside } from "../inside.ts";
import { type Mount, planMounts } from "../mount-plan.ts";
import type { Masks } from "./masks.ts";
import type { FilterOptions } from "./seccomp-filter.ts";

/** Builds the command line that starts bubblewrap, with a descriptor for the seccomp filter or without. */
export type Launch = (
  program: string,
  call: (filter: number | null) => string[],
  options: FilterOptions,
) => string[];

export interface BubblewrapParts {
  readonly program: string;
  readonly newProc: boolean;
  readonly launch: Launch;
  readonly masks: Masks;
  /** The sandbox's own files, which are read-only for every command. */
  readonly folder: string;
  /** Files and folders that are invisible to every command. */
  readonly hidden: () => readonly string[];
}

export interface WrappedCommand {
  readonly argv: string[];
  readonly release: () => void;
}

export interface ConfineOptions {
  readonly newSession: boolean;
  /** In addition to the paths that are hidden from every command. */
  readonly hidden: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

export function wrapInBubblewrap(
  argv: readonly string[],
  bounds: Bounds,
  { newSession, hidden, variables }: ConfineOptions,
  parts: BubblewrapParts,
): WrappedCommand {
  const { roots, network } = bounds;
  const { readOnly, masks } = protectedMounts(bounds.protectedPaths, parts.masks);
  if (roots.some((root) => isInside(parts.folder, root))) readOnly.push(parts.folder);
  const mounts = planMounts({
    roots,
    readOnly,
    masks: [...masks.values()].flat(),
    ...hiddenMounts([...parts.hidden(), ...hidden]),
  });
  const call = (filterDescriptor: number | null) =>
    bubblewrapArguments({ mounts, network, newProc: parts.newProc, newSession, filterDescriptor, variables });
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

interface ProtectedMounts {
  readonly readOnly: string[];
  /** Missing entries by their folder. */
  readonly masks: Map<string, string[]>;
}

function protectedMounts(paths: readonly string[], masks: Masks): ProtectedMounts {
  const sorted: ProtectedMounts = { readOnly: [], masks: new Map() };
  for (const [folder, entries] of groupByFolder(paths)) {
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

/** Missing paths need no mount. */
function hiddenMounts(paths: readonly string[]): { hidden: string[]; hiddenFiles: string[] } {
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
 * Where a command cannot create entries, no mask is needed, and bubblewrap could not create one either. For root the mode
 * of the folder decides: CAP_DAC_OVERRIDE is dropped in the sandbox.
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

export interface BubblewrapCall {
  readonly mounts: readonly Mount[];
  readonly network: boolean;
  /** Whether a new /proc can be mounted, which some containers forbid. */
  readonly newProc: boolean;
  readonly newSession: boolean;
  /** The descriptor of the seccomp filter; null for none. */
  readonly filterDescriptor: number | null;
  /** Variables that are set for the command only, because they could make bubblewrap itself load workspace files. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** In a new /proc these are writable for user id 0 without any capability; in the old one they are read-only. */
const KERNEL_SETTINGS = ["/proc/sys", "/proc/sysrq-trigger"].flatMap((path) => ["--ro-bind-try", path, path]);

/** The arguments of bubblewrap up to and including the `--` before the command. */
export function bubblewrapArguments(call: BubblewrapCall): string[] {
  const [first, ...rest] = call.mounts;
  const everything = first?.kind === "writable" && first.path === "/";
  const args = everything ? ["--bind", "/", "/"] : ["--ro-bind", "/", "/"];
  args.push("--dev", "/dev");
  for (const mount of everything ? rest : call.mounts) args.push(...mountArguments(mount));
  // Explicit, because root gets no user namespace by default and would keep its capabilities without one.
  args.push("--unshare-user", "--unshare-pid", "--unshare-ipc");
  if (!call.network) args.push("--unshare-net");
  if (call.newProc) args.push("--proc", "/proc", ...KERNEL_SETTINGS);
  if (call.newSession) args.push("--new-session");
  if (call.filterDescriptor !== null) args.push("--seccomp", `${call.filterDescriptor}`);
  for (const [name, value] of Object.entries(call.variables ?? {})) args.push("--setenv", name, value);
  args.push("--die-with-parent", "--cap-drop", "ALL", "--");
  return args;
}

function mountArguments({ kind, path }: Mount): string[] {
  switch (kind) {
    case "writable":
      return ["--bind", path, path];
    case "readOnly":
      return ["--ro-bind", path, path];
    case "mask":
      return ["--perms", "555", "--tmpfs", path, "--remount-ro", path];
    case "hidden":
      return ["--perms", "000", "--tmpfs", path, "--remount-ro", path];
    case "hiddenFile":
      return ["--ro-bind", "/dev/null", path];
  }
}
