import { linkSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "../../base/sync-folder.ts";
import { makeFolder, type WritableFile } from "./writable-file.ts";

export interface Restoring {
  readonly path: string;
  /** What was removed; whoever has it open can still read it. */
  readonly from: WritableFile;
  readonly size: number;
  readonly durability: "os" | "fsync";
  readonly openFile: (path: string) => Promise<WritableFile>;
}

const CHUNK_BYTES = 1024 * 1024;

/** Writes a file anew that was removed under its writer, and opens it. It appears whole, or not at all. */
export async function restoreFile(restoring: Restoring): Promise<WritableFile> {
  const { path, durability, openFile } = restoring;
  makeFolder(dirname(path));
  const beside = `${path}.restoring`;
  rmSync(beside, { force: true });
  const file = await openFile(beside);
  try {
    await copy(restoring, file);
    if (durability === "fsync") await file.datasync();
    takePlace(beside, path);
    if (durability === "fsync") await syncFolder(dirname(path));
    return file;
  } catch (error) {
    await file.close().catch(() => {});
    rmSync(beside, { force: true });
    throw error;
  }
}

async function copy({ from, size }: Restoring, to: WritableFile): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
  for (let at = 0; at < size; ) {
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, size - at), at);
    if (bytesRead === 0) throw new Error(`only ${at} of ${size} bytes of what was removed can be read`);
    for (let done = 0; done < bytesRead; ) done += await to.write(buffer.subarray(0, bytesRead), done);
    at += bytesRead;
  }
}

/** A link, unlike a rename, does not push out what somebody has put there meanwhile. */
function takePlace(beside: string, path: string): void {
  try {
    linkSync(beside, path);
    rmSync(beside);
  } catch (error) {
    // Not every file system has links.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    renameSync(beside, path);
  }
}
