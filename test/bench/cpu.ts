/** CPU time of a process from `/proc`, which other load on the machine changes far less than wall time. */
import { readdir, readFile } from "node:fs/promises";

/** Milliseconds of CPU time. */
export interface Cpu {
  readonly main: number;
  /** V8's compiler and collector threads, and the thread pool. */
  readonly other: number;
}

/** The threads of the process that are alive; its children do not count. */
export async function readCpu(pid: number): Promise<Cpu> {
  const folder = `/proc/${pid}/task`;
  const times = await Promise.all(
    (await readdir(folder)).map(async (thread) => {
      const text = await readFile(`${folder}/${thread}/schedstat`, "utf8").catch(() => "0");
      return { isMain: thread === String(pid), milliseconds: Number(text.split(" ")[0]) / 1e6 };
    }),
  );
  const sum = (isMain: boolean): number =>
    times.reduce((total, each) => total + (each.isMain === isMain ? each.milliseconds : 0), 0);
  return { main: sum(true), other: sum(false) };
}

/** The CPU time that a process spends while something happens. */
export async function cpuDuring(pid: number, act: () => Promise<unknown>): Promise<Cpu> {
  const before = await readCpu(pid);
  await act();
  const after = await readCpu(pid);
  return { main: after.main - before.main, other: after.other - before.other };
}
