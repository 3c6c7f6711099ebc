/**
 * Runs work for one key in order and work for different keys in parallel. Within a key,
 * adjacent shared work runs concurrently and exclusive work runs alone: a read never sees a partial
 * write, and the order is first in, first out.
 */
export interface Lanes {
  /** `task` must not throw synchronously; a rejected promise releases the lane like a resolved one. */
  run(key: string, access: LaneAccess, task: () => void | Promise<void>): void;
  /** Queued and running tasks over all keys. */
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
  readonly queued: Fifo<Entry>;
}

export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>();
  let size = 0;

  function pump(key: string, lane: Lane): void {
    while (isFree(lane, lane.queued.peek()?.access)) {
      const entry = lane.queued.shift();
      if (entry === undefined) break;
      lane.running += 1;
      lane.exclusive = entry.access === "exclusive";
      const outcome = entry.task();
      if (outcome === undefined) release(lane);
      else outcome.then(next, next);
    }
    if (lane.running === 0 && lane.queued.size === 0) lanes.delete(key);

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
      if (lane === undefined) lanes.set(key, (lane = { running: 0, exclusive: false, queued: new Fifo() }));
      lane.queued.push({ access, task });
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

/** Consumed slots are freed once there are this many of them and they outnumber the items. */
const MIN_SLACK = 1024;

/** A queue with operations in amortized constant time, unlike `Array.prototype.shift`. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  peek(): T | undefined {
    return this.#items[this.#head];
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head >= MIN_SLACK && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
