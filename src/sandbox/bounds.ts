/** What a policy asks for, in terms of this machine's files. */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { readTextSync } from "../base/read-regular-file.ts";
import type { SandboxPolicy } from "../protocol/generated/types.ts";
import { type Guard, NO_GUARD } from "./guard.ts";
import { findLink, isInside } from "./inside.ts";
import type { SandboxCommand, WrapOptions } from "./sandbox.ts";

export interface Bounds {
  readonly network: boolean;
  /** Existing folders and files that may be written, links resolved, each once. */
  readonly roots: readonly string[];
  /** Paths below the roots that stay as they are, whether they exist or not. */
  readonly protectedPaths: readonly string[];
}

export type BoundsOutcome =
  | { readonly kind: "unbounded"; readonly network: boolean }
  | { readonly kind: "bounded"; readonly bounds: Bounds }
  | { readonly kind: "refused"; readonly reason: string };

/** Names at the top of a writable folder that configure tools and agents outside of the sandbox. */
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
      return boundsFor({ wanted: extraWritableRoots, network: policy.networkAccess === true, guard });
    case "workspaceWrite": {
      const tmpdir = command.env["TMPDIR"] ?? "";
      const wanted = [policyCwd, ...(policy.writableRoots ?? []), ...extraWritableRoots];
      const temporary = policy.excludeSlashTmp === true ? [] : ["/tmp"];
      if (policy.excludeTmpdirEnvVar !== true && tmpdir !== "") temporary.push(tmpdir);
      return boundsFor({ wanted, temporary, network: policy.networkAccess === true, guard });
    }
  }
}

interface WriteAccess {
  readonly wanted: readonly string[];
  /** Folders for temporary files: everybody uses them, and no project lives there. */
  readonly temporary?: readonly string[];
  readonly network: boolean;
  readonly guard: Guard;
}

function boundsFor({ wanted, temporary = [], network, guard }: WriteAccess): BoundsOutcome {
  const places = guard.places();
  const mayBeRoot = ({ real }: Located) =>
    !places.some((place) => isInside(real, place)) || guard.isOpen(real);
  const locateAll = (paths: readonly string[]) => paths.filter(isAbsolute).flatMap(locate).filter(mayBeRoot);
  const lasting = new Set(locateAll(wanted).map(({ real }) => real));
  const found = locateAll([...wanted, ...temporary]);
  const roots = [...new Set(found.map(({ real }) => real))];
  // A command could turn such a link to anywhere, and the next command would find that place writable, or the next
  // server take that place for its own.
  const turned = [
    ...found.filter(({ path, real }) => path !== real).map(({ path }) => path),
    ...guard.named(),
  ].flatMap((path) => {
    const link = findLink(path, roots);
    return link === null ? [] : [`${path} leads through ${link}, a link that commands may change`];
  });
  if (turned[0] !== undefined) return { kind: "refused", reason: turned[0] };
  const protectedPaths = new Set<string>();
  const names = [...PROTECTED_NAMES, ...guard.protectedNames()];
  for (const root of roots) {
    if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) continue;
    if (lasting.has(root)) for (const name of names) protectedPaths.add(join(root, name));
    for (const folder of gitFolders(join(root, ".git"))) {
      if (roots.some((each) => isInside(folder, each))) protectedPaths.add(folder);
    }
  }
  for (const root of roots) protectedPaths.delete(root);
  for (const place of places) if (roots.some((root) => isInside(place, root))) protectedPaths.add(place);
  // A link could be replaced, whatever is mounted on what it leads to.
  const link = [...protectedPaths].find((path) =>
    lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink(),
  );
  if (link !== undefined)
    return { kind: "refused", reason: `${link} is a link, which cannot be kept as it is` };
  return { kind: "bounded", bounds: { network, roots, protectedPaths: [...protectedPaths] } };
}

interface Located {
  readonly path: string;
  readonly real: string;
}

/** Nothing for a root that is not there: what does not exist cannot be opened for writing. */
function locate(path: string): Located[] {
  try {
    return [{ path, real: realpathSync.native(path) }];
  } catch {
    return [];
  }
}

const MAX_BYTES = 8192;

/**
 * The folders that a `.git` file points to: its own git folder, and the one that it shares with the main worktree,
 * which holds the hooks. Nothing where `.git` is a folder, or is not there.
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
