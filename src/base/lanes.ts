/**
 * Runs work for one key in order and work for different keys in parallel. Within a key,
 * neighbouring shared work runs together and exclusive work runs alone: a read never sees half
 * of a write, and nobody overtakes.
 */
export interface Lanes {
  /** `task` must not throw synchronously; its promise may reject, which frees the lane as well. */
  run(key: string, access: LaneAccess, task: () => void | Promise<void>): void;
  /** Work that waits or runs, over all keys. */
  readonly size: number;
}

export type LaneAccess = "shared" | "exclusive";

interface Entry {
  readonly access: LaneAccess;
  readonly task: () => void | Promise<void>;
}

interface Lane {
  running: number;
  exclusive: boolean;
  readonly waiting: Fifo<Entry>;
}

export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>();
  let size = 0;

  function pump(key: string, lane: Lane): void {
    while (isFree(lane, lane.waiting.peek()?.access)) {
      const entry = lane.waiting.shift();
      if (entry === undefined) break;
      lane.running += 1;
      lane.exclusive = entry.access === "exclusive";
      const outcome = entry.task();
      if (outcome === undefined) release(lane);
      else outcome.then(next, next);
    }
    if (lane.running === 0 && lane.waiting.size === 0) lanes.delete(key);

    function next(): void {
      release(lane);
      pump(key, lane);
    }
  }

  function release(lane: Lane): void {
    size -= 1;
    lane.running -= 1;
    if (lane.running === 0) lane.exclusive = false;
  }

  return {
    run(key, access, task) {
      size += 1;
      let lane = lanes.get(key);
      if (lane === undefined)
        lanes.set(key, (lane = { running: 0, exclusive: false, waiting: createFifo() }));
      lane.waiting.push({ access, task });
      pump(key, lane);
    },
    get size() {
      return size;
    },
  };
}

function isFree(lane: Lane, access: LaneAccess | undefined): boolean {
  if (access === undefined) return false;
  return lane.running === 0 || (access === "shared" && !lane.exclusive);
}

/** A queue whose operations take the same time however long it is; taking from an array's front does not. */
export interface Fifo<T> {
  push(item: T): void;
  peek(): T | undefined;
  shift(): T | undefined;
  readonly size: number;
}

/** Taken places are given back once there are this many, and more of them than items. */
const MIN_SLACK = 1024;

export function createFifo<T>(): Fifo<T> {
  let items: (T | undefined)[] = [];
  let head = 0;
  return {
    push: (item) => void items.push(item),
    peek: () => items[head],
    shift() {
      if (head === items.length) return undefined;
      const item = items[head];
      items[head++] = undefined;
      if (head >= MIN_SLACK && head * 2 > items.length) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    get size() {
      return items.length - head;
    },
  };
}
