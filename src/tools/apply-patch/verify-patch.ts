/**
 * Verifies, before permission is requested, that a patch applies to the current files, and computes the
 * changes that clients are shown.
 */
import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { runWithDeadline } from "../../base/thread-pool.ts";
import type { FileUpdateChange } from "../../protocol/generated/types.ts";
import { unifiedDiff } from "../diff/unified-diff.ts";
import type { Hunk, UpdateHunk } from "./patch.ts";
import { type PatchFileSystem, readText, resolveEntry, resolvePatchTarget } from "./patch-file-system.ts";
import { updateText } from "./update-text.ts";

export type VerifiedPatch =
  | {
      readonly kind: "fits";
      /** Sorted by path. */
      readonly changes: FileUpdateChange[];
      /** Every entry and file that the patch changes, with symlinks resolved. */
      readonly paths: readonly string[];
    }
  | { readonly kind: "refused"; readonly message: string };

type VerifiedHunk =
  | { readonly kind: "change"; readonly change: FileUpdateChange }
  | { readonly kind: "refused"; readonly message: string };

const CONTEXT_LINES = 1;

export async function verifyPatch(
  fs: PatchFileSystem,
  hunks: readonly Hunk[],
  cwd: string,
): Promise<VerifiedPatch> {
  const changes = new Map<string, FileUpdateChange>();
  for (const hunk of hunks) {
    const path = resolve(cwd, hunk.path);
    if (changes.has(path)) {
      return { kind: "refused", message: `invalid patch: multiple operations target ${path}` };
    }
    const silent = await findUnresponsive(
      hunk.kind === "update" && hunk.moveTo ? [path, resolve(cwd, hunk.moveTo)] : [path],
    );
    if (silent !== null) return { kind: "refused", message: `the file system of ${silent} does not answer` };
    const verified = await verifyHunk(fs, hunk, path, cwd);
    if (verified.kind === "refused") return verified;
    changes.set(path, verified.change);
  }
  return {
    kind: "fits",
    changes: [...changes.values()].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path))),
    paths: await touchedPaths(fs, hunks, cwd),
  };
}

/** The first path on a mount that does not respond; any later operation there would block indefinitely. */
async function findUnresponsive(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    if ((await runWithDeadline(path, () => lstat(path).catch(() => null))).kind === "timeout") return path;
  }
  return null;
}

/**
 * The decision must be based on resolved symlinks, both those that lead out of a folder and those that lead
 * into it.
 */
async function touchedPaths(fs: PatchFileSystem, hunks: readonly Hunk[], cwd: string): Promise<string[]> {
  const paths = new Set<string>();
  for (const hunk of hunks) {
    const named = resolve(cwd, hunk.path);
    if (hunk.kind !== "add") paths.add(await resolveEntry(fs, named));
    if (hunk.kind !== "delete") paths.add(await resolvePatchTarget(fs, named));
    if (hunk.kind !== "update" || hunk.moveTo === undefined) continue;
    paths.add(await resolvePatchTarget(fs, resolve(cwd, hunk.moveTo)));
  }
  return [...paths];
}

async function verifyHunk(fs: PatchFileSystem, hunk: Hunk, path: string, cwd: string): Promise<VerifiedHunk> {
  switch (hunk.kind) {
    case "add":
      return { kind: "change", change: { path, kind: { type: "add" }, diff: hunk.text } };
    case "delete": {
      const read = await readText(fs, path);
      if (read.kind === "unreadable") {
        return { kind: "refused", message: `Failed to read ${path}: ${read.reason}` };
      }
      return { kind: "change", change: { path, kind: { type: "delete" }, diff: read.text } };
    }
    case "update":
      return verifyUpdate(fs, hunk, path, cwd);
  }
}

async function verifyUpdate(
  fs: PatchFileSystem,
  hunk: UpdateHunk,
  path: string,
  cwd: string,
): Promise<VerifiedHunk> {
  const read = await readText(fs, path);
  if (read.kind === "unreadable") {
    return { kind: "refused", message: `Failed to read file to update ${path}: ${read.reason}` };
  }
  const updated = updateText(read.text, hunk.chunks, path);
  if (updated.kind === "mismatch") return { kind: "refused", message: updated.message };
  const diff = unifiedDiff(read.text, updated.text, CONTEXT_LINES);
  if (hunk.moveTo === undefined) {
    return { kind: "change", change: { path, kind: { type: "update", move_path: null }, diff } };
  }
  const destination = resolve(cwd, hunk.moveTo);
  return {
    kind: "change",
    change: {
      path,
      kind: { type: "update", move_path: destination },
      diff: `${diff}\n\nMoved to: ${destination}`,
    },
  };
}
