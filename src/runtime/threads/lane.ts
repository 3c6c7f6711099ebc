/**
 * The lane of a thread: everything that changes the thread runs in it, one after the other, whether a client or the
 * server itself asks for it. `LaneHeld` is the proof of running in it.
 */
import type { Lanes } from "../../base/lanes.ts";
import { createDeferred } from "../../base/tasks.ts";

/**
 * Held while work for one thread runs in its lane. Only `withLane` and the dispatcher of requests create one; whatever
 * changes a thread takes it as an argument and checks that it is still held.
 */
export class LaneHeld {
  readonly threadId: string;
  #isReleased = false;

  constructor(threadId: string) {
    this.threadId = threadId;
  }

  release(): void {
    this.#isReleased = true;
  }

  /** The id of the thread; throws once the lane is free again, because the order of the thread would be lost. */
  check(): string {
    if (this.#isReleased) throw new Error(`the lane of thread ${this.threadId} is no longer held`);
    return this.threadId;
  }
}

/** Can take the lane of a thread. */
export interface LaneHolder {
  /** Runs work in the lane of a thread, after all earlier requests of the thread. */
  withLane<T>(threadId: string, work: (held: LaneHeld) => Promise<T>): Promise<T>;
}

/** The key of the lane of a thread. */
export function threadLane(threadId: string): string {
  return `thread:${threadId}`;
}

/** Runs work in the lane of a thread, after all earlier requests of the thread. */
export function withLane<T>(
  lanes: Lanes,
  threadId: string,
  work: (held: LaneHeld) => Promise<T>,
): Promise<T> {
  const outcome = createDeferred<T>();
  lanes.run(threadLane(threadId), "exclusive", () => {
    const held = new LaneHeld(threadId);
    return work(held)
      .finally(() => held.release())
      .then(outcome.resolve, outcome.reject);
  });
  return outcome.promise;
}
