/**
 * Does the edits of a patch so that either all of them are done or none. New contents are written beside
 * their places first; then each old file is kept under a second name and the new one is renamed over it. If a
 * step fails, the steps before it are undone. A process that dies on the way leaves files that are old or new
 * and never a mixture, and at most some files named `.patch-*` beside them.
 */
import { constants } from "node:fs";
import { dirname, join } from "node:path";
import type { PatchFileSystem } from "./patch-file-system.ts";
import type { PlannedEdit } from "./plan-edits.ts";

export type Committed = { readonly kind: "done" } | { readonly kind: "failed"; readonly message: string };

export interface CommitOptions {
  readonly fs: PatchFileSystem;
  /** A name that no other commit uses, for the files on the way. */
  readonly id: string;
}

interface Job {
  readonly edit: PlannedEdit;
  readonly fresh: string;
  readonly kept: string;
}

const { COPYFILE_EXCL } = constants;
const NO_LINKS = new Set(["EMLINK", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EPERM"]);

type Undo = () => Promise<unknown>;

export async function commitEdits(edits: readonly PlannedEdit[], options: CommitOptions): Promise<Committed> {
  const jobs = edits
    .filter(({ before, after }) => before !== after)
    .map((edit, index) => toJob(edit, `.patch-${options.id}-${index}`));
  const undo: Undo[] = [];
  let current: Job | undefined;
  try {
    for (current of jobs) await prepare(options.fs, current, undo);
    for (current of jobs) await replace(options.fs, current, undo);
  } catch {
    const message = current?.edit.failure ?? "Failed to apply the patch";
    return { kind: "failed", message: await undoAll(undo, message) };
  }
  for (const { edit, kept } of jobs) {
    // Everything is done; a kept file that cannot be removed does no harm.
    if (edit.before !== undefined) await options.fs.unlink(kept).catch(() => undefined);
  }
  return { kind: "done" };
}

function toJob(edit: PlannedEdit, name: string): Job {
  const beside = join(dirname(edit.path), name);
  return { edit, fresh: `${beside}.new`, kept: `${beside}.old` };
}

async function prepare(fs: PatchFileSystem, { edit, fresh }: Job, undo: Undo[]): Promise<void> {
  if (edit.after === undefined) return;
  await makeFolder(fs, dirname(edit.path), undo);
  const file = await fs.open(fresh, "wx", 0o666);
  // Later, when the file has got its name, there is nothing left to remove.
  undo.push(() => removeIfThere(fs, fresh));
  try {
    await file.writeFile(edit.after.bytes);
    if (edit.before !== undefined) await keepOwner(fs, edit.path, file);
    if (edit.mode !== undefined) await file.chmod(edit.mode);
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function replace(fs: PatchFileSystem, { edit, fresh, kept }: Job, undo: Undo[]): Promise<void> {
  if (edit.after === undefined) {
    await fs.rename(edit.path, kept);
    undo.push(() => fs.rename(kept, edit.path));
    return;
  }
  if (edit.before === undefined) {
    await settle(fs, fresh, edit.path);
    undo.push(() => fs.unlink(edit.path));
    return;
  }
  let isReplaced = false;
  undo.push(() => (isReplaced ? fs.rename(kept, edit.path) : removeIfThere(fs, kept)));
  await keep(fs, edit.path, kept);
  await fs.rename(fresh, edit.path);
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
    await fs.copyFile(path, kept, COPYFILE_EXCL);
  }
}

/** Not every file system has hard links, and not every file may be linked to. */
function isUnsupported(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && NO_LINKS.has(code);
}

async function makeFolder(fs: PatchFileSystem, folder: string, undo: Undo[]): Promise<void> {
  const first = await fs.mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = first; ; made = join(made, nextName(made, folder))) {
    const path = made;
    undo.push(() => fs.rmdir(path));
    if (path === folder) return;
  }
}

function nextName(from: string, to: string): string {
  return to.slice(from.length + 1).split(/[\\/]/)[0] ?? "";
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
