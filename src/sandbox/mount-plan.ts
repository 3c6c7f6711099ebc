/** In which order which paths are mounted, so that the most specific rule decides about every file. */
import { dirname, sep } from "node:path";
import type { Bounds } from "./bounds.ts";
import { isInside } from "./inside.ts";

export type Mount =
  | { readonly kind: "writable"; readonly path: string }
  | { readonly kind: "readOnly"; readonly path: string }
  /** Stands where nothing is, so that nothing can be put there. */
  | { readonly kind: "mask"; readonly path: string }
  /** Covers a folder that commands are to know nothing of. */
  | { readonly kind: "hidden"; readonly path: string }
  /** The same for a file. */
  | { readonly kind: "hiddenFile"; readonly path: string };

export interface MountRequest {
  readonly roots: Bounds["roots"];
  readonly readOnly: readonly string[];
  readonly masks: readonly string[];
  readonly hidden: readonly string[];
  readonly hiddenFiles?: readonly string[];
}

const STRENGTH = { writable: 0, readOnly: 1, mask: 2, hidden: 3, hiddenFile: 3 } as const;

/**
 * A later mount covers whatever an earlier one put below it, so that outer folders come first. What restricts
 * comes after what opens the same path. Folders between a root and a mount below it are mounted on themselves: a
 * mount point cannot be renamed, and renaming them would carry the protected path away and leave its name free.
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
    (one, other) => depth(one.path) - depth(other.path) || STRENGTH[one.kind] - STRENGTH[other.kind],
  );
  const planned: Mount[] = [];
  const taken = new Set(ordered.map(({ path }) => path));
  for (const mount of ordered) {
    const cover = planned.findLast(({ path }) => isInside(mount.path, path));
    if (cover?.kind === "writable") {
      for (const path of foldersBetween(cover.path, mount.path)) {
        if (taken.has(path)) continue;
        taken.add(path);
        planned.push({ kind: "writable", path });
      }
    }
    planned.push(mount);
  }
  return planned;
}

/** The folders above a path and below a root that it lies in, the outermost first. */
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
