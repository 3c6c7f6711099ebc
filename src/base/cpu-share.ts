import type { Clock } from "./clock.ts";

/** The CPU time of this process as a share of the elapsed time since the last call, or since the creation. */
export function createCpuShare(clock: Pick<Clock, "monotonic">, cpuMs = processCpuMs): () => number {
  let last = { cpu: cpuMs(), at: clock.monotonic() };
  return () => {
    const now = { cpu: cpuMs(), at: clock.monotonic() };
    const share = (now.cpu - last.cpu) / Math.max(now.at - last.at, 1);
    last = now;
    return share;
  };
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
