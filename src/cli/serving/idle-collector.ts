/**
 * Gives back the memory that a burst of work has left behind. V8 collects garbage when memory is asked for, so a server
 * that has become idle would keep all of it until the next burst.
 */
import { performance } from "node:perf_hooks";
import type { Clock } from "../../base/clock.ts";

export interface Heap {
  /** What it has of the system, used or not. */
  committedBytes(): number;
  /** The share of the time since the last call in which the process had something to do. */
  busyShare(): number;
  collect(): void;
}

const LOOK_MS = 5_000;
/** A collection stops everybody for tens of milliseconds, so nobody should be there to notice. */
const IDLE_SHARE = 0.02;
/** What is worth one: so much more than what was left by the last, or there was at the beginning. */
const WORTH_FACTOR = 1.25;
const WORTH_BYTES = 8 * 1024 * 1024;

/** Looks for as long as the process runs, and does not keep it running. */
export function collectWhenIdle(clock: Clock, heap: Heap): void {
  let least = heap.committedBytes();
  heap.busyShare();
  const look = (): void => {
    const isIdle = heap.busyShare() < IDLE_SHARE;
    if (isIdle && heap.committedBytes() > least * WORTH_FACTOR + WORTH_BYTES) {
      heap.collect();
      least = heap.committedBytes();
    }
    clock.after(LOOK_MS, look, { keepsAlive: false });
  };
  clock.after(LOOK_MS, look, { keepsAlive: false });
}

/** Of this process. */
export function createProcessHeap(): Heap {
  let collect: (() => void) | null = null;
  let lastUse = performance.eventLoopUtilization();
  const v8 = () => process.getBuiltinModule("node:v8");
  return {
    committedBytes: () => v8().getHeapStatistics().total_heap_size,
    busyShare() {
      const use = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(use, lastUse);
      lastUse = use;
      return utilization;
    },
    collect() {
      collect ??= findCollector();
      collect();
    },
  };

  /** Node offers none unless a flag says so; one that is set for a moment costs no start-up and leaves nothing behind. */
  function findCollector(): () => void {
    const { setFlagsFromString } = v8();
    const { runInNewContext } = process.getBuiltinModule("node:vm");
    setFlagsFromString("--expose-gc");
    try {
      return runInNewContext("gc") as () => void;
    } finally {
      setFlagsFromString("--no-expose-gc");
    }
  }
}
