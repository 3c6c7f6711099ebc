/**
 * Folders that are held open while files in them are replaced. A command may put a link in the place of a folder
 * between any two steps, and what is done by the folder's path would then be done somewhere else.
 */
import { constants } from "node:fs";
import type { PatchFileSystem } from "./patch-file-system.ts";

export interface HeldFolders {
  /** A path that leads into this very folder, whatever its own path leads to by now. */
  hold(folder: string): Promise<string>;
  close(): Promise<void>;
}

type Handle = Awaited<ReturnType<PatchFileSystem["open"]>>;

/** Only to go through, which needs no right to read; Node does not name it. */
const O_PATH = 0o10000000;

export function createHeldFolders(fs: PatchFileSystem, platform = process.platform): HeldFolders {
  const handles: Handle[] = [];
  const ways = new Map<string, string>();

  async function open(folder: string): Promise<string> {
    if (platform !== "linux") return refuseOther(folder, await fs.realpath(folder), folder);
    const handle = await fs.open(folder, constants.O_DIRECTORY | O_PATH);
    handles.push(handle);
    const way = `/proc/self/fd/${handle.fd}`;
    const real = await fs.readlink(way).catch(() => null);
    // Without /proc there is no such way, and the path has to do.
    return real === null
      ? refuseOther(folder, await fs.realpath(folder), folder)
      : refuseOther(folder, real, way);
  }

  return {
    async hold(folder) {
      const way = ways.get(folder) ?? (await open(folder));
      ways.set(folder, way);
      return way;
    },
    async close() {
      await Promise.all(handles.map((handle) => handle.close()));
    },
  };
}

function refuseOther(folder: string, real: string, way: string): string {
  if (real === folder) return way;
  throw new Error(`${folder} leads to ${real}`);
}
