// Whether some process has a file open: programs that take no lock are noticed by that.
import { readdirSync, readlinkSync } from "node:fs";

/** The id of a process that has the file open; null where there is none, or where the system does not tell. */
export function processWith(path: string): number | null {
  for (const pid of list("/proc")) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const folder = `/proc/${pid}/fd`;
    if (list(folder).some((fd) => targetOf(`${folder}/${fd}`) === path)) return Number(pid);
  }
  return null;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Processes end while one looks, and others' are closed to us.
    return [];
  }
}

function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}
