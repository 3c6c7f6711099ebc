/** Orders mounts so that the most specific rule applies to every file. */
import { dirname, sep } from "node:path";
import type { Bounds } from "./bounds.ts";
import { isInside } from "./inside.ts";

export type Mount =
  | { readonly kind: "writable"; readonly path: string }
  | { readonly kind: "readOnly"; readonly path: string }
  /** Covers a missing path, so that it cannot be created. */
  | { readonly kind: "mask"; readonly path: string }
  /** Covers a folder that must be invisible to commands. */
  | { readonly kind: "hidden"; readonly path: string }
  /** Covers a file that must be invisible to commands. */
  | { readonly kind: "hiddenFile"; readonly path: string };

export interface MountRequest {
  readonly roots: Bounds["roots"];
  readonly readOnly: readonly string[];
  readonly masks: readonly string[];
  readonly hidden: readonly string[];
  readonly hiddenFiles?: readonly string[];
}

const STRICTNESS = { writable: 0, readOnly: 1, mask: 2, hidden: 3, hiddenFile: 3 } as const;

/**
 * A later mount covers earlier mounts below it, so outer folders come first. For the same path, a restriction comes after
 * a permission. Folders between a root and a mount below it are mounted on themselves: a mount point cannot be renamed,
 * and renaming them would move the protected path away and leave its name free.
 */
export function planMounts(request: MountRequest): Mount[] {
  const mounts: Mount[] = [
    ...request.roots.map((path) => ({ kind: "writable", path }) as const),
    ...request.readOnly.map((path) => ({ kind: "readOnly", path }) as const),
    ...request.masks.map((path) => ({ kind: "mask", path }) as const),
    ...request.hidden.map((path) => ({ kind: "hidden", path }) as const),
    ...(request.hiddenFiles ?? []).map((path) => ({ kind: "hiddenFile", path }) as const),
  ];
  const ordered = mounts.sort(
    (one, other) => depth(one.path) - depth(other.path) || STRICTNESS[one.kind] - STRICTNESS[other.kind],
  );
  const planned: Mount[] = [];
  const mounted = new Set(ordered.map(({ path }) => path));
  for (const mount of ordered) {
    const enclosing = planned.findLast(({ path }) => isInside(mount.path, path));
    if (enclosing?.kind === "writable") {
      for (const path of foldersBetween(enclosing.path, mount.path)) {
        if (mounted.has(path)) continue;
        mounted.add(path);
        planned.push({ kind: "writable", path });
      }
    }
    planned.push(mount);
  }
  return planned;
}

/** The folders between a root and a path below it, outermost first. */
function foldersBetween(root: string, path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); isInside(folder, root) && folder !== root; folder = dirname(folder)) {
    folders.unshift(folder);
  }
  return folders;
}

function depth(path: string): number {
  return path === sep ? 0 : path.split(sep).length - 1;
}
