/** CPU time of a process from `/proc`, which other load on the machine changes far less than wall time. */
import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds of CPU time. */
export interface Cpu {
  readonly main: number;
  /** V8's compiler and collector threads, and the thread pool. */
  readonly other: number;
}

/** The threads of the process that are alive; its children do not count. At once, because the process may be running. */
export function readCpu(pid: number): Cpu {
  const folder = `/proc/${pid}/task`;
  const cpu = { main: 0, other: 0 };
  for (const thread of readdirSync(folder))
    cpu[thread === String(pid) ? "main" : "other"] += readMilliseconds(`${folder}/${thread}/schedstat`);
  return cpu;
}

/** Zero for a thread that has ended. */
function readMilliseconds(schedstat: string): number {
  try {
    return Number(readFileSync(schedstat, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return 0;
  }
}

/** The CPU time that a process spends while something happens. */
export async function cpuDuring(pid: number, act: () => Promise<unknown>): Promise<Cpu> {
  const before = readCpu(pid);
  await act();
  const after = readCpu(pid);
  return { main: after.main - before.main, other: after.other - before.other };
}
