/** Resolves a sandbox policy to paths on this machine. */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { readTextSync } from "../base/read-regular-file.ts";
import type { SandboxPolicy } from "../protocol/generated/types.ts";
import { type Guard, NO_GUARD } from "./guard.ts";
import { findLink, isInside } from "./inside.ts";
import type { SandboxCommand, WrapOptions } from "./sandbox.ts";

export interface Bounds {
  readonly network: boolean;
  /** Existing writable folders and files, with symlinks resolved and without duplicates. */
  readonly roots: readonly string[];
  /** Read-only paths below the roots, whether they exist or not. */
  readonly protectedPaths: readonly string[];
}

export type BoundsOutcome =
  | { readonly kind: "unbounded"; readonly network: boolean }
  | { readonly kind: "bounded"; readonly bounds: Bounds }
  | { readonly kind: "refused"; readonly reason: string };

/** Names at the top of a writable folder that configure tools and agents outside the sandbox. */
export const PROTECTED_NAMES = [".git", ".agents", ".codex", ".aws"] as const;

export function readBounds(
  policy: SandboxPolicy,
  command: SandboxCommand,
  { policyCwd, extraWritableRoots = [] }: WrapOptions,
  guard: Guard = NO_GUARD,
): BoundsOutcome {
  switch (policy.type) {
    case "dangerFullAccess":
      return { kind: "unbounded", network: true };
    case "externalSandbox":
      return { kind: "unbounded", network: policy.networkAccess === "enabled" };
    case "readOnly":
      return boundsFor({ requested: extraWritableRoots, network: policy.networkAccess === true, guard });
    case "workspaceWrite": {
      const tmpdir = command.env["TMPDIR"] ?? "";
      const requested = [policyCwd, ...(policy.writableRoots ?? []), ...extraWritableRoots];
      const temporary = policy.excludeSlashTmp === true ? [] : ["/tmp"];
      if (policy.excludeTmpdirEnvVar !== true && tmpdir !== "") temporary.push(tmpdir);
      return boundsFor({ requested, temporary, network: policy.networkAccess === true, guard });
    }
  }
}

interface WriteAccess {
  readonly requested: readonly string[];
  /** Folders for temporary files: they are shared, and contain no project whose files need protection. */
  readonly temporary?: readonly string[];
  readonly network: boolean;
  readonly guard: Guard;
}

function boundsFor({ requested, temporary = [], network, guard }: WriteAccess): BoundsOutcome {
  const guardedPaths = guard.realPaths();
  const mayBeRoot = ({ real }: ResolvedPath) =>
    !guardedPaths.some((guarded) => isInside(real, guarded)) || guard.isExempt(real);
  const resolveAll = (paths: readonly string[]) =>
    paths.filter(isAbsolute).flatMap(resolveExisting).filter(mayBeRoot);
  const projectRoots = new Set(resolveAll(requested).map(({ real }) => real));
  const found = resolveAll([...requested, ...temporary]);
  const roots = [...new Set(found.map(({ real }) => real))];
  // A command could retarget such a symlink: the next command would get write access to the new target, or the next
  // server would use it as its own folder.
  const unsafeLinks = [
    ...found.filter(({ path, real }) => path !== real).map(({ path }) => path),
    ...guard.paths(),
  ].flatMap((path) => {
    const link = findLink(path, roots);
    return link === null ? [] : [`${path} passes through ${link}, a symlink that commands may change`];
  });
  if (unsafeLinks[0] !== undefined) return { kind: "refused", reason: unsafeLinks[0] };
  const protectedPaths = new Set<string>();
  const names = [...PROTECTED_NAMES, ...guard.protectedNames()];
  for (const root of roots) {
    if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) continue;
    if (projectRoots.has(root)) for (const name of names) protectedPaths.add(join(root, name));
    for (const folder of gitFolders(join(root, ".git"))) {
      if (roots.some((each) => isInside(folder, each))) protectedPaths.add(folder);
    }
  }
  for (const root of roots) protectedPaths.delete(root);
  for (const guarded of guardedPaths)
    if (roots.some((root) => isInside(guarded, root))) protectedPaths.add(guarded);
  // A symlink could be replaced, whatever is mounted on its target.
  const link = [...protectedPaths].find((path) =>
    lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink(),
  );
  if (link !== undefined)
    return { kind: "refused", reason: `${link} is a symlink, which cannot be protected from changes` };
  return { kind: "bounded", bounds: { network, roots, protectedPaths: [...protectedPaths] } };
}

interface ResolvedPath {
  readonly path: string;
  readonly real: string;
}

/** Empty for a missing root: a path that does not exist cannot be mounted writable. */
function resolveExisting(path: string): ResolvedPath[] {
  try {
    return [{ path, real: realpathSync.native(path) }];
  } catch {
    return [];
  }
}

const MAX_BYTES = 8192;

/**
 * The folders that a `.git` file points to: the worktree's git folder, and the one shared with the main worktree, which
 * holds the hooks. Empty if `.git` is a folder or missing.
 */
export function gitFolders(dotGit: string): string[] {
  const pointer = readTextSync(dotGit, MAX_BYTES)
    ?.trim()
    .match(/^gitdir:\s*(.+)$/)?.[1];
  if (pointer === undefined) return [];
  const own = resolve(dirname(dotGit), pointer);
  const shared = readTextSync(join(own, "commondir"), MAX_BYTES);
  const folders = shared === null ? [own] : [own, resolve(own, shared.trim())];
  return folders.flatMap(existingRealPath);
}

function existingRealPath(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}
