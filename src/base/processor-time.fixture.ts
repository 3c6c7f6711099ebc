import { readFileSync } from "node:fs";

/**
 * The processor time that a task takes, in milliseconds; where the system tells, that of this thread alone, so that
 * neither other tests nor other programs count. The least of a few runs, because the first ones are compiled.
 */
export function processorTime(task: () => unknown, { tries = 5, enough = 25 } = {}): number {
  let least = Number.POSITIVE_INFINITY;
  for (let each = 0; each < tries && least > enough; each += 1) {
    const start = now();
    task();
    least = Math.min(least, now() - start);
  }
  return least;
}

function now(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}
