/**
 * Returns unused memory to the system after a burst of work. V8 collects garbage on allocation only, so an idle server
 * would otherwise hold it until the next burst.
 */
import type { Clock } from "../../base/clock.ts";
import { createCpuShare } from "../../base/cpu-share.ts";

export interface Heap {
  /** The heap size, used or not. */
  committedBytes(): number;
  /** The share of the time since the last call, or since the start, in which the process was busy. */
  busyShare(): number;
  /** Collects young objects only, in a few milliseconds. */
  collectYoung(): void;
  collect(): void;
}

const CHECK_INTERVAL_MS = 5_000;
/** A collection blocks the event loop for tens of milliseconds, so it runs only while the server is idle. */
const IDLE_SHARE = 0.02;
/** The growth over the size after the last collection, or at the start, that justifies a collection. */
const GROWTH_FACTOR = 1.1;
const GROWTH_BYTES = 4 * 1024 * 1024;

/**
 * Checks periodically for the life of the process, without keeping it alive. The collection comes one check after that of
 * young objects: V8 gives back their space, up to 32 MB, only where little was allocated since its last collection.
 */
export function collectWhenIdle(clock: Clock, heap: Heap): void {
  let baseline = heap.committedBytes();
  let isPrepared = false;
  const check = (): void => {
    const isIdle = heap.busyShare() < IDLE_SHARE;
    const hasGrown = heap.committedBytes() > baseline * GROWTH_FACTOR + GROWTH_BYTES;
    if (isIdle && isPrepared) {
      heap.collect();
      baseline = heap.committedBytes();
      isPrepared = false;
    } else {
      isPrepared = isIdle && hasGrown;
      if (isPrepared) heap.collectYoung();
    }
    clock.after(CHECK_INTERVAL_MS, check, { keepsAlive: false });
  };
  clock.after(CHECK_INTERVAL_MS, check, { keepsAlive: false });
}

/** The heap of this process. */
export function createProcessHeap(clock: Clock): Heap {
  let gc: Gc | null = null;
  return {
    committedBytes: () => process.memoryUsage().heapTotal,
    busyShare: createCpuShare(clock),
    collectYoung() {
      gc ??= findGc();
      gc({ type: "minor" });
    },
    collect() {
      gc ??= findGc();
      collectAll(gc);
    },
  };
}

/**
 * Collects what the start and the prefetch left, 10 ms of CPU, in idle time: V8 would otherwise reach its limit for a
 * first collection of the whole heap within the first turns.
 */
export function collectAfterPrefetch(): void {
  findGc()();
}

type Gc = (options?: { readonly type: "minor" | "major"; readonly flavor?: "last-resort" }) => void;

const V8_OF_NODE_20 = /^11\./;

/** Newer versions give back empty pages for the asking. That of Node 20 does not know the flavor. */
function collectAll(gc: Gc): void {
  if (V8_OF_NODE_20.test(process.versions.v8)) gc();
  else gc({ type: "major", flavor: "last-resort" });
}

/** Node exposes `gc` only with a flag, which is set temporarily: as a start-up flag it would cost start-up time. */
function findGc(): Gc {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  const { runInNewContext } = process.getBuiltinModule("node:vm");
  setFlagsFromString("--expose-gc");
  try {
    return runInNewContext("gc") as Gc;
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}
