/**
 * Computes the contents of all files after a patch, hunk by hunk, without touching them. A hunk sees the
 * results of the hunks before it. The result is one edit per file, to be applied all together or not at all.
 */
import { resolve } from "node:path";
import { osErrorText } from "../../base/errors.ts";
import type { FileEdit, FileSnapshot } from "../diff/file-diff.ts";
import type { Hunk, UpdateHunk } from "./patch.ts";
import {
  decode,
  isMissing,
  type PatchFileSystem,
  type ReadText,
  readPatchedBytes,
  resolveEntry,
  resolvePatchTarget,
} from "./patch-file-system.ts";
import { updateText } from "./update-text.ts";

/** An edit with the facts needed to apply it. */
export interface PlannedEdit extends FileEdit {
  /** Permission bits to preserve. */
  readonly mode: number | undefined;
  /** The error for the model if this edit fails. */
  readonly failure: string;
}

export interface Summary {
  readonly added: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
}

export type PlannedEdits =
  | { readonly kind: "planned"; readonly edits: readonly PlannedEdit[]; readonly summary: Summary }
  | { readonly kind: "failed"; readonly message: string };

interface Entry {
  readonly before: FileSnapshot | undefined;
  after: FileSnapshot | undefined;
  mode: number | undefined;
  derivedFrom: string | undefined;
  failure: string;
}

interface Plan {
  readonly fs: PatchFileSystem;
  readonly cwd: string;
  /** Keyed by resolved path. */
  readonly entries: Map<string, Entry>;
}

type Found =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "unreadable"; readonly reason: string };

type Step = string | undefined;

export async function planEdits(
  fs: PatchFileSystem,
  hunks: readonly Hunk[],
  cwd: string,
): Promise<PlannedEdits> {
  const plan: Plan = { fs, cwd, entries: new Map() };
  const summary = { added: [] as string[], modified: [] as string[], deleted: [] as string[] };
  for (const hunk of hunks) {
    const problem = await planHunk(plan, hunk);
    if (problem !== undefined) return { kind: "failed", message: problem };
    if (hunk.kind === "add") summary.added.push(hunk.path);
    if (hunk.kind === "update") summary.modified.push(hunk.moveTo ?? hunk.path);
    if (hunk.kind === "delete") summary.deleted.push(hunk.path);
  }
  return { kind: "planned", edits: [...plan.entries].map(toEdit), summary };
}

/** Returns an error, or nothing. */
async function planHunk(plan: Plan, hunk: Hunk): Promise<Step> {
  const path = resolve(plan.cwd, hunk.path);
  switch (hunk.kind) {
    case "add":
      return write(plan, path, Buffer.from(hunk.text), {});
    case "delete":
      return remove(plan, path, `Failed to delete file ${path}`);
    case "update":
      return update(plan, hunk, path);
  }
}

async function update(plan: Plan, hunk: UpdateHunk, path: string): Promise<Step> {
  const target = await resolvePatchTarget(plan.fs, path);
  const found = await entryAt(plan, target);
  const text = found.kind === "entry" ? textOf(found.entry) : found;
  if (text.kind === "unreadable") return `Failed to read file to update ${path}: ${text.reason}`;
  const updated = updateText(text.text, hunk.chunks, path);
  if (updated.kind === "mismatch") return updated.message;

  const bytes = Buffer.from(updated.text);
  const destination = hunk.moveTo === undefined ? path : resolve(plan.cwd, hunk.moveTo);
  // Moving a file onto itself is not a move: writing it and then removing the original would lose it.
  if ((await resolvePatchTarget(plan.fs, destination)) === target)
    return write(plan, path, bytes, { derivedFrom: target });
  const source = await resolveEntry(plan.fs, path);
  const derivedFrom = plan.entries.get(source)?.derivedFrom ?? source;
  const mode = found.kind === "entry" ? found.entry.mode : undefined;
  const problem = await write(plan, destination, bytes, { mode, derivedFrom });
  return problem ?? remove(plan, path, `Failed to remove original ${path}`);
}

interface Origin {
  readonly mode?: number | undefined;
  readonly derivedFrom?: string;
}

async function write(plan: Plan, path: string, bytes: Buffer, origin: Origin): Promise<Step> {
  const failure = `Failed to write file ${path}`;
  const target = await resolvePatchTarget(plan.fs, path);
  const found = await entryAt(plan, target);
  if (found.kind === "unreadable") return failure;
  const { entry } = found;
  entry.mode = origin.mode ?? entry.mode;
  entry.after = { bytes, kind: "file", executable: isExecutable(entry.mode) };
  entry.derivedFrom = origin.derivedFrom;
  entry.failure = failure;
  return undefined;
}

async function remove(plan: Plan, path: string, failure: string): Promise<Step> {
  const found = await entryAt(plan, await resolveEntry(plan.fs, path));
  if (found.kind === "unreadable" || found.entry.after === undefined) return failure;
  const { entry } = found;
  entry.after = undefined;
  entry.derivedFrom = undefined;
  entry.failure = failure;
  return undefined;
}

/** The planned state of `path`, which may be absent. */
async function entryAt(plan: Plan, path: string): Promise<Found> {
  const known = plan.entries.get(path);
  if (known !== undefined) return { kind: "entry", entry: known };
  const found = await readEntry(plan.fs, path);
  if (found.kind === "entry") plan.entries.set(path, found.entry);
  return found;
}

async function readEntry(fs: PatchFileSystem, path: string): Promise<Found> {
  try {
    const stats = await fs.lstat(path);
    if (stats.isSymbolicLink()) {
      const bytes = Buffer.from(await fs.readlink(path));
      return found({ bytes, kind: "link", executable: false }, undefined);
    }
  } catch (error) {
    return isMissing(error)
      ? found(undefined, undefined)
      : { kind: "unreadable", reason: osErrorText(error) };
  }
  const read = await readPatchedBytes(fs, path);
  if (read.kind === "unreadable") return read;
  return found({ bytes: read.bytes, kind: "file", executable: isExecutable(read.mode) }, read.mode);
}

function found(before: FileSnapshot | undefined, mode: number | undefined): Found {
  return { kind: "entry", entry: { before, after: before, mode, derivedFrom: undefined, failure: "" } };
}

function textOf({ after }: Entry): ReadText {
  if (after === undefined) return { kind: "unreadable", reason: "No such file or directory (os error 2)" };
  return decode(after.bytes);
}

function isExecutable(mode: number | undefined): boolean {
  return mode !== undefined && (mode & 0o100) !== 0;
}

function toEdit([path, entry]: [string, Entry]): PlannedEdit {
  const { before, after, mode, derivedFrom, failure } = entry;
  return { path, before, after, mode, failure, ...(derivedFrom === undefined ? {} : { derivedFrom }) };
}
