/**
 * Folders that are held open while files in them are replaced. A command may put a link in the place of a folder
 * between any two steps, and what is done by the folder's path would then be done somewhere else.
 */
import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isMissing, type PatchFileSystem } from "./patch-file-system.ts";

export interface HeldFolders {
  /** A path that leads into this very folder, whatever its own path leads to by now. */
  hold(folder: string): Promise<string>;
  /**
   * The same for a folder that may not be there yet. Each one that is missing is made within one that is held, so that
   * none comes to be anywhere else; `made` hears by which path each can be removed again.
   */
  make(folder: string, made: (path: string) => void): Promise<string>;
  close(): Promise<void>;
}

type Handle = Awaited<ReturnType<PatchFileSystem["open"]>>;

/** Only to go through, which needs no right to read; Node does not name it. */
const O_PATH = 0o10000000;
/** A link in the place of the folder itself is not followed. */
const FLAGS = constants.O_DIRECTORY | constants.O_NOFOLLOW | O_PATH;

export function createHeldFolders(fs: PatchFileSystem, platform = process.platform): HeldFolders {
  const handles: Handle[] = [];
  const ways = new Map<string, string>();

  /** `way` leads to the folder through one that is held, where there is one. */
  async function open(folder: string, way: string): Promise<string> {
    if (platform !== "linux") return refuseOther(folder, await fs.realpath(folder), folder);
    const handle = await fs.open(way, FLAGS);
    handles.push(handle);
    const own = `/proc/self/fd/${handle.fd}`;
    const real = await fs.readlink(own).catch(() => null);
    // Without /proc there is no such way, and the path has to do.
    return real === null
      ? refuseOther(folder, await fs.realpath(folder), folder)
      : refuseOther(folder, real, own);
  }

  async function hold(folder: string, way = folder): Promise<string> {
    const held = ways.get(folder) ?? (await open(folder, way));
    ways.set(folder, held);
    return held;
  }

  async function make(folder: string, made: (path: string) => void): Promise<string> {
    try {
      return await hold(folder);
    } catch (error) {
      if (!isMissing(error) || dirname(folder) === folder) throw error;
    }
    const way = join(await make(dirname(folder), made), basename(folder));
    try {
      await fs.mkdir(way);
      made(way);
    } catch (error) {
      // Somebody else may have made it; whether it is the right one is seen when it is held.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    return hold(folder, way);
  }

  return {
    hold: (folder) => hold(folder),
    make,
    async close() {
      await Promise.all(handles.map((handle) => handle.close()));
    },
  };
}

function refuseOther(folder: string, real: string, way: string): string {
  if (real === folder) return way;
  throw new Error(`${folder} leads to ${real}`);
}
