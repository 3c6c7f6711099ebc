/**
 * Returns unused memory to the system after a burst of work. V8 collects garbage on allocation only, so an idle server
 * would otherwise hold it until the next burst.
 */
import type { EventLoopUtilization } from "node:perf_hooks";
import type { Clock } from "../../base/clock.ts";

export interface Heap {
  /** The heap size, used or not. */
  committedBytes(): number;
  /** The event loop utilization since the last call, or since the start. */
  busyShare(): number;
  collect(): void;
}

const CHECK_INTERVAL_MS = 5_000;
/** A collection blocks the event loop for tens of milliseconds, so it runs only while the server is idle. */
const IDLE_SHARE = 0.02;
/** The growth over the size after the last collection, or at the start, that justifies a collection. */
const GROWTH_FACTOR = 1.25;
const GROWTH_BYTES = 8 * 1024 * 1024;

/** Checks periodically for the life of the process, without keeping it alive. */
export function collectWhenIdle(clock: Clock, heap: Heap): void {
  let baseline = heap.committedBytes();
  const check = (): void => {
    const isIdle = heap.busyShare() < IDLE_SHARE;
    if (isIdle && heap.committedBytes() > baseline * GROWTH_FACTOR + GROWTH_BYTES) {
      heap.collect();
      baseline = heap.committedBytes();
    }
    clock.after(CHECK_INTERVAL_MS, check, { keepsAlive: false });
  };
  clock.after(CHECK_INTERVAL_MS, check, { keepsAlive: false });
}

/** The heap of this process. */
export function createProcessHeap(): Heap {
  let collect: (() => void) | null = null;
  let lastUse: EventLoopUtilization | undefined;
  return {
    committedBytes: () => process.memoryUsage().heapTotal,
    busyShare() {
      // Loaded by the first check: it takes a millisecond, which the start of a server need not spend.
      const { performance } = process.getBuiltinModule("node:perf_hooks");
      const use = performance.eventLoopUtilization();
      const { utilization } = lastUse === undefined ? use : performance.eventLoopUtilization(use, lastUse);
      lastUse = use;
      return utilization;
    },
    collect() {
      collect ??= findCollector();
      collect();
    },
  };

  /** Node exposes `gc` only with a flag, which is set temporarily: as a start-up flag it would cost start-up time. */
  function findCollector(): () => void {
    const { setFlagsFromString } = process.getBuiltinModule("node:v8");
    const { runInNewContext } = process.getBuiltinModule("node:vm");
    setFlagsFromString("--expose-gc");
    try {
      return runInNewContext("gc") as () => void;
    } finally {
      setFlagsFromString("--no-expose-gc");
    }
  }
}
