/**
 * Applies the edits of a patch atomically: all of them or none. New contents are first written beside their
 * targets; then each old file is backed up under a second name and the new one is renamed over it. If a step
 * fails, the earlier steps are undone. A process that dies on the way leaves files that are old or new and
 * never a mixture, and at most some files named `.patch-*` beside them.
 */
import { basename, dirname, join } from "node:path";
import { createHeldFolders, type HeldFolders } from "./held-folders.ts";
import { type PatchFileSystem, readPatchedBytes } from "./patch-file-system.ts";
import type { PlannedEdit } from "./plan-edits.ts";

export type Committed = { readonly kind: "done" } | { readonly kind: "failed"; readonly message: string };

export interface CommitEditsOptions {
  readonly fs: PatchFileSystem;
  /** A name that no other commit uses, for temporary files. */
  readonly id: string;
}

/** An edit with paths that reach its files through the directory descriptor. */
interface Job {
  readonly edit: PlannedEdit;
  readonly path: string;
  readonly temporary: string;
  readonly backup: string;
}

const NO_LINKS = new Set(["EMLINK", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EPERM"]);

type Undo = () => Promise<unknown>;

export async function commitEdits(
  edits: readonly PlannedEdit[],
  options: CommitEditsOptions,
): Promise<Committed> {
  const { fs, id } = options;
  const folders = createHeldFolders(fs);
  const jobs: Job[] = [];
  const undo: Undo[] = [];
  let current: PlannedEdit | undefined;
  try {
    for (current of edits.filter(({ before, after }) => before !== after)) {
      const job = await toJob(current, `.patch-${id}-${jobs.length}`, (folder) =>
        current?.after === undefined
          ? folders.hold(folder)
          : folders.make(folder, (created) => undo.push(() => fs.rmdir(created))),
      );
      jobs.push(job);
      await prepare(fs, job, undo);
    }
    for (const job of jobs) {
      current = job.edit;
      await replace(fs, job, undo);
    }
    for (const { edit, backup } of jobs) {
      // The commit is complete; a backup that cannot be removed does no harm.
      if (edit.before !== undefined) await fs.unlink(backup).catch(() => undefined);
    }
    return { kind: "done" };
  } catch {
    const message = current?.failure ?? "Failed to apply the patch";
    return { kind: "failed", message: await undoAll(undo, message) };
  } finally {
    await folders.close();
  }
}

async function toJob(edit: PlannedEdit, name: string, hold: HeldFolders["hold"]): Promise<Job> {
  const folder = await hold(dirname(edit.path));
  const prefix = join(folder, name);
  return {
    edit,
    path: join(folder, basename(edit.path)),
    temporary: `${prefix}.new`,
    backup: `${prefix}.old`,
  };
}

async function prepare(fs: PatchFileSystem, { edit, path, temporary }: Job, undo: Undo[]): Promise<void> {
  if (edit.after === undefined) return;
  const file = await fs.open(temporary, "wx", 0o666);
  // Once the file has been renamed, there is nothing to remove.
  undo.push(() => removeIfPresent(fs, temporary));
  try {
    await file.writeFile(edit.after.bytes);
    if (edit.before !== undefined) await preserveOwner(fs, path, file);
    if (edit.mode !== undefined) await file.chmod(edit.mode);
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function replace(
  fs: PatchFileSystem,
  { edit, path, temporary, backup }: Job,
  undo: Undo[],
): Promise<void> {
  if (edit.after === undefined) {
    await fs.rename(path, backup);
    undo.push(() => fs.rename(backup, path));
    return;
  }
  if (edit.before === undefined) {
    await moveToPath(fs, temporary, path);
    undo.push(() => fs.unlink(path));
    return;
  }
  let isReplaced = false;
  undo.push(() => (isReplaced ? fs.rename(backup, path) : removeIfPresent(fs, backup)));
  await backUp(fs, path, backup);
  await fs.rename(temporary, path);
  isReplaced = true;
}

/** Moves a new file to its path, without replacing one that another process may have created meanwhile. */
async function moveToPath(fs: PatchFileSystem, temporary: string, path: string): Promise<void> {
  try {
    await fs.link(temporary, path);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    await fs.rename(temporary, path);
    return;
  }
  // The temporary name no longer matters.
  await fs.unlink(temporary).catch(() => undefined);
}

async function backUp(fs: PatchFileSystem, path: string, backup: string): Promise<void> {
  try {
    await fs.link(path, backup);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    await copy(fs, path, backup);
  }
}

async function copy(fs: PatchFileSystem, path: string, backup: string): Promise<void> {
  const read = await readPatchedBytes(fs, path);
  if (read.kind === "unreadable") throw new Error(read.reason);
  const file = await fs.open(backup, "wx", read.mode);
  try {
    await file.writeFile(read.bytes);
    await file.chmod(read.mode);
  } finally {
    await file.close();
  }
}

/** Some file systems have no hard links, and some files may not be linked. */
function isUnsupported(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && NO_LINKS.has(code);
}

/** Only the superuser may change owners, and only then can they differ. */
async function preserveOwner(
  fs: PatchFileSystem,
  path: string,
  file: { chown(uid: number, gid: number): Promise<void> },
): Promise<void> {
  const { uid, gid } = await fs.stat(path);
  await file.chown(uid, gid).catch(() => undefined);
}

async function removeIfPresent(fs: PatchFileSystem, path: string): Promise<void> {
  await fs.unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

/** Undoes the steps in reverse, as far as possible. */
async function undoAll(undo: readonly Undo[], message: string): Promise<string> {
  let failures = 0;
  for (const step of undo.toReversed()) {
    try {
      await step();
    } catch {
      failures += 1;
    }
  }
  if (failures === 0) return message;
  return `${message}\nand could not undo everything: look for files named .patch-*.old beside the files of the patch`;
}
