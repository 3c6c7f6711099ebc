/** What processes take, in kilobytes, and what they have open. */
import { readdir, readFile, readlink } from "node:fs/promises";

/** Resident memory of a process and everything below it. */
export const treeMemory = (root: number): Promise<number> => sumOfTree(root, "VmRSS");

/** The most that each of them has had so far. */
export const peakMemory = (root: number): Promise<number> => sumOfTree(root, "VmHWM");

/** What the file descriptors lead to that a process has open. */
export async function descriptorsOf(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  // One that is closed meanwhile was open.
  return Promise.all((await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => "")));
}

async function sumOfTree(root: number, field: "VmRSS" | "VmHWM"): Promise<number> {
  const statuses = await Promise.all(
    (await readdir("/proc"))
      .filter((name) => /^\d+$/u.test(name))
      .map(async (name) => readFile(`/proc/${name}/status`, "utf8").catch(() => "")),
  );
  const numberIn = (status: string, name: string) =>
    Number(new RegExp(`^${name}:\\s*(\\d+)`, "mu").exec(status)?.[1] ?? 0);
  const processes = statuses.map((status) => ({
    pid: numberIn(status, "Pid"),
    parent: numberIn(status, "PPid"),
    memory: numberIn(status, field),
  }));
  const below = (pid: number): number =>
    processes
      .filter((each) => each.pid === pid || each.parent === pid)
      .reduce((sum, each) => sum + (each.pid === pid ? each.memory : below(each.pid)), 0);
  return below(root);
}
