/**
 * Directories held open while files in them are replaced. A command may replace a directory by a symlink
 * between any two steps, and operations by the directory's path would then act elsewhere.
 */
import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isMissing, type PatchFileSystem } from "./patch-file-system.ts";

export interface HeldFolders {
  /**
   * A path that reaches this very directory through its descriptor, whatever its own path resolves to later.
   */
  hold(folder: string): Promise<string>;
  /**
   * The same for a directory that may not exist. Each missing one is created within a held one, so that none
   * is created elsewhere; `onCreated` receives the path by which each can be removed.
   */
  make(folder: string, onCreated: (path: string) => void): Promise<string>;
  close(): Promise<void>;
}

type Handle = Awaited<ReturnType<PatchFileSystem["open"]>>;

/** Opens only for traversal, which needs no read permission; Node does not define the constant. */
const O_PATH = 0o10000000;
/** A symlink in place of the directory itself is not followed. */
const FLAGS = constants.O_DIRECTORY | constants.O_NOFOLLOW | O_PATH;

export function createHeldFolders(fs: PatchFileSystem, platform = process.platform): HeldFolders {
  const handles: Handle[] = [];
  const ways = new Map<string, string>();

  /** `way` reaches the directory through a held one, where there is one. */
  async function open(folder: string, way: string): Promise<string> {
    if (platform !== "linux") return refuseOther(folder, await fs.realpath(folder), folder);
    const handle = await fs.open(way, FLAGS);
    handles.push(handle);
    const own = `/proc/self/fd/${handle.fd}`;
    const real = await fs.readlink(own).catch(() => null);
    // Without /proc there is no path through a descriptor, so that the plain path is used.
    return real === null
      ? refuseOther(folder, await fs.realpath(folder), folder)
      : refuseOther(folder, real, own);
  }

  async function hold(folder: string, way = folder): Promise<string> {
    const held = ways.get(folder) ?? (await open(folder, way));
    ways.set(folder, held);
    return held;
  }

  async function make(folder: string, onCreated: (path: string) => void): Promise<string> {
    try {
      return await hold(folder);
    } catch (error) {
      if (!isMissing(error) || dirname(folder) === folder) throw error;
    }
    const way = join(await make(dirname(folder), onCreated), basename(folder));
    try {
      await fs.mkdir(way);
      onCreated(way);
    } catch (error) {
      // Another process may have created it; opening it verifies that it is the right one.
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
