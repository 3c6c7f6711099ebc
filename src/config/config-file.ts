// Replaces a config file as a whole: readers see the old text or the new one, and a change that
// somebody else made in the meantime is noticed instead of overwritten.
import { readFileSync, renameSync, statSync } from "node:fs";
import { mkdir, open, readlink, rm } from "node:fs/promises";
import path from "node:path";

export interface FileVersion {
  /** Where the text really is: behind symbolic links. */
  readonly target: string;
  /** Undefined if there is no file. */
  readonly text: string | undefined;
}

export type Replaced = "replaced" | "changed";

const NEW_FILE_MODE = 0o600;
const MAX_LINKS = 40;

/** Follows symbolic links, also to a file that does not exist yet. */
export async function resolveWriteTarget(file: string): Promise<string> {
  let current = file;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const link = await readlink(current).catch(() => undefined);
    if (link === undefined) return current;
    current = path.resolve(path.dirname(current), link);
  }
  throw new Error(`too many symbolic links at ${file}`);
}

/** `changed` means that the file is no longer as `from` says and was left alone. */
export async function replaceFile(from: FileVersion, text: string, temporaryName: string): Promise<Replaced> {
  const folder = path.dirname(from.target);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = path.join(folder, temporaryName);
  try {
    const handle = await open(temporary, "wx", modeOf(from.target));
    try {
      await handle.writeFile(text);
      await handle.chmod(modeOf(from.target));
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Between this look and the rename nothing else in this process can run.
    if (currentText(from.target) !== from.text) return "changed";
    renameSync(temporary, from.target);
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(folder);
  return "replaced";
}

function currentText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function modeOf(file: string): number {
  try {
    return statSync(file).mode & 0o777;
  } catch {
    return NEW_FILE_MODE;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
