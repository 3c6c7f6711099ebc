/**
 * Does the edits of a patch so that either all of them are done or none. New contents are written beside
 * their places first; then each old file is kept under a second name and the new one is renamed over it. If a
 * step fails, the steps before it are undone. A process that dies on the way leaves files that are old or new
 * and never a mixture, and at most some files named `.patch-*` beside them.
 */
import { basename, dirname, join } from "node:path";
import { createHeldFolders, type HeldFolders } from "./held-folders.ts";
import { type PatchFileSystem, readBytes } from "./patch-file-system.ts";
import type { PlannedEdit } from "./plan-edits.ts";

export type Committed = { readonly kind: "done" } | { readonly kind: "failed"; readonly message: string };

export interface CommitOptions {
  readonly fs: PatchFileSystem;
  /** A name that no other commit uses, for the files on the way. */
  readonly id: string;
}

/** An edit with the paths that lead to its files through the folder that is held. */
interface Job {
  readonly edit: PlannedEdit;
  readonly path: string;
  readonly fresh: string;
  readonly kept: string;
}

const NO_LINKS = new Set(["EMLINK", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EPERM"]);

type Undo = () => Promise<unknown>;

export async function commitEdits(edits: readonly PlannedEdit[], options: CommitOptions): Promise<Committed> {
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
          : folders.make(folder, (made) => undo.push(() => fs.rmdir(made))),
      );
      jobs.push(job);
      await prepare(fs, job, undo);
    }
    for (const job of jobs) {
      current = job.edit;
      await replace(fs, job, undo);
    }
    for (const { edit, kept } of jobs) {
      // Everything is done; a kept file that cannot be removed does no harm.
      if (edit.before !== undefined) await fs.unlink(kept).catch(() => undefined);
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
  const beside = join(folder, name);
  return {
    edit,
    path: join(folder, basename(edit.path)),
    fresh: `${beside}.new`,
    kept: `${beside}.old`,
  };
}

async function prepare(fs: PatchFileSystem, { edit, path, fresh }: Job, undo: Undo[]): Promise<void> {
  if (edit.after === undefined) return;
  const file = await fs.open(fresh, "wx", 0o666);
  // Later, when the file has got its name, there is nothing left to remove.
  undo.push(() => removeIfThere(fs, fresh));
  try {
    await file.writeFile(edit.after.bytes);
    if (edit.before !== undefined) await keepOwner(fs, path, file);
    if (edit.mode !== undefined) await file.chmod(edit.mode);
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function replace(fs: PatchFileSystem, { edit, path, fresh, kept }: Job, undo: Undo[]): Promise<void> {
  if (edit.after === undefined) {
    await fs.rename(path, kept);
    undo.push(() => fs.rename(kept, path));
    return;
  }
  if (edit.before === undefined) {
    await settle(fs, fresh, path);
    undo.push(() => fs.unlink(path));
    return;
  }
  let isReplaced = false;
  undo.push(() => (isReplaced ? fs.rename(kept, path) : removeIfThere(fs, kept)));
  await keep(fs, path, kept);
  await fs.rename(fresh, path);
  isReplaced = true;
}

/** Gives a new file its name, without replacing what somebody else may have put there in the meantime. */
async function settle(fs: PatchFileSystem, fresh: string, path: string): Promise<void> {
  try {
    await fs.link(fresh, path);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    await fs.rename(fresh, path);
    return;
  }
  // The name is all that counts by now.
  await fs.unlink(fresh).catch(() => undefined);
}

async function keep(fs: PatchFileSystem, path: string, kept: string): Promise<void> {
  try {
    await fs.link(path, kept);
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    await copy(fs, path, kept);
  }
}

async function copy(fs: PatchFileSystem, path: string, kept: string): Promise<void> {
  const read = await readBytes(fs, path);
  if (read.kind === "unreadable") throw new Error(read.reason);
  const file = await fs.open(kept, "wx", read.mode);
  try {
    await file.writeFile(read.bytes);
    await file.chmod(read.mode);
  } finally {
    await file.close();
  }
}

/** Not every file system has hard links, and not every file may be linked to. */
function isUnsupported(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && NO_LINKS.has(code);
}

/** Only the superuser may give files away, and only then can there be a difference worth keeping. */
async function keepOwner(
  fs: PatchFileSystem,
  path: string,
  file: { chown(uid: number, gid: number): Promise<void> },
): Promise<void> {
  const { uid, gid } = await fs.stat(path);
  await file.chown(uid, gid).catch(() => undefined);
}

async function removeIfThere(fs: PatchFileSystem, path: string): Promise<void> {
  await fs.unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

/** Undoes in reverse, as far as it can. */
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
